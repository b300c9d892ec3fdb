/** Finds the configuration of a project in a commit, even if a change has moved or renamed the file since. */

import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { hasErrors } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import type { FileTree } from '../../base/file-tree.ts';
import { isSameHost } from '../../base/service-host.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import { readYaml } from '../../base/yaml/read.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { withExpressions } from '../../config/load.ts';
import { resolveConfig } from '../../config/resolve.ts';
import { GitError } from '../../loop/git/objects.ts';
import { escapeLine } from '../../report/escape.ts';
import { identityOf } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';

export interface FormerConfig {
  /** Absolute. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** `undefined` if it cannot be read. */
  readonly config: Config | undefined;
}

export interface Commit {
  readonly tree: FileTree;
  readonly top: string;
}

const NAMES = ['flagwright.yaml', 'flagwright.yml'];

/**
 * Finds the file of the same name, or else one in its folder, or else the one that declares the same project elsewhere.
 * @throws {FlagwrightError} `config_invalid` if several that declared it are gone: it is unknown whose policies count.
 */
export async function findFormerConfig(
  session: Session,
  commit: Commit,
  { path, project }: { readonly path: string; readonly project: ProjectConfig },
): Promise<FormerConfig | undefined> {
  for (const candidate of new Set([path, ...NAMES.map((name) => join(dirname(path), name))])) {
    const found = await readConfigAt(session, commit.tree, candidate);
    if (found !== undefined) return found;
  }
  return findMoved(session, commit, { names: new Set([...NAMES, basename(path)]), project });
}

/**
 * The configuration's name for the project, which a change may have renamed since.
 * @throws {FlagwrightError} `base_unreadable` if it may be any of several.
 */
export function nameIn(config: Config, project: ProjectConfig): string {
  const found = sameProjects(config, project);
  const [only, second] = found;
  if (second === undefined) return only?.name ?? project.name;
  const names = found.map(({ name }) => escapeLine(name)).join(', ');
  const words = `The configuration at the base has several projects that ${escapeLine(project.name)} may be: ${names}. So it is unknown whose policies count.`;
  const remedy = 'Write the number of the project as `project_id`, and its host as before.';
  throw new FlagwrightError('base_unreadable', words, { remedy });
}

/** The project, or else those that it may be. Of several with its number at other addresses, the one of its name. */
function sameProjects({ projects }: Config, project: ProjectConfig): readonly ProjectConfig[] {
  const all = Object.values(projects);
  const as = (...wanted: readonly Sameness[]): readonly ProjectConfig[] =>
    all.filter((one) => wanted.includes(compareProjects(one, project)));
  const [sure] = as('same');
  if (sure !== undefined) return [sure];
  const own = as('perhaps').length > 0 ? [] : as('elsewhere').filter(({ name }) => name === project.name);
  return own.length > 0 ? own : as('perhaps', 'elsewhere');
}

/**
 * `perhaps`: one of them is the current project of whoever has the key. `elsewhere`: they may be one at two addresses. A name alone does not
 * tell, and nobody is asked: what is not known is judged by what was applied.
 */
export type Sameness = 'same' | 'perhaps' | 'elsewhere' | 'different';

export function compareProjects(one: ProjectConfig, other: ProjectConfig): Sameness {
  const [first, second] = [identityOf(one), identityOf(other)];
  if (one.service !== 'remote' || other.service !== 'remote') {
    return one.service === other.service && first.name === second.name && first.project_id === second.project_id
      ? 'same'
      : 'different';
  }
  const [id, otherId] = [first.project_id, second.project_id].map((text) => (/^\d+$/.test(text) ? BigInt(text) : text));
  if (typeof id === 'bigint' && typeof otherId === 'bigint' && id !== otherId) return 'different';
  if (!isSameHost(first.host, second.host)) return 'elsewhere';
  return id === otherId ? 'same' : 'perhaps';
}

/** A change that moves the file must not get rid of its policies. */
async function findMoved(
  session: Session,
  { tree, top }: Commit,
  { names, project }: { readonly names: ReadonlySet<string>; readonly project: ProjectConfig },
): Promise<FormerConfig | undefined> {
  const declaring: FormerConfig[] = [];
  for (const path of await findNamed(tree, top, names)) {
    const found = await readConfigAt(session, tree, path);
    if (found?.config !== undefined && sameProjects(found.config, project).length > 0) declaring.push(found);
  }
  const onDisk = await Promise.all(declaring.map(({ path }) => stat(path).catch(() => undefined)));
  const gone = declaring.filter((_, index) => onDisk[index] === undefined);
  const [only, second] = gone.length > 0 ? gone : declaring;
  if (gone.length > 1) {
    // One change may move each of several configurations.
    const files = gone.map(({ path }) => escapeLine(relative(top, path).split(sep).join('/'))).join(', ');
    const words = `Several configurations that declared ${escapeLine(project.name)} at the base are gone, so it is unknown whose policies count: ${files}.`;
    throw new FlagwrightError('config_invalid', words, { remedy: 'Move one of them at a time.' });
  }
  return second === undefined ? only : undefined;
}

async function findNamed(tree: FileTree, folder: string, names: ReadonlySet<string>): Promise<string[]> {
  // A submodule is listed as a folder, and its files are in another repository.
  const entries = await ifThere(tree.list(folder), []);
  const found = entries.filter(({ kind, name }) => kind === 'file' && names.has(name));
  const below: string[] = [];
  for (const { kind, name } of entries) {
    if (kind === 'folder') below.push(...(await findNamed(tree, join(folder, name), names)));
  }
  return [...found.map(({ name }) => join(folder, name)), ...below];
}

/** `tree`: of a commit, or the disk. */
export async function readConfigAt(
  session: Session,
  tree: Pick<FileTree, 'readFile'>,
  path: string,
): Promise<FormerConfig | undefined> {
  const bytes = await readIfThere(tree, path);
  return bytes === undefined ? undefined : { path, bytes, config: await configIn(session, path, bytes) };
}

/**
 * `undefined` if the commit has no such file. What git cannot read is not absent.
 * @throws {GitError}
 */
export async function readIfThere(tree: Pick<FileTree, 'readFile'>, path: string): Promise<Uint8Array | undefined> {
  return ifThere(tree.readFile(path), undefined);
}

async function ifThere<Value>(reading: Promise<Value>, otherwise: Value): Promise<Value> {
  return reading.catch((error: unknown) => {
    if (error instanceof GitError) throw error;
    return otherwise;
  });
}

async function configIn({ context, places }: Session, path: string, bytes: Uint8Array): Promise<Config | undefined> {
  const decoded = decodeUtf8(bytes);
  if (!('text' in decoded)) return undefined;
  // Places are named as in today's manifests.
  const file = relative(places.root, path).split(sep).join('/');
  const { documents, diagnostics } = readYaml(file, decoded.text);
  const [document, second] = documents;
  if (diagnostics.length > 0 || second !== undefined) return undefined;
  const empty = { value: null, places: { place: { file, line: 1, column: 1 } } };
  const resolved = await resolveConfig(document ?? empty, {
    root: dirname(path),
    file,
    env: context.env,
    offline: true,
  });
  const checked = await withExpressions(resolved, { file, text: decoded.text });
  return hasErrors(checked.diagnostics) ? undefined : checked.config;
}

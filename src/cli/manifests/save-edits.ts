/** Shows, asks about and writes edits of manifests and test files, and what an export writes, with names for ids in the configuration. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';
import { ifGiven } from '../../base/optional.ts';
import { unifiedDiff } from '../../base/unified-diff.ts';
import { addAliases } from '../../config/add-aliases.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { exists } from '../../loop/disk.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import type { ServiceError } from '../../posthog/client/service-error.ts';
import { FURTHER_FAMILIES } from '../../posthog/families.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import { validateManifests } from '../../posthog/manifests/load.ts';
import { readManifests } from '../../posthog/manifests/manifests.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import { disarmLines, escapeWholeLine } from '../../report/escape.ts';
import type { FileOutcome } from '../../report/file-outcome.ts';
import { count } from '../../report/words/amounts.ts';
import { aliasesText, unreadText, type ExportProblem } from '../../report/words/exported.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { checkoutAround, writeAll, type FileWrite } from '../session/files.ts';
import { askForYes, type Session } from '../session/session.ts';

interface FileText {
  readonly file: string;
  readonly text: string;
}

export interface Edits {
  readonly config: Config;
  readonly manifests: readonly FileText[];
  readonly edited: readonly FileText[];
  readonly created: readonly FileText[];
  /** `patch`: write nothing. */
  readonly options: { readonly patch?: boolean; readonly yes?: boolean };
}

interface SavedEdits {
  readonly files: readonly FileOutcome[];
  /** The changes of all files, where nothing was written. */
  readonly patch?: string;
}

/** @throws {FlagwrightError} `refused` without the consent of the user, and where a file would contain the API key. */
export async function saveEdits(
  session: Session,
  { options, config: { root }, manifests, edited, created }: Edits,
): Promise<SavedEdits> {
  const before = new Map(manifests.map(({ file, text }) => [file, text]));
  const nameOf = (file: string): string =>
    path.relative(session.context.cwd, path.join(root, file)).split(path.sep).join('/');
  const writes = [...edited, ...created].map(({ file, text }): FileWrite => ({
    file: nameOf(file),
    text,
    before: before.get(file) ?? null,
  }));
  for (const { file, text } of writes) {
    session.secrets.refuse(text, {
      message: `Nothing was written: ${file} would contain the API key.`,
      source: 'the live flags',
    });
  }
  // git apply reads names from the top of the checkout.
  const prefix = path
    .relative(checkoutAround(root) ?? root, root)
    .split(path.sep)
    .join('/');
  const patch = unifiedDiff(
    [...edited, ...created].map(({ file, text }) => ({
      file: path.posix.join(prefix, file),
      before: before.get(file),
      after: text,
    })),
  );
  const isPatch = options.patch === true;
  const files = writes.map((write) => toOutcome(write, isPatch));
  if (isPatch) {
    // A patch is exact, so nothing in it can be escaped.
    if (disarmLines(patch) !== patch) {
      throw new FlagwrightError(
        'refused',
        'The patch has a line that a build log would read as a command; it is not printed.',
        { remedy: 'Run the command without --patch.' },
      );
    }
    if (writes.length === 0) await session.note('The patch is empty: there is nothing to change.\n');
    return { files, patch };
  }
  if (writes.length > 0) {
    if (options.yes !== true) await confirm(session, patch, writes.length);
    await writeAll(session, writes);
  }
  return { files };
}

/** The next step once files were written in a checkout: they count only when they are committed. */
export async function noteNext(
  session: Session,
  { root }: Pick<Config, 'root'>,
  { saved: { files, patch }, next }: { readonly saved: SavedEdits; readonly next: string },
): Promise<void> {
  if (files.length === 0 || patch !== undefined || checkoutAround(root) === undefined) return;
  await session.note(`\n${session.palette.dim('→')} ${next}\n`);
}

async function confirm(session: Session, patch: string, files: number): Promise<void> {
  const { add, remove } = session.palette;
  const paint = (line: string): string =>
    line.startsWith('+') ? add(line) : line.startsWith('-') ? remove(line) : line;
  const lines = patch
    .trimEnd()
    .split('\n')
    .map((line) => paint(escapeWholeLine(line)));
  await session.print(`${lines.join('\n')}\n`);
  await askForYes(session, {
    question: `Write these changes to ${count(files, 'file')}?`,
    refusal: 'nothing was written',
    remedy: 'Print the changes with --patch, or confirm with --yes.',
  });
}

/** `isPlanned`: the file is not written. */
function toOutcome({ file, before }: FileWrite, isPlanned: boolean): FileOutcome {
  const isNew = typeof before !== 'string';
  if (isPlanned) return { file, status: isNew ? 'to_write' : 'to_edit' };
  return { file, status: isNew ? 'written' : 'edited' };
}

export interface NewAliases {
  readonly aliases: ProjectNames;
  readonly unread: UnreadFamilies;
}

/** The error of reading each family that could not be read. */
type UnreadFamilies = Readonly<Partial<Record<FurtherFamily, ServiceError>>>;

export interface NamedExport {
  readonly project: ProjectConfig;
  readonly config: Config;
  readonly writes: readonly FileWrite[];
  readonly texts: readonly string[];
}

/** Adds names to the configuration. Where that is impossible, the manifests contain ids, which notes name. */
export async function nameInConfiguration(
  { context }: Session,
  { config, project }: LoadedProject,
  { aliases, unread }: NewAliases,
): Promise<NamedExport> {
  const texts = FURTHER_FAMILIES.flatMap(({ section }) =>
    ifGiven(unread[section], ({ failure }) => unreadText(section, failure.kind)),
  );
  const count = Object.keys({ ...aliases.cohorts, ...aliases.roles }).length;
  if (config.file === undefined || count === 0) return { project, config, writes: [], texts };
  const before = await readFile(path.resolve(context.cwd, config.file), 'utf8');
  const text = addAliases(before, project.name, aliases);
  const added = aliasesText({ project: project.name, ...aliases, added: text !== undefined });
  if (text === undefined) return { project, config, writes: [], texts: [...texts, added] };
  const named: ProjectConfig = {
    ...project,
    roles: { ...project.roles, ...aliases.roles },
    cohorts: { ...project.cohorts, ...aliases.cohorts },
  };
  return {
    project: named,
    config: { ...config, projects: { ...config.projects, [project.name]: named } },
    writes: [{ file: config.file, text, before }],
    texts: [...texts, added],
  };
}

export async function save(session: Session, writes: readonly FileWrite[], dryRun: boolean): Promise<FileOutcome[]> {
  for (const { file, text } of writes) {
    session.secrets.refuse(text, {
      message: `Nothing was exported: ${file} would contain the API key.`,
      source: 'the live flags',
    });
  }
  // The configuration is last, and written first: manifests that use names before it has them are invalid, also for the next export.
  if (!dryRun) await writeAll(session, writes.toReversed());
  return writes.map((write) => toOutcome(write, dryRun));
}

const SCHEMA = 'node_modules/flagwright/schemas/manifest.schema.json';

/** Relative to the folder of the manifests. The package may be installed in a folder above the configuration. */
export async function findSchema(root: string, folder: string): Promise<string> {
  for (let above = root; ; above = path.dirname(above)) {
    const isInstalled = await exists(path.join(above, SCHEMA));
    if (!isInstalled && above !== path.dirname(above)) continue;
    const way = path
      .relative(folder, path.join(isInstalled ? above : root, SCHEMA))
      .split(path.sep)
      .join('/');
    return way.startsWith('.') ? way : `./${way}`;
  }
}

/** `written`: absolute names of the files that were written. */
export async function checkExport({
  config,
  written,
}: {
  readonly config: Config;
  readonly written: readonly string[];
}): Promise<ExportProblem[]> {
  if (written.length === 0) return [];
  const source = diskSource(config.root);
  const matched = new Set((await source.find(config.manifests)).files);
  const exported = written.map((file) => path.relative(config.root, file).split(path.sep).join('/'));
  const unread = exported.filter((file) => !matched.has(file));
  // What plans read is as it was before the export.
  if (unread.length === exported.length) return [{ code: 'not_read', files: unread }];
  const { files } = await readManifests({ root: config.root, patterns: config.manifests, source });
  // Keys and aliases that a file declares once more.
  const repeating = new Map<string, Record<'flags' | 'cohorts', Set<string>>>();
  const unnamed = new Set<string>();
  for (const diagnostic of validateManifests(files, Object.values(config.projects))) {
    if (diagnostic.code === 'cohort-unknown' || diagnostic.code === 'role-unknown') {
      const { project, others = [] } = diagnostic.args;
      const lacking = exported.includes(diagnostic.place?.file ?? '') ? [project, ...others] : [];
      // An embedded project need not know every name of the real ones.
      const checked = lacking.filter((name) => memberOf(config.projects, name)?.service !== 'embedded');
      for (const name of checked) unnamed.add(name);
    }
    if (diagnostic.code !== 'flag-duplicate' && diagnostic.code !== 'cohort-duplicate') continue;
    for (const file of [diagnostic.place?.file, diagnostic.args.other.file]) {
      if (file === undefined || exported.includes(file)) continue;
      const repeated = repeating.get(file) ?? { flags: new Set(), cohorts: new Set() };
      repeating.set(file, repeated);
      if (diagnostic.code === 'flag-duplicate') repeated.flags.add(diagnostic.args.key);
      else repeated.cohorts.add(diagnostic.args.alias);
    }
  }
  return [
    ...(unread.length === 0 ? [] : [{ code: 'not_read', files: unread } as const]),
    ...[...repeating].map(
      ([file, { flags, cohorts }]) =>
        ({ code: 'declared_twice', file, flags: flags.size, cohorts: cohorts.size }) as const,
    ),
    ...[...unnamed].sort().map((project) => ({ code: 'aliases_missing', project }) as const),
  ];
}

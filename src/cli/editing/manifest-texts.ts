/** The texts of manifests that a command edits, and the test files that name what it renames. */

import { hasErrors } from '../../base/diagnostic.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { plainText } from '../../base/json-text.ts';
import { summarizeWith } from '../../base/wording.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { lendAllNames } from '../../config/embedded-names.ts';
import { namedFilesOf } from '../../core/manifest/read.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import type { Accepted, ManifestText } from '../../editing/edit.ts';
import { readTexts } from '../../editing/texts.ts';
import { validateManifests } from '../../posthog/manifests/load.ts';
import { declaredCohorts, type ManifestFile, readManifests } from '../../posthog/manifests/manifests.ts';
import { ALL_MANIFEST_WORDS } from '../../posthog/manifests/problems.ts';
import type { Project } from '../../posthog/project.ts';
import { findRoleIds } from '../../posthog/role-access/read.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { formerKeyText } from '../../report/words/editing.ts';
import { findFormerKeys, renameInTests } from '../../review/expectations/rename.ts';
import type { Edits } from '../manifests/save-edits.ts';
import { readTestFiles } from '../project/check-tests.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';

interface ReadManifestTexts {
  readonly files: readonly ManifestFile[];
  readonly texts: readonly ManifestText[];
  /** The configuration with the names that embedded projects have of others. */
  readonly config: Config;
}

/**
 * The texts as they are on disk. A merge may add the aliases that a project lacks, so these are no problem yet.
 * @throws {FlagwrightError} `manifest_invalid` with every other error.
 */
export async function readManifestTexts(written: Config): Promise<ReadManifestTexts> {
  const { root, manifests, projects } = written;
  const read = new Map<string, Uint8Array>();
  const { files, diagnostics } = await readManifests({
    root,
    patterns: manifests,
    onRead: ({ parsed, bytes }) => bytes && read.set(parsed.file.file, bytes),
  });
  const problems = [...diagnostics, ...validateManifests(files, Object.values(projects))].filter(
    ({ severity, code }) => severity === 'error' && code !== 'cohort-unknown' && code !== 'role-unknown',
  );
  if (hasErrors(problems)) {
    throw new FlagwrightError('manifest_invalid', summarizeWith(ALL_MANIFEST_WORDS, problems), {
      diagnostics: problems,
    });
  }
  const textOf = (file: string): string => {
    const bytes = read.get(file);
    if (bytes === undefined) throw new TypeError(`${file} was not read from disk.`);
    return Buffer.from(bytes).toString('utf8');
  };
  const texts = files.map((one) => ({ file: one.file, text: textOf(one.file), named: namedFilesOf(one) }));
  return { files, texts, config: lendAllNames(written, (project) => declaredCohorts(files, project)) };
}

export async function nameRoles(
  { config, project }: LoadedProject,
  texts: readonly ManifestText[],
  client: ServiceClient,
): Promise<ProjectConfig> {
  const { diagnostics } = readTexts(texts, Object.keys(config.projects)).resolve(project);
  if (!diagnostics.some(({ code }) => code === 'role-unknown')) return project;
  return { ...project, roles: { ...(await findRoleIds(client)), ...project.roles } };
}

interface RenamedFlags extends Pick<Accepted, 'accepted'>, Pick<Edits, 'config'> {
  readonly manifests: readonly ManifestText[];
  readonly projects: readonly Project[];
  /** `tests`: edit the files. */
  readonly options: { readonly tests?: boolean };
}

/** Names each expectation with a former key that is not edited. `manifests`: the edited texts. */
export async function readRenamedTests(
  session: Session,
  { config, projects, manifests, accepted, options }: RenamedFlags,
): Promise<Record<'before' | 'edited', readonly ManifestText[]>> {
  const changes = accepted.flatMap((one) => one.changes.filter(({ path }) => path === '/key'));
  const renames = new Map(changes.map(({ before, after }) => [plainText(before ?? ''), plainText(after ?? '')]));
  const [before, edited]: [ManifestText[], ManifestText[]] = [[], []];
  if (renames.size === 0) return { before, edited };
  const allProjects = Object.keys(config.projects);
  const read = readTexts(manifests, allProjects);
  const projectsWith = (key: string): ReadonlySet<string> =>
    new Set(
      projects.flatMap((one) => (read.resolve(one).desired.flags.some((flag) => flag.key === key) ? one.name : [])),
    );
  const readText = async (file: string): Promise<string | undefined> => {
    const test = await diskSource(config.root).read(file);
    return 'bytes' in test && test.bytes !== undefined ? Buffer.from(test.bytes).toString('utf8') : undefined;
  };
  const { documents } = await readTestFiles(session, config);
  const found = findFormerKeys(documents, { renames, projectsWith, allProjects });
  for (const file of new Set(found.map(({ place }) => place.file))) {
    const keys = found.filter(({ place }) => place.file === file);
    const own = keys.filter(({ isKept }) => !isKept);
    const text = options.tests === true && own.length > 0 ? await readText(file) : undefined;
    const after = text === undefined ? undefined : renameInTests(text, own);
    if (text !== undefined && after !== undefined) {
      before.push({ file, text });
      edited.push({ file, text: after });
    }
    for (const key of after === undefined ? keys : keys.filter(({ isKept }) => isKept)) {
      await session.note(`→ ${formerKeyText(key, options.tests === true ? 'hand' : 'option')}\n`);
    }
  }
  return { before, edited };
}

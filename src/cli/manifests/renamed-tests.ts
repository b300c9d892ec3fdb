/** The test files that ask for a flag by the key that it had before `accept` renamed it. */

import { plainText } from '../../base/json-text.ts';
import type { Config } from '../../config/config.ts';
import type { Accepted } from '../../editing/results.ts';
import { readTexts, type ManifestText } from '../../editing/texts.ts';
import { findFormerKeys, renameInTests } from '../../expectations/rename.ts';
import { diskSource } from '../../manifest/tree-source.ts';
import type { Project } from '../../posthog/project.ts';
import { formerKeyText } from '../../report/words/edits.ts';
import { readTestFiles } from '../project/check-tests.ts';
import type { Session } from '../session/session.ts';

interface RenamedFlags extends Pick<Accepted, 'accepted'> {
  readonly config: Config;
  readonly projects: readonly Project[];
  /** The edited texts. */
  readonly manifests: readonly ManifestText[];
  /** `tests`: edit the files. */
  readonly options: { readonly tests?: boolean };
}

interface EditedTests {
  readonly before: readonly ManifestText[];
  readonly edited: readonly ManifestText[];
}

/** Names each expectation with a former key that is not edited. */
export async function readRenamedTests(session: Session, renaming: RenamedFlags): Promise<EditedTests> {
  const { config, projects, manifests, accepted, options } = renaming;
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
  const { documents } = await readTestFiles(session, config);
  const found = findFormerKeys(documents, { renames, projectsWith, allProjects });
  for (const file of new Set(found.map(({ place }) => place.file))) {
    const keys = found.filter(({ place }) => place.file === file);
    const own = keys.filter(({ isKept }) => !isKept);
    const text = options.tests === true && own.length > 0 ? await readTextOf(config.root, file) : undefined;
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

async function readTextOf(root: string, file: string): Promise<string | undefined> {
  const read = await diskSource(root).read(file);
  return 'bytes' in read && read.bytes !== undefined ? Buffer.from(read.bytes).toString('utf8') : undefined;
}

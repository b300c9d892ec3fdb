/** Shows the edits of manifests and test files, asks, and writes the files. */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { plainText } from '../../base/json-text.ts';
import { unifiedDiff } from '../../base/unified-diff.ts';
import type { Config } from '../../config/config.ts';
import type { Accepted } from '../../editing/results.ts';
import { type ManifestText, readTexts } from '../../editing/texts.ts';
import { findFormerKeys, renameInTests } from '../../expectations/rename.ts';
import { diskSource } from '../../manifest/tree-source.ts';
import type { Project } from '../../posthog/project.ts';
import { disarmLines, escapeWholeLine } from '../../report/escape.ts';
import type { FileOutcome } from '../../report/report.ts';
import { count } from '../../report/words/amounts.ts';
import { formerKeyText } from '../../report/words/edits.ts';
import { readTestFiles } from '../project/check-tests.ts';
import { askForYes } from '../session/ask.ts';
import { checkoutAround } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { writeAll, type FileWrite } from '../session/write-all.ts';

export interface Edits {
  readonly config: Config;
  /** The manifests before the edits. */
  readonly manifests: readonly ManifestText[];
  readonly edited: readonly ManifestText[];
  /** New files. */
  readonly created: readonly ManifestText[];
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
export function toOutcome({ file, before }: FileWrite, isPlanned: boolean): FileOutcome {
  const isNew = typeof before !== 'string';
  if (isPlanned) return { file, status: isNew ? 'to_write' : 'to_edit' };
  return { file, status: isNew ? 'written' : 'edited' };
}

interface RenamedFlags extends Pick<Accepted, 'accepted'>, Pick<Edits, 'config' | 'manifests'> {
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

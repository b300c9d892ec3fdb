/** The folder in which the runs of a configuration are recorded, or the one that the user names, and the check of its files. */

import type { Stats } from 'node:fs';
import { lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { NoRunError } from '../../journal/read.ts';
import { runOfFile } from '../../journal/run-order.ts';
import { journalFile } from '../../journal/write.ts';
import { shellWord } from '../../report/words/ways-out.ts';
import { DATA_FOLDER, fileError, writeNewFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

const WITHOUT = 'To apply without a journal, and so without resume and undo, use --no-journal.';

/** The folder of recorded runs. */
export function journalFolder({ places }: Session): string {
  return places.journal?.runs ?? ownFolder(places.root);
}

function ownFolder(root: string): string {
  return path.join(root, DATA_FOLDER, 'journal');
}

/**
 * Uses the folder or the file of `--journal` from here on. Returns the name of the run in a file.
 * @throws {FlagwrightError} `file` if it does not exist, or is no journal.
 */
export async function useJournal(session: Session, given: string): Promise<string | undefined> {
  const { context, places } = session;
  const target = path.resolve(context.cwd, given);
  const found = await stat(target).catch((cause: unknown) => {
    throw fileError('read', given, cause);
  });
  if (found.isDirectory()) {
    places.journal = { runs: target, newRuns: target };
    return undefined;
  }
  const run = runOfFile(target);
  if (run === undefined) {
    throw new FlagwrightError('file', `${given} is not a journal: the file of a run is named RUN.jsonl.`, {
      remedy: 'Pass the folder of the journal, or one of its files under its own name.',
    });
  }
  places.journal = { runs: path.dirname(target) };
  return run;
}

/** Records new runs in the folder of `--journal`, which is created if needed. */
export function recordIn({ context, places }: Session, given: string): void {
  const folder = path.resolve(context.cwd, given);
  places.journal = { runs: folder, newRuns: folder };
}

/** Creates the folder if needed. Its files must not get into a repository, so git ignores it. */
export async function makeJournalFolder(session: Session): Promise<string> {
  const { root, journal } = session.places;
  const folder = journal?.newRuns ?? ownFolder(root);
  if (journal?.newRuns === undefined) await checkFolders(session, folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeNewFile(session, path.join(journal?.newRuns ?? path.dirname(folder), '.gitignore'), '*\n');
  } catch (error) {
    const { message } = error instanceof FlagwrightError ? error : fileError('write', folder, error);
    throw new FlagwrightError('file', `The run cannot be recorded, so nothing was applied. ${message}`, {
      remedy: `Free disk space or make the folder writable. ${WITHOUT}`,
      cause: error,
    });
  }
  return folder;
}

/**
 * A journal that the user names is trusted like a saved plan.
 * @throws {NoRunError} for a folder, which no run creates.
 * @throws {FlagwrightError} `file` if the journal may not be our own; it is then not read.
 */
export async function checkJournalFile(session: Session, run: string): Promise<void> {
  const folder = journalFolder(session);
  const isNamed = session.places.journal !== undefined;
  if (!isNamed) await checkFolders(session, folder);
  const file = journalFile(folder, run);
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new NoRunError('file', `Skipped the journal ${file}: it is a folder.`);
  if (!found.isFile()) throw foreign(file, 'it is a link or not a regular file');
  if (isNamed || session.context.userId === undefined) return;
  if (!isOwn(session, found)) throw foreign(file, 'it belongs to another user');
  // A journal from a checkout or an archive has the usual permissions of files.
  if ((found.mode & 0o077) !== 0) throw foreign(file, 'other users may read or write it');
}

/** A link in a repository could point anywhere. */
async function checkFolders(session: Session, folder: string): Promise<void> {
  for (const part of [path.dirname(folder), folder]) {
    const found = await lstat(part).catch(() => undefined);
    if (found === undefined) return;
    if (!found.isDirectory()) throw foreign(part, 'it is a link or not a folder');
    if (!isOwn(session, found)) throw foreign(part, 'it belongs to another user');
  }
}

function isOwn({ context: { userId } }: Session, { uid }: Stats): boolean {
  return userId === undefined || uid === userId;
}

function foreign(file: string, why: string): FlagwrightError {
  return new FlagwrightError('file', `The journal ${file} was not used: ${why}.`, {
    remedy: `If flagwright wrote it for you, make it private (chmod 600); otherwise remove it. ${WITHOUT}`,
  });
}

/** `flagwright undo -p staging`. */
export function runCommand(
  { context, places }: Pick<Session, 'context' | 'places'>,
  command: string,
  project: string,
): string {
  const folder = places.journal?.newRuns;
  const journal = folder === undefined ? [] : ['--journal', path.relative(context.cwd, folder) || '.'];
  return [`flagwright ${command}`, ...['-p', project, ...journal].map(shellWord)].join(' ');
}

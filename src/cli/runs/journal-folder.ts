/** The folder in which the runs of a configuration are recorded, and the check that its files are our own. */

import type { Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { NoRunError } from '../../journal/read.ts';
import { journalFile } from '../../journal/write.ts';
import { fileError, writeNewFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

const DATA_FOLDER = '.flagwright';
const WITHOUT = 'To apply without a journal, and so without resume and undo, use --no-journal.';

export function journalFolder({ places }: Session): string {
  return path.join(places.root, DATA_FOLDER, 'journal');
}

/** Creates the folder if needed. Its files must not get into a repository, so git ignores it. */
export async function makeJournalFolder(session: Session): Promise<string> {
  await checkFolders(session);
  const folder = journalFolder(session);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeNewFile(path.join(path.dirname(folder), '.gitignore'), '*\n');
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
 * @throws {NoRunError} for a folder, which no run creates.
 * @throws {FlagwrightError} `file` if the journal may not be our own; it is then not read.
 */
export async function checkJournalFile(session: Session, run: string): Promise<void> {
  await checkFolders(session);
  const file = journalFile(journalFolder(session), run);
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new NoRunError('file', `Skipped the journal ${file}: it is a folder.`);
  if (!found.isFile()) throw foreign(file, 'it is a link or not a regular file');
  if (session.context.userId === undefined) return;
  if (!isOwn(session, found)) throw foreign(file, 'it belongs to another user');
  // A journal from a checkout or an archive has the usual permissions of files.
  if ((found.mode & 0o077) !== 0) throw foreign(file, 'other users may read or write it');
}

/** A link in a repository could point anywhere. */
async function checkFolders(session: Session): Promise<void> {
  const folder = journalFolder(session);
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

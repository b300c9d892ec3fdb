/** Where the runs of a configuration are recorded, and the check that nobody else put anything there. */

import type { Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { NoRunError } from '../../journal/read.ts';
import { journalFile } from '../../journal/write.ts';
import { fileError, writeNewFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

const DATA_FOLDER = '.flagwright';
const WITHOUT = 'Apply without resume and undo: --no-journal.';

export function journalFolder({ places }: Session): string {
  return path.join(places.root, DATA_FOLDER, 'journal');
}

/** The folder, made where it is not there yet. A repository must not hold what it holds, so git ignores it. */
export async function makeJournalFolder(session: Session): Promise<string> {
  await checkFolders(session);
  const folder = journalFolder(session);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeNewFile(path.join(path.dirname(folder), '.gitignore'), '*\n');
  } catch (error) {
    const { message } = error instanceof FlagwrightError ? error : fileError('write', folder, error);
    throw new FlagwrightError('file', `The run cannot be recorded, and nothing was applied. ${message}`, {
      remedy: `Make room or choose a writable folder. ${WITHOUT}`,
      cause: error,
    });
  }
  return folder;
}

/**
 * @throws {NoRunError} for a folder, which no run makes.
 * @throws {FlagwrightError} `file` when the journal could be somebody else's: it is not read then.
 */
export async function checkJournalFile(session: Session, run: string): Promise<void> {
  await checkFolders(session);
  const file = journalFile(journalFolder(session), run);
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new NoRunError('file', `The journal ${file} is passed over: it is a folder.`);
  if (!found.isFile()) throw foreign(file, 'it is a link, or no file');
  if (session.context.userId === undefined) return;
  if (!isOwn(session, found)) throw foreign(file, 'it belongs to another user');
  // A journal that came with a checkout or out of an archive has the permissions of every other file.
  if ((found.mode & 0o077) !== 0) throw foreign(file, 'others than its owner may read or write it');
}

/** A link in a repository could lead anywhere. */
async function checkFolders(session: Session): Promise<void> {
  const folder = journalFolder(session);
  for (const part of [path.dirname(folder), folder]) {
    const found = await lstat(part).catch(() => undefined);
    if (found === undefined) return;
    if (!found.isDirectory()) throw foreign(part, 'it is a link, or no folder');
    if (!isOwn(session, found)) throw foreign(part, 'it belongs to another user');
  }
}

function isOwn({ context: { userId } }: Session, { uid }: Stats): boolean {
  return userId === undefined || uid === userId;
}

function foreign(file: string, why: string): FlagwrightError {
  return new FlagwrightError('file', `The journal ${file} is not used: ${why}.`, {
    remedy: `If flagwright wrote it for you, make it yours alone (chmod 600); otherwise remove it. ${WITHOUT}`,
  });
}

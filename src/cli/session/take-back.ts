/** Restores the files of a command that failed or was killed while it wrote them, so that it changed all of them or none. */

import { lstat, readFile, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { flushFolder } from '../../journal/disk.ts';
import { quoteShort } from '../../report/escape.ts';
import { refuseLinkOut } from './files.ts';
import {
  awaitEnd,
  backupOf,
  digestOf,
  draftOf,
  findRecords,
  recordOf,
  type Intent,
  type IntendedFile,
  type Recovering,
} from './write-intent.ts';

export interface TakenBack {
  /** Relative to the folder. */
  readonly files: readonly string[];
  /** Files that somebody changed since; their former text is in `backup` if the command had replaced them. */
  readonly left: readonly { readonly file: string; readonly backup?: string }[];
}

/** Removes what is not needed once every file is in place. What cannot be removed, the next command removes. */
export async function settleIntent(intent: Intent): Promise<void> {
  for (const { target } of intent.files) await remove(backupOf(target, intent.id));
  await rm(recordOf(intent), { force: true });
}

/** Restores the files. @throws the system's error for a file that cannot be restored; the record stays then. */
export async function takeBack(intent: Intent): Promise<TakenBack> {
  const left: TakenBack['left'][number][] = [];
  const failures: unknown[] = [];
  for (const file of intent.files) {
    const found = await takeFileBack(intent, file).catch((error: unknown) => void failures.push(error));
    if (found !== undefined) left.push({ ...found, file: path.relative(intent.folder, file.target) });
  }
  if (failures.length > 0) throw failures[0];
  const places = new Set(intent.files.map(({ target }) => path.dirname(target)));
  for (const place of places) await flushFolder(place);
  // Drafts are removed last: a remaining draft means that the set is incomplete.
  for (const { target } of intent.files) await remove(draftOf(target, intent.id));
  // The deepest first; one in which somebody else put a file stays.
  for (const folder of intent.folders.toReversed()) await rmdir(folder).catch(() => undefined);
  await rm(recordOf(intent), { force: true });
  return { files: intent.files.map(({ target }) => path.relative(intent.folder, target)), left };
}

/** `undefined` once the file is as before; otherwise somebody changed it since, and it stays. */
async function takeFileBack(
  { id }: Intent,
  { target, before, after }: IntendedFile,
): Promise<{ readonly backup?: string } | undefined> {
  const [draft, backup] = [draftOf(target, id), backupOf(target, id)];
  const isReplaced = !(await exists(draft));
  const now = await digestAt(target);
  if (isReplaced && now === after && now !== before) {
    await (before === undefined ? rm(target) : rename(backup, target));
    return undefined;
  }
  const kept = isReplaced && now !== before && (await exists(backup)) ? { backup } : {};
  if (kept.backup === undefined) await remove(backup);
  return now === before ? undefined : kept;
}

/** Whether each file was put in its place. */
async function isComplete({ id, files }: Intent): Promise<boolean> {
  for (const { target, before, after } of files) {
    const now = await digestAt(target);
    if ((await exists(draftOf(target, id))) || (now === before && now !== after)) return false;
  }
  return true;
}

/**
 * Restores the files that interrupted commands in this folder left incomplete.
 * @throws {FlagwrightError} `refused` while another process writes, or where that is unknown; `file` if a file cannot be restored.
 */
export async function takeBackUnfinished(folder: string, recovering: Recovering): Promise<readonly TakenBack[]> {
  const taken: TakenBack[] = [];
  for (const record of await findRecords(folder)) {
    const intent = await awaitEnd(record, recovering);
    if (intent === undefined) continue;
    try {
      for (const { target } of intent.files) await refuseLinkOut(folder, target);
      if (await isComplete(intent)) await settleIntent(intent);
      else taken.push(await takeBack(intent));
      await rm(record, { force: true });
    } catch (cause) {
      throw unrestored(record, cause);
    }
  }
  return taken;
}

/** `A command was interrupted while it wrote files. Restored: a.yaml, b.yaml.` */
export function takenBackText({ files, left }: TakenBack): string {
  const since = new Set(left.map(({ file }) => file));
  const restored = files.filter((file) => !since.has(file));
  return [
    'A command was interrupted while it wrote files.',
    ...(restored.length === 0 ? [] : [`Restored: ${restored.map((file) => quoteShort(file)).join(', ')}.`]),
    ...left.map(({ file, backup }) => {
      const former =
        backup === undefined ? '' : ` Its former text is in ${quoteShort(path.basename(backup))} in the same folder.`;
      return `${quoteShort(file)} was changed since and is left alone.${former}`;
    }),
  ].join(' ');
}

/** `EISDIR` for a folder, which no digest equals. */
async function digestAt(file: string): Promise<string | undefined> {
  return readFile(file).then(digestOf, (error: NodeJS.ErrnoException) =>
    error.code === 'EISDIR' ? error.code : ifMissing(error),
  );
}

async function exists(file: string): Promise<boolean> {
  return lstat(file)
    .then(() => true, ifMissing)
    .then(Boolean);
}

/** A file that is now in the place of its folder counts as removed. */
async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(ifMissing);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

function unrestored(record: string, cause: unknown): FlagwrightError {
  const reason = cause instanceof FlagwrightError ? cause.message : systemCode(cause);
  return new FlagwrightError(
    'file',
    `A command was interrupted while it wrote files, and they cannot be restored (${reason}). ${record} names them.`,
    { remedy: 'Make the files and their folders writable, and run the command again.', cause },
  );
}

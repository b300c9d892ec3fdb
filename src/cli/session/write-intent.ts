/**
 * The planned content of a set of files, recorded in their folder before the first one changes. A process that finds the record of an ended
 * one reverts the files (`take-back.ts`).
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { tryParseJson, stringifyJson } from '../../base/json-text.ts';
import { defined } from '../../base/optional.ts';
import { pause } from '../../base/timer.ts';
import { parseHolder, type ClaimHolder, type LockOptions } from '../../journal/lock.ts';
import { flushFolder } from '../../journal/disk.ts';
import { fileError, PRIVATE_MODE, WRITE_RECORD, writeDurably } from './files.ts';

/** The files of one folder and of the folders in it. */
export interface Intent {
  /** Absolute; the record is in it. */
  readonly folder: string;
  /** Identifies the record, and the drafts and backups of its files. */
  readonly id: string;
  readonly files: readonly IntendedFile[];
  /** Folders made for the files, absolute, the outermost first. */
  readonly folders: readonly string[];
}

export interface IntendedFile {
  /** Absolute. */
  readonly target: string;
  /** Digests of the text so far, absent for a new file, and of the new text. */
  readonly before?: string;
  readonly after: string;
}

/** The possible owner of a record, and the live processes. */
export interface Recovering {
  readonly userId?: number;
  readonly life: LockOptions;
}

const VERSION = '1.0';

export function digestOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

export function draftOf(target: string, id: string): string {
  return nameNear(target, `${id}.tmp`);
}

/** Another name of the file so far, from which it is restored. */
export function backupOf(target: string, id: string): string {
  return nameNear(target, `${id}.bak`);
}

function nameNear(target: string, suffix: string): string {
  return path.join(path.dirname(target), `.${path.basename(target)}.${suffix}`);
}

export function recordOf({ folder, id }: Pick<Intent, 'folder' | 'id'>): string {
  return path.join(folder, `.flagwright-writes-${id}`);
}

/** Flushes before anything else happens. A truncated record means that nothing happened. */
export async function recordIntent(intent: Intent, holder: ClaimHolder): Promise<void> {
  const { folder, files, folders } = intent;
  const inside = (name: string): string => path.relative(folder, name).split(path.sep).join('/');
  const text = stringifyJson({
    format_version: VERSION,
    holder,
    files: files.map(({ target, ...digests }) => ({ file: inside(target), ...digests })),
    folders: folders.map(inside),
  });
  const record = recordOf(intent);
  try {
    await writeDurably(record, `${text}\n`, PRIVATE_MODE);
    await flushFolder(folder);
  } catch (cause) {
    await rm(record).catch(() => undefined);
    throw cause;
  }
}

/** The records in a folder. */
export async function findRecords(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => WRITE_RECORD.test(name)).map((name) => path.join(folder, name));
}

/** How often a live process's record is read, and the pause in between: putting files in place takes less time than all of them. */
const ATTEMPTS = 10;
const PAUSE_MS = 50;

/** The intent of a process that is gone; `undefined` once there is none. */
export async function awaitEnd(record: string, recovering: Recovering): Promise<Intent | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await readRecord(record, recovering);
    if (found === undefined) return undefined;
    if (found !== 'damaged' && found.state === 'ended') return found.intent;
    if (attempt === ATTEMPTS) {
      if (found !== 'damaged') throw busy(record, found);
      // The process was killed before it began to write.
      await rm(record, { force: true });
      return undefined;
    }
    await pause(PAUSE_MS);
  }
}

interface FoundRecord {
  readonly intent: Intent;
  readonly holder: ClaimHolder;
  readonly state: 'ended' | 'alive' | 'unknown';
}

async function readRecord(record: string, recovering: Recovering): Promise<FoundRecord | 'damaged' | undefined> {
  const found = await lstat(record).catch(() => undefined);
  if (found === undefined) return undefined;
  const { userId } = recovering;
  const isPrivate = userId === undefined || (found.uid === userId && (found.mode & 0o077) === 0);
  if (!found.isFile() || !isPrivate) throw foreign(record);
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW;
  const text = await readFile(record, { encoding: 'utf8', flag }).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw fileError('read', record, cause);
  });
  if (text === undefined) return undefined;
  const read = parseRecord(record, text);
  if (read === undefined) return 'damaged';
  return { ...read, state: record.endsWith('.ended') ? 'ended' : stateOf(read.holder, recovering.life) };
}

/** A process on another host, or in a container that hides it, cannot be checked. */
function stateOf(holder: ClaimHolder, life: LockOptions): FoundRecord['state'] {
  if (holder.host !== life.holder.host) return 'unknown';
  const alive = life.isAlive(holder);
  if (alive === 'unseen') return 'unknown';
  return alive ? 'alive' : 'ended';
}

function parseRecord(record: string, text: string): Pick<FoundRecord, 'intent' | 'holder'> | undefined {
  const value = tryParseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { format_version: version, files, folders } = value;
  const holder = parseHolder(value['holder']);
  if (holder === 'unreadable' || !Array.isArray(files) || !Array.isArray(folders)) return undefined;
  if (version !== VERSION) throw foreign(record);
  const folder = path.dirname(record);
  const id = WRITE_RECORD.exec(path.basename(record))?.[1] ?? '';
  const within = (name: unknown): string => insideOf(folder, name) ?? fail(foreign(record));
  const intended = files.filter(isJsonObject).map(({ file, before, after }) => {
    if (typeof after !== 'string') throw foreign(record);
    return { target: within(file), after, ...defined({ before: typeof before === 'string' ? before : undefined }) };
  });
  return { holder, intent: { folder, id, files: intended, folders: folders.map(within) } };
}

/** The path of a name in the folder. */
function insideOf(folder: string, name: unknown): string | undefined {
  if (typeof name !== 'string' || path.isAbsolute(name)) return undefined;
  const found = path.join(folder, name);
  const way = path.relative(folder, found);
  return way === '' || way === '..' || way.startsWith(`..${path.sep}`) ? undefined : found;
}

function fail(error: Error): never {
  throw error;
}

function busy(record: string, { holder: { pid, host }, state }: FoundRecord): FlagwrightError {
  const message = `Process ${pid} on ${host} is writing files in ${path.dirname(record)}.`;
  return new FlagwrightError('refused', message, {
    remedy:
      state === 'alive'
        ? 'Wait for it to end, and run the command again.'
        : `Wait for it to end. If that process no longer exists: mv ${record} ${record}.ended, and run the command again.`,
  });
}

function foreign(record: string): FlagwrightError {
  return new FlagwrightError(
    'refused',
    `${record} says that files here are incomplete, but flagwright may not have written it.`,
    {
      remedy: 'If a flagwright of this version wrote it for you, make it private (chmod 600); otherwise remove it.',
    },
  );
}

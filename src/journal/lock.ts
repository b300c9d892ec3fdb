/** One process at a time carries out a run: a file beside its journal names the one that does. */

import { constants } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { FlaghoistError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';

/** Who holds a lock, and how to find out whether that process still is. */
export interface LockOptions {
  readonly pid: number;
  readonly host: string;
  /** Whether a process of this machine exists. */
  readonly isAlive: (pid: number) => boolean;
}

/** Gives the lock back. Never rejects: a lock that stays names a process that is gone. */
export type Release = () => Promise<void>;

/** @throws {FlaghoistError} `refused` while another process holds the lock, `file` when it cannot be written. */
export async function acquireLock(file: string, options: LockOptions): Promise<Release> {
  if (!(await create(file, options))) {
    if (await isHeld(file, options)) throw held(file);
    // What a process left behind that is gone.
    await rm(file, { force: true });
    if (!(await create(file, options))) throw held(file);
  }
  return () => rm(file, { force: true }).catch(() => undefined);
}

/** False when the file is there already. */
async function create(file: string, { pid, host }: LockOptions): Promise<boolean> {
  try {
    const flag = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
    await writeFile(file, JSON.stringify({ pid, host }), { flag, mode: 0o600 });
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false;
    throw new FlaghoistError('file', `The lock ${file} cannot be written.`, { cause });
  }
}

function held(file: string): FlaghoistError {
  return new FlaghoistError('refused', 'The run is being carried out by another process; nothing was sent.', {
    remedy: `Wait until it has ended. If there is no such process any more, remove ${file}.`,
  });
}

/** Whether a process that may still be there holds the lock; of one on another machine nobody here knows. */
export async function isHeld(file: string, { host, isAlive }: LockOptions): Promise<boolean> {
  const holder = await readHolder(file);
  return holder !== undefined && (holder.host !== host || isAlive(holder.pid));
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** A lock that was cut while it was written is nobody's. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const text = await readFile(file, { encoding: 'utf8', flag });
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || typeof value['pid'] !== 'number' || typeof value['host'] !== 'string') return undefined;
    return { pid: value['pid'], host: value['host'] };
  } catch {
    return undefined;
  }
}

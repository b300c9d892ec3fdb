/**
 * One process at a time executes a run. The lock of a run is a series of claims, numbered from 1. The process of the last
 * claim holds the lock for as long as it lives. Another process takes the lock over by publishing the next claim, which
 * succeeds for exactly one process. A process withdraws only its own claim, and only while it is the last: the claim of a
 * dead process remains for others to judge, and no number is skipped.
 *
 * Claims are folders beside the journal: `RUN.lock.1`, `RUN.lock.2`, each with the process that made it. A folder is prepared under a
 * temporary name, flushed to disk and renamed, so it appears with its content or not at all. Renaming to an existing folder that is not empty
 * fails on every file system.
 */

import { constants } from 'node:fs';
import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import path from 'node:path';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { exists } from '../disk.ts';

export interface LockOptions {
  readonly holder: ClaimHolder;
  /** Whether a process of this host is alive: this one, and not a later one with the same id. */
  readonly isAlive: (holder: ClaimHolder) => boolean | 'unseen';
}

/** The number of times that claims are read again when other processes publish or withdraw one in the meantime. */
const ATTEMPTS = 10;

/** @throws {FlagwrightError} `refused` while another process holds the lock, `file` when it cannot be written. */
export async function acquireLock(claims: Claims, options: LockOptions): Promise<Release> {
  for (let attempt = 1; ; attempt += 1) {
    const last = await lastClaim(claims);
    if (last !== undefined && (await isPresent(last, claims, options))) throw refusal(claims.nameOf(last.generation));
    const generation = (last?.generation ?? 0) + 1;
    const release = await claims.publish(generation, options.holder);
    if (release !== undefined) return release;
    if (attempt === ATTEMPTS) throw refusal(claims.nameOf(generation));
  }
}

/** The name of the claim by which a process that may be alive holds the lock. */
export async function heldClaim(claims: Claims, options: LockOptions): Promise<string | undefined> {
  const last = await lastClaim(claims);
  return last !== undefined && (await isPresent(last, claims, options)) ? claims.nameOf(last.generation) : undefined;
}

/** @param name The name of the claim that blocks the run. */
export function refusal(name: string): FlagwrightError {
  return new FlagwrightError('refused', 'Another process is executing this run; nothing was sent.', {
    remedy: `Wait for it to end. If that process no longer exists, remove ${name}.`,
  });
}

interface Claim {
  readonly generation: number;
  readonly holder: ClaimHolder | 'unreadable';
}

/** Reads a claim again that cannot be read, since its process may be withdrawing it. */
async function lastClaim(claims: Claims): Promise<Claim | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    let last: Claim | undefined;
    for (let generation = 1; ; generation += 1) {
      const holder = await claims.read(generation);
      if (holder === 'none') break;
      last = { generation, holder };
    }
    if (last?.holder !== 'unreadable' || attempt === ATTEMPTS) return last;
  }
}

/** A process that cannot be checked counts as alive: one on another host, and one whose claim cannot be read. */
async function isPresent({ generation, holder }: Claim, claims: Claims, options: LockOptions): Promise<boolean> {
  if (holder === 'unreadable' || holder.host !== options.holder.host) return true;
  const alive = options.isAlive(holder);
  return alive === 'unseen' ? (await claims.ask(generation)) !== 'gone' : alive;
}

/** A process, and what distinguishes it from an earlier one with the same id. Facts that the system does not give are absent. */
export interface ClaimHolder {
  readonly pid: number;
  readonly host: string;
  /** Identifies the boot of the host. */
  readonly boot?: string;
  /** Identifies the process table of `pid`: each container has its own. */
  readonly namespace?: string;
  /** When the process started, in a form that is only compared for equality. */
  readonly started?: string;
}

/** Withdraws a claim. Never rejects: a claim that remains names a process that is about to end. */
export type Release = () => Promise<void>;

export interface Claims {
  read(generation: number): Promise<ClaimHolder | 'none' | 'unreadable'>;
  /** Atomic; `undefined` if the generation is already claimed. */
  publish(generation: number, holder: ClaimHolder): Promise<Release | undefined>;
  /** Whether the process that made the claim is alive, for a process that is not visible from here. */
  ask(generation: number): Promise<'alive' | 'gone' | 'unknown'>;
  nameOf(generation: number): string;
}

const HOLDER_FILE = 'holder.json';
const LIFE_SOCKET = 'alive';

/** Systems truncate longer names; the shortest limit is 104 bytes with the terminating zero. */
const LONGEST_NAME = 103;

/** @param file The prefix of the claims' names. */
export function claimsAt(file: string): Claims {
  const nameOf = (generation: number): string => `${file}.${generation}`;
  return {
    nameOf,
    read: (generation) => readClaim(nameOf(generation)),
    ask: (generation) => askForLife(path.join(nameOf(generation), LIFE_SOCKET)),
    publish: (generation, holder) => publishClaim(nameOf(generation), holder),
  };
}

async function readClaim(folder: string): Promise<ClaimHolder | 'none' | 'unreadable'> {
  try {
    const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return parseHolder(JSON.parse(await readFile(path.join(folder, HOLDER_FILE), { encoding: 'utf8', flag })));
  } catch {
    return (await exists(folder)) ? 'unreadable' : 'none';
  }
}

function parseHolder(value: unknown): ClaimHolder | 'unreadable' {
  if (!isJsonObject(value)) return 'unreadable';
  const { pid, host } = value;
  if (typeof pid !== 'number' || typeof host !== 'string') return 'unreadable';
  const [boot, namespace, started] = [value['boot'], value['namespace'], value['started']].map((fact) =>
    typeof fact === 'string' ? fact : undefined,
  );
  return { pid, host, ...defined({ boot, namespace, started }) };
}

async function publishClaim(folder: string, holder: ClaimHolder): Promise<Release | undefined> {
  const draft = await makeDraft(folder, holder);
  const stopListening = await listenFromHere(path.join(draft, LIFE_SOCKET));
  const discard = async (): Promise<void> => {
    stopListening();
    await rm(draft, { recursive: true, force: true });
  };
  try {
    await rename(draft, folder);
  } catch (cause) {
    await discard();
    if (TAKEN.has(systemCode(cause)) || (await exists(folder))) return undefined;
    throw unwritable(folder, cause);
  }
  // Renamed back before it is removed, so that a claim is never visible without its content.
  return () =>
    rename(folder, draft)
      .then(discard)
      .catch(() => undefined);
}

async function makeDraft(folder: string, holder: ClaimHolder): Promise<string> {
  let draft: string | undefined;
  try {
    draft = await mkdtemp(`${folder}-`);
    const handle = await open(path.join(draft, HOLDER_FILE), 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(holder));
      await handle.sync();
    } finally {
      await handle.close();
    }
    return draft;
  } catch (cause) {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
    throw unwritable(folder, cause);
  }
}

/** The codes of a rename to a file or to a folder that is not empty; they differ between systems. */
const TAKEN: ReadonlySet<string> = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);

function unwritable(folder: string, cause: unknown): FlagwrightError {
  return new FlagwrightError('file', `The lock ${folder} cannot be written.`, { cause });
}

/**
 * Listens on a Unix socket for as long as this process lives. Any process of the same kernel that reaches the folder can connect, even
 * from another container, where this process is not visible. Never rejects: where a socket is not possible, the process does not listen.
 */
async function listenFromHere(file: string): Promise<() => void> {
  const name = socketName(file);
  if (name === undefined) return () => undefined;
  const server = createServer((socket) => socket.destroy()).unref();
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve());
    server.listen(name, resolve);
  });
  return () => void server.close();
}

/** `unknown` where no process ever listened, or where connecting is not possible. */
async function askForLife(file: string): Promise<'alive' | 'gone' | 'unknown'> {
  const name = socketName(file);
  if (name === undefined) return 'unknown';
  return new Promise((resolve) => {
    const socket = createConnection(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? 'gone' : 'unknown'));
  });
}

/** The absolute name, or the relative one where that is too long, or none. */
function socketName(file: string): string | undefined {
  const names = [path.resolve(file), path.relative('', file)];
  return names.find((name) => Buffer.byteLength(name) <= LONGEST_NAME);
}

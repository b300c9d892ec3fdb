/** Writes the journal of one run: append-only, flushed to disk before each request, readable only by its owner. */

import { stringifyJson } from '../../base/json-text.ts';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { ApplyRecorder } from '../apply/recorder.ts';
import type { OutcomeCounts } from '../apply/result.ts';
import { defined } from '../../base/optional.ts';
import type { Plan } from '../../posthog/plan.ts';
import { planDocument } from '../../posthog/planning/plan-document.ts';
import { claimsAt, type Claims, type Release, acquireLock, type LockOptions } from './lock.ts';
import { flushFolder, exists } from '../disk.ts';
import { readOrder } from './run-order.ts';
import type { RunOrigin } from '../apply/origin.ts';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { JOURNAL_FORMAT_VERSION, type JournalRecord } from './record.ts';

export interface Journal extends ApplyRecorder {
  readonly run: string;
  readonly file: string;
  /** Closes the journal. Never rejects: a run without its last record reads as one that was cut off. */
  end(outcomes: OutcomeCounts | undefined): Promise<void>;
}

export interface JournalOptions {
  readonly folder: string;
  readonly origin?: RunOrigin;
  readonly now: () => Date;
  /** Returns 0 to below 1; distinguishes runs of the same millisecond. */
  readonly random: () => number;
  /** Sees the first record before it is written. If it throws, there is no journal. */
  readonly inspect?: (text: string) => void;
  /** Prevents other processes from resuming the run while it is active. */
  readonly lock?: LockOptions;
}

/**
 * A journal exists with its plan or not at all, and only while its run is locked or has ended.
 * @throws {FlagwrightError} `file` when the journal cannot be written; nothing was sent.
 */
export async function beginJournal(plan: Plan, options: JournalOptions): Promise<Journal> {
  const { now, random } = options;
  const time = now().toISOString().replaceAll(/[-:.]/g, '');
  const suffix = Math.floor(random() * 0x10000).toString(16);
  const run = `${time}-${suffix.padStart(4, '0')}`;
  const file = journalFile(options.folder, run);
  try {
    const made = await mkdir(options.folder, { recursive: true, mode: 0o700 });
    // Runs have payloads and e-mail addresses of people, which no commit should have.
    if (made !== undefined) await writeFile(path.join(made, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (cause) {
    throw unwritable(file, cause);
  }
  const at = options.now().toISOString();
  const about = { plan: planDocument(plan), ...defined({ origin: options.origin }) };
  const { heads: follows } = await readOrder(options.folder);
  const begun = { kind: 'begun', format_version: JOURNAL_FORMAT_VERSION, run, at, follows, ...about } as const;
  const text = `${stringifyJson(begun)}\n`;
  options.inspect?.(text);
  const release = await lockRun(run, options);
  try {
    const handle = await createJournal(file, text);
    return openJournal(run, file, { handle, release, now: options.now });
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Continues the journal of a run that was cut off.
 * @throws {FlagwrightError} `refused` while another process executes it, `file` when it cannot be written.
 */
export async function continueJournal(run: string, options: JournalOptions): Promise<Journal> {
  const file = journalFile(options.folder, run);
  const release = await lockRun(run, options);
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW).catch(
    async (cause: unknown) => {
      await release();
      throw unwritable(file, cause);
    },
  );
  const journal = openJournal(run, file, { handle, release, now: options.now });
  try {
    // A line that a crash truncated must not swallow the next one.
    journal.add('\n');
    await journal.append({ kind: 'resumed', at: options.now().toISOString() });
    return journal;
  } catch (error) {
    await journal.end(undefined);
    throw error;
  }
}

export function journalFile(folder: string, run: string): string {
  return path.join(folder, `${run}.jsonl`);
}

export function lockClaims(folder: string, run: string): Claims {
  return claimsAt(path.join(folder, `${run}.lock`));
}

function lockRun(run: string, { folder, lock }: JournalOptions): Promise<Release> {
  return lock === undefined ? Promise.resolve(() => Promise.resolve()) : acquireLock(lockClaims(folder, run), lock);
}

/**
 * Prepared under another name: a full disk or a crash leaves no journal without a plan. O_EXCL and the check before the
 * rename: an existing file or link is not ours.
 */
async function createJournal(file: string, text: string): Promise<FileHandle> {
  const draft = `${file}.draft`;
  let handle: FileHandle | undefined;
  try {
    handle = await open(draft, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND, 0o600);
    await handle.appendFile(text);
    await handle.datasync();
    if (await exists(file)) throw Object.assign(new Error(), { code: 'EEXIST' });
    await rename(draft, file);
    await flushFolder(path.dirname(file));
    return handle;
  } catch (cause) {
    await handle?.close();
    if (handle !== undefined) await rm(draft, { force: true });
    throw unwritable(file, cause);
  }
}

interface AppendingJournal extends Journal {
  append(record: JournalRecord): Promise<void>;
  add(text: string): void;
}

function openJournal(
  run: string,
  file: string,
  { handle, release, now }: { readonly handle: FileHandle; readonly release: Release; readonly now: () => Date },
): AppendingJournal {
  const { add, flush } = appender(file, handle);
  const append = (record: JournalRecord): Promise<void> => {
    add(`${stringifyJson(record)}\n`);
    return flush();
  };
  const at = (): string => now().toISOString();
  return {
    run,
    file,
    append,
    add,
    sending: ({ ref }) => append({ kind: 'sending', ref, at: at() }),
    settled({ ref }, result) {
      // Not flushed for itself: an outcome that a kill or a power failure takes is looked up again.
      add(`${stringifyJson({ kind: 'settled', ref, at: at(), result } satisfies JournalRecord)}\n`);
    },
    async end(outcomes) {
      const last = outcomes === undefined ? flush() : append({ kind: 'ended', at: at(), outcomes });
      await last.catch(() => undefined);
      await handle.close().catch(() => undefined);
      await release();
    },
  };
}

/**
 * `add` writes a text soon; what still waits for a busy disk is lost if this process is killed. `flush` resolves when all texts so far are on
 * the disk. Texts of one turn of the event loop, and those that wait while the disk is busy, are written together, and flushed at most once. After one
 * failure all later ones fail.
 */
function appender(
  file: string,
  handle: FileHandle,
): { readonly add: (text: string) => void; readonly flush: () => Promise<void> } {
  let waiting = '';
  let isFlushed = false;
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const [text, flushed] = [waiting, isFlushed];
    [waiting, isFlushed, next] = ['', false, undefined];
    try {
      if (text !== '') await handle.appendFile(text);
      if (flushed) await handle.datasync();
    } catch (cause) {
      throw unwritable(file, cause);
    }
  };
  const schedule = (): Promise<void> => {
    next ??= last = Promise.all([last, turn()]).then(write);
    return next;
  };
  return {
    add: (text) => {
      waiting += text;
      schedule().catch(() => undefined);
    },
    flush: () => {
      isFlushed = true;
      return schedule();
    },
  };
}

function unwritable(file: string, cause: unknown): FlagwrightError {
  return new FlagwrightError('file', `The journal ${file} cannot be written (${systemCode(cause)}).`, {
    remedy: 'Free disk space or choose a writable folder. --no-journal runs without a journal, resume and undo.',
    cause,
  });
}

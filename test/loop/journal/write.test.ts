/** How a journal begins, continues and ends: never without its plan, and locked while it is written. */

import { mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LockOptions } from '../../../src/loop/journal/lock.ts';
import { heldClaim } from '../../../src/loop/journal/lock.ts';
import { readRun } from '../../../src/loop/journal/read.ts';
import {
  beginJournal,
  continueJournal,
  journalFile,
  lockClaims,
  type JournalOptions,
} from '../../../src/loop/journal/write.ts';
import type { Change } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveState, planFor } from '../../helpers/states.ts';
import { until } from '../../helpers/until.ts';

let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'flagwright-write-')), 'journal');
});
afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

const RUN = '20260102T030405006Z-00ff';
const plan = planFor(desiredState(declared('a')), liveState([]));
const [change] = plan.changes as [Change];
const lock: LockOptions = { holder: { pid: 7, host: 'here' }, isAlive: () => true };
const NONE = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 };

function options(more: Partial<JournalOptions> = {}): JournalOptions {
  return { folder, now: () => new Date('2026-01-02T03:04:05.006Z'), random: () => 0xff / 0x10000, lock, ...more };
}

const isLocked = async (): Promise<boolean> => (await heldClaim(lockClaims(folder, RUN), lock)) !== undefined;
const lines = async (): Promise<string[]> => (await readFile(journalFile(folder, RUN), 'utf8')).split('\n');

describe('a new journal', () => {
  it('is ignored by git in a folder that it makes, and leaves another folder as it is', async () => {
    const one = await beginJournal(plan, options());
    expect(await readFile(path.join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    await rm(path.join(folder, '.gitignore'));
    const other = await beginJournal(plan, options({ random: () => 0.5 }));
    expect(await readdir(folder)).not.toContain('.gitignore');
    await Promise.all([one.end(undefined), other.end(undefined)]);
  });

  it('is named by its time, holds its plan, and is locked until it ends', async () => {
    const journal = await beginJournal(plan, options());
    expect(journal).toMatchObject({ run: RUN, file: path.join(folder, `${RUN}.jsonl`) });
    expect((await readRun(folder, RUN)).plan).toEqual(plan);
    expect((await readdir(folder)).toSorted()).toEqual(['.gitignore', `${RUN}.jsonl`, `${RUN}.lock.1`]);
    expect(await isLocked()).toBe(true);
    await journal.end(NONE);
    expect((await readdir(folder)).toSorted()).toEqual(['.gitignore', `${RUN}.jsonl`]);
    expect(JSON.parse((await lines())[1] ?? '')).toEqual({
      kind: 'ended',
      at: '2026-01-02T03:04:05.006Z',
      outcomes: NONE,
    });
  });

  it('has a name of its own in the same millisecond', async () => {
    const one = await beginJournal(plan, options());
    const other = await beginJournal(plan, options({ random: () => 0.5 }));
    expect(other.run).toBe('20260102T030405006Z-8000');
    await Promise.all([one.end(undefined), other.end(undefined)]);
  });

  it.each<[string, string, (file: string) => Promise<unknown>, string]>([
    ['a journal', 'its own name', (file) => writeFile(file, 'theirs'), 'EEXIST'],
    ['a link', 'its own name', (file) => symlink('/nowhere', file), 'EEXIST'],
    ['a file', 'the name of its draft', (file) => writeFile(`${file}.draft`, 'theirs'), 'EEXIST'],
    ['a link', 'the name of its draft', (file) => symlink('/nowhere', `${file}.draft`), 'EEXIST'],
  ])('does not overwrite %s that has %s, and leaves no files', async (_what, _name, make, code) => {
    await mkdir(folder);
    await make(journalFile(folder, RUN));
    const before = await readdir(folder);
    await expect(beginJournal(plan, options())).rejects.toMatchObject({
      code: 'file',
      message: `The journal ${journalFile(folder, RUN)} cannot be written (${code}).`,
      remedy: expect.stringContaining('--no-journal') as string,
      cause: expect.objectContaining({ code }) as Error,
    });
    expect(await readdir(folder)).toEqual(before);
    expect(await isLocked()).toBe(false);
  });

  it('is refused when its folder cannot be created', async () => {
    await writeFile(folder, '');
    await expect(beginJournal(plan, options())).rejects.toMatchObject({
      code: 'file',
      message: expect.stringContaining('cannot be written (EEXIST)') as string,
    });
  });

  it('is not begun while its lock is held', async () => {
    const journal = await beginJournal(plan, options());
    await expect(beginJournal(plan, options())).rejects.toMatchObject({ code: 'refused' });
    await journal.end(undefined);
  });
});

describe('a journal that is continued', () => {
  it('says so after the truncated line, and is locked', async () => {
    await (await beginJournal(plan, options())).end(undefined);
    await writeFile(journalFile(folder, RUN), '{"kind":"sen', { flag: 'a' });
    const journal = await continueJournal(RUN, options());
    expect(await isLocked()).toBe(true);
    await expect(continueJournal(RUN, options())).rejects.toMatchObject({ code: 'refused' });
    await journal.end(undefined);
    expect(await isLocked()).toBe(false);
    expect((await lines()).slice(1)).toEqual([
      '{"kind":"sen',
      '{"kind":"resumed","at":"2026-01-02T03:04:05.006Z"}',
      '',
    ]);
  });

  it('is not created when it does not exist, and its lock is released', async () => {
    await mkdir(folder);
    await expect(continueJournal(RUN, options())).rejects.toMatchObject({
      code: 'file',
      message: expect.stringContaining('(ENOENT)') as string,
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('records', () => {
  it('that are made together are flushed together, and a write is on the disk before it is sent', async () => {
    const journal = await beginJournal(plan, options());
    const flushes = await countFlushes(journal.file);
    await Promise.all(Array.from({ length: 10 }, () => journal.sending(change)));
    expect([flushes(), (await kinds()).join(' ')]).toEqual([1, 'begun'.concat(' sending'.repeat(10))]);
    journal.settled(change, { outcome: 'applied' });
    await journal.sending(change);
    expect([flushes(), (await kinds()).slice(-2)]).toEqual([2, ['settled', 'sending']]);
    await journal.end(NONE);
    expect([flushes(), (await kinds()).slice(-1)]).toEqual([3, ['ended']]);
  });

  it('of outcomes are written without a flush of their own', async () => {
    const journal = await beginJournal(plan, options());
    const flushes = await countFlushes(journal.file);
    journal.settled(change, { outcome: 'applied' });
    await until(async () => expect(await kinds()).toContain('settled'));
    expect(flushes()).toBe(0);
    await journal.end(undefined);
    expect(flushes()).toBe(1);
  });

  const kinds = async (): Promise<unknown[]> =>
    (await lines()).filter((line) => line !== '').map((line) => (JSON.parse(line) as { kind: unknown }).kind);
});

/** Counts the flushes of all open files from now on. */
async function countFlushes(file: string): Promise<() => number> {
  const handle = await open(file);
  const flush = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
  onTestFinished(() => flush.mockRestore());
  await handle.close();
  return () => flush.mock.calls.length;
}

describe('a journal that becomes unwritable', () => {
  it('fails every record from then on, and still ends', async () => {
    const journal = await beginJournal(plan, options());
    await journal.end(undefined);
    const words = `The journal ${journal.file} cannot be written`;
    await expect(journal.sending(change)).rejects.toMatchObject({
      code: 'file',
      message: expect.stringContaining(words) as string,
    });
    await expect(journal.sending(change)).rejects.toMatchObject({ code: 'file' });
    journal.settled(change, { outcome: 'applied' });
    await journal.end(NONE);
    expect(await lines()).toHaveLength(2);
  });
});

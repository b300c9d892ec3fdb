import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, isHeld, type LockOptions } from '../../src/journal/lock.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'flaghoist-lock-'));
  file = path.join(folder, 'run.lock');
});
afterEach(() => rm(folder, { recursive: true }));

const ours: LockOptions = { pid: 7, host: 'here', isAlive: (pid) => pid === 7 };

describe('the lock of a run', () => {
  it('is held by one process at a time, and given back', async () => {
    const release = await acquireLock(file, ours);
    await expect(acquireLock(file, ours)).rejects.toMatchObject({ code: 'refused' });
    await release();
    await (
      await acquireLock(file, ours)
    )();
    expect(await isHeld(file, ours)).toBe(false);
  });

  it.each([
    ['a process that is there', { pid: 7, host: 'here' }, true],
    ['a process that is gone', { pid: 8, host: 'here' }, false],
    ['a process of another machine', { pid: 8, host: 'there' }, true],
  ])('of %s', async (_name, holder, held) => {
    await writeFile(file, JSON.stringify(holder));
    expect(await isHeld(file, ours)).toBe(held);
    if (held) await expect(acquireLock(file, ours)).rejects.toThrow('another process');
    else await acquireLock(file, ours);
  });

  it.each(['', '{"pid"', '[]', '{"pid":"7"}'])("that reads %j is nobody's", async (text) => {
    await writeFile(file, text);
    await acquireLock(file, ours);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ pid: 7, host: 'here' });
  });
});

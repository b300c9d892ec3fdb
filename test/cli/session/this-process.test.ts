import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isSameLife, thisProcess, type Processes } from '../../../src/cli/session/this-process.ts';
import type { ClaimHolder } from '../../../src/loop/journal/lock.ts';

const OWN: ClaimHolder = { pid: 1, host: 'here', boot: 'today', namespace: 'pid:[1]', started: '500' };
/** 1 is this process, 20 is another one, 21 is a zombie. */
const processes: Processes = {
  exists: (pid) => pid <= 21,
  startOf: (pid) => ({ 1: '500', 20: '700', 21: 'ended' })[pid],
};
/** A system that reports only which processes exist. */
const silent: Processes = { exists: processes.exists, startOf: () => undefined };

describe('a process that is recorded', () => {
  it.each<[string, Partial<ClaimHolder>, boolean | 'unseen']>([
    ['is alive if it is this one', {}, true],
    ['is dead if this one has its id', { started: '400' }, false],
    ['is dead if this one has its id after a restart of the host', { boot: 'yesterday' }, false],
    [
      'is dead if the host was restarted, whichever process has its id now',
      { pid: 20, started: '700', boot: 'x' },
      false,
    ],
    ['is alive if it exists', { pid: 20, started: '700' }, true],
    ['is dead if another one has its id', { pid: 20, started: '600' }, false],
    ['is dead if no process has its id', { pid: 99, started: '700' }, false],
    ['is dead if it is a zombie', { pid: 21, started: '700' }, false],
    ['cannot be seen in another container', { pid: 99, namespace: 'pid:[2]' }, 'unseen'],
    ['is dead with its container if the host was restarted', { boot: 'x', namespace: 'pid:[2]' }, false],
  ])('%s', (_name, other, lives) => {
    expect(isSameLife({ ...OWN, ...other }, OWN, processes)).toBe(lives);
  });

  it.each<[string, ClaimHolder, ClaimHolder, boolean]>([
    ['the same number', { pid: 1, host: 'here' }, OWN, true],
    ['a number that is in use', { pid: 20, host: 'here' }, OWN, true],
    ['a number that is not in use', { pid: 99, host: 'here' }, OWN, false],
    ['our own number and another start', { pid: 1, host: 'here', started: '400' }, { ...OWN, boot: '' }, false],
    ['more than we know of ourselves', OWN, { pid: 1, host: 'here' }, true],
  ])('on a system that reports little, with %s', (_name, other, own, lives) => {
    expect(isSameLife(other, own, silent)).toBe(lives);
  });
});

describe('this process', () => {
  it('identifies itself, and is alive', () => {
    const { holder, isAlive } = thisProcess();
    expect(holder).toMatchObject({ pid: process.pid, host: hostname() });
    expect(thisProcess().holder).toEqual(holder);
    expect(isAlive(holder)).toBe(true);
    expect(isAlive({ ...holder, started: 'another time' })).toBe(false);
  });

  it.runIf(process.platform === 'linux')('knows when it was started, in which boot and in which container', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    expect(thisProcess().holder).toMatchObject({
      boot: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      namespace: expect.stringMatching(/^pid:\[\d+\]$/) as string,
      started: stat[19],
    });
  });

  it('sees other processes live and die', async () => {
    const { holder, isAlive } = thisProcess();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const other: ClaimHolder = { pid: child.pid ?? 0, host: holder.host };
    expect(isAlive(other)).toBe(true);
    expect(isAlive({ ...other, boot: 'another' })).toBe(holder.boot === undefined);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(other)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('takes one that was killed and not waited for as gone', async () => {
    // `sleep` takes the shell's place before the shell's child is killed, and never waits for it.
    const script = 'sleep 60 & echo $!; exec sleep 60';
    const parent = spawn('bash', ['--norc', '-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [text] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie: ClaimHolder = { ...thisProcess().holder, pid: Number(text.toString()), started: 'unknown' };
    const { started: _, ...unnamed } = zombie;
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    process.kill(zombie.pid, 'SIGKILL');
    await expect.poll(() => readFileSync(`/proc/${zombie.pid}/stat`, 'utf8')).toContain(' Z ');
    expect(thisProcess().isAlive(unnamed)).toBe(false);
    parent.kill('SIGKILL');
  });
});

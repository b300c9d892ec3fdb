import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  claimsAt,
  type Claims,
  type ClaimHolder,
  acquireLock,
  heldClaim,
  type LockOptions,
} from '../../../src/loop/journal/lock.ts';
import { holdsAsync } from '../../helpers/runs.ts';

let folder: string;
let file: string;
let claims: Claims;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'flagwright-lock-'));
  file = path.join(folder, 'run.lock');
  claims = claimsAt(file);
});
afterEach(() => rm(folder, { recursive: true }));

const OURS: ClaimHolder = { pid: 7, host: 'here' };
const ours: LockOptions = { holder: OURS, isAlive: ({ pid }) => pid === 7 };
const DEAD: ClaimHolder = { pid: 8, host: 'here' };

async function claim(generation: number, text: string): Promise<void> {
  await mkdir(`${file}.${generation}`);
  await writeFile(path.join(`${file}.${generation}`, 'holder.json'), text);
}

const isHeld = async (of: Claims, options: LockOptions): Promise<boolean> =>
  (await heldClaim(of, options)) !== undefined;

describe('the lock of a run', () => {
  it('is held by one process at a time, and its release leaves no files', async () => {
    const release = await acquireLock(claims, ours);
    expect(await isHeld(claims, ours)).toBe(true);
    await expect(acquireLock(claims, ours)).rejects.toMatchObject({
      code: 'refused',
      message: 'Another process is executing this run; nothing was sent.',
      remedy: expect.stringContaining(`remove ${file}.1.`) as string,
    });
    expect(await readdir(folder)).toEqual(['run.lock.1']);
    await release();
    expect(await readdir(folder)).toEqual([]);
    expect(await isHeld(claims, ours)).toBe(false);
    await release();
    await (
      await acquireLock(claims, ours)
    )();
  });

  it.each([
    ['a live process', OURS, true],
    ['a dead process', DEAD, false],
    ['a process on another host', { pid: 8, host: 'there' }, true],
  ])('of %s', async (_name, holder, held) => {
    await claim(1, JSON.stringify(holder));
    expect(await isHeld(claims, ours)).toBe(held);
    if (held) await expect(acquireLock(claims, ours)).rejects.toThrow('Another process');
    else await acquireLock(claims, ours);
    expect(await isHeld(claims, ours)).toBe(true);
  });

  it('is decided by its last claim', async () => {
    await claim(1, JSON.stringify({ pid: 8, host: 'there' }));
    await claim(2, JSON.stringify(DEAD));
    const release = await acquireLock(claims, ours);
    expect((await readdir(folder)).toSorted()).toEqual(['run.lock.1', 'run.lock.2', 'run.lock.3']);
    expect(await heldClaim(claims, ours)).toBe(`${file}.3`);
    await expect(acquireLock(claims, ours)).rejects.toMatchObject({
      remedy: expect.stringContaining('run.lock.3') as string,
    });
    await release();
    expect((await readdir(folder)).toSorted()).toEqual(['run.lock.1', 'run.lock.2']);
    expect(await isHeld(claims, ours)).toBe(false);
  });

  it('records what distinguishes two processes with one id, and compares it', async () => {
    const holder: ClaimHolder = { pid: 7, host: 'here', boot: 'b', namespace: 'n', started: 's' };
    await acquireLock(claims, { ...ours, holder });
    expect(JSON.parse(await readFile(path.join(`${file}.1`, 'holder.json'), 'utf8'))).toEqual(holder);
    const asked: ClaimHolder[] = [];
    await isHeld(claims, { holder: OURS, isAlive: (other) => asked.push(other) > 0 });
    expect(asked).toEqual([holder]);
  });

  it.each(['', '{"pid"', '[]', '"7"', '{"pid":"7","host":"here"}', '{"pid":7}'])(
    'with the content %j has an unknown holder and has to be removed by hand',
    async (text) => {
      await claim(1, text);
      expect(await isHeld(claims, ours)).toBe(true);
      await expect(acquireLock(claims, ours)).rejects.toThrow('Another process');
      await rm(`${file}.1`, { recursive: true });
      await acquireLock(claims, ours);
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['a file', () => writeFile(`${file}.1`, JSON.stringify(DEAD))],
    ['a folder without a holder', () => mkdir(path.join(`${file}.1`, 'x'), { recursive: true })],
    ['a link to nowhere', () => symlink('nowhere', `${file}.1`)],
  ])('that is %s is not taken over', async (_name, make) => {
    await make();
    await expect(acquireLock(claims, ours)).rejects.toMatchObject({ code: 'refused' });
    expect(await readdir(folder)).toEqual(['run.lock.1']);
  });

  it('follows no link to a holder', async () => {
    await writeFile(path.join(folder, 'elsewhere'), JSON.stringify(DEAD));
    await mkdir(`${file}.1`);
    await symlink('../elsewhere', path.join(`${file}.1`, 'holder.json'));
    expect(await isHeld(claims, ours)).toBe(true);
  });

  it.runIf(process.platform !== 'win32')('of a process that is not visible is checked through its socket', async () => {
    const unseen: LockOptions = { holder: OURS, isAlive: () => 'unseen' };
    await claim(1, JSON.stringify(DEAD));
    expect(await claims.ask(1)).toBe('unknown');
    expect(await isHeld(claims, unseen)).toBe(true);
    await rm(`${file}.1`, { recursive: true });

    const release = await acquireLock(claims, ours);
    expect((await readdir(`${file}.1`)).toSorted()).toEqual(['alive', 'holder.json']);
    expect(await claims.ask(1)).toBe('alive');
    await expect(acquireLock(claims, unseen)).rejects.toMatchObject({ code: 'refused' });
    await release();
    expect(await claims.ask(1)).toBe('unknown');
    expect(await readdir(folder)).toEqual([]);

    const script = `require('node:net').createServer().listen(${JSON.stringify(`${file}.1/alive`)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await claim(1, JSON.stringify(DEAD));
    spawnSync(process.execPath, ['-e', script]);
    expect(await claims.ask(1)).toBe('gone');
    await acquireLock(claims, unseen);
  });

  it('is held without a socket where the name is too long for one', async () => {
    const deep = path.join(folder, 'x'.repeat(120));
    await mkdir(deep);
    const long = claimsAt(path.join(deep, 'run.lock'));
    const release = await acquireLock(long, ours);
    expect(await readdir(path.join(deep, 'run.lock.1'))).toEqual(['holder.json']);
    expect(await long.ask(1)).toBe('unknown');
    await release();
    expect(await readdir(deep)).toEqual([]);
  });

  it('cannot be taken in a folder that is not writable, and says so', async () => {
    const nowhere = claimsAt(path.join(folder, 'missing', 'run.lock'));
    expect(await isHeld(nowhere, ours)).toBe(false);
    await expect(acquireLock(nowhere, ours)).rejects.toMatchObject({
      code: 'file',
      message: expect.stringContaining('run.lock.1 cannot be written') as string,
    });
  });

  it('gives up on a claim that other processes keep taking', async () => {
    let published = 0;
    const contested: Claims = {
      ...claims,
      read: () => Promise.resolve('none'),
      publish: () => Promise.resolve(void (published += 1)),
    };
    await expect(acquireLock(contested, ours)).rejects.toMatchObject({ code: 'refused' });
    expect(published).toBe(10);
  });

  it('reads a claim again that was withdrawn while it was read', async () => {
    let reads = 0;
    const read: Claims['read'] = () => Promise.resolve((reads += 1) === 1 ? 'unreadable' : 'none');
    expect(await isHeld({ ...claims, read }, ours)).toBe(false);
  });
});

/** Claims in memory: each operation is atomic and waits for its turn, which the scheduler gives in any order. */
function claimsInMemory(scheduler: fc.Scheduler, stored: Map<number, ClaimHolder>): Claims {
  const turn = <T>(operation: () => T): Promise<T> => scheduler.schedule(Promise.resolve()).then(operation);
  return {
    nameOf: String,
    ask: () => turn(() => 'unknown'),
    read: (generation) => turn(() => stored.get(generation) ?? 'none'),
    publish: (generation, holder) =>
      turn(() => {
        if (stored.has(generation)) return undefined;
        stored.set(generation, holder);
        return () => turn(() => void stored.delete(generation));
      }),
  };
}

describe('processes that take a lock in any order', () => {
  it('never hold it together, and one gets it, whichever processes were killed before or in between', async () => {
    const taker = fc.record({ dies: fc.boolean(), again: fc.nat(2) });
    await holdsAsync(
      400,
      [fc.scheduler(), fc.nat(2), fc.array(taker, { minLength: 2, maxLength: 4 })],
      async (scheduler, killed, takers) => {
        const stored = new Map<number, ClaimHolder>();
        for (let pid = 1; pid <= killed; pid += 1) stored.set(pid, { pid, host: 'here' });
        const memory = claimsInMemory(scheduler, stored);
        const living = new Set(takers.map((_, index) => 100 + index));
        const holding = new Set<number>();
        let won = 0;
        const take = async ({ dies, again }: { dies: boolean; again: number }, index: number): Promise<void> => {
          const pid = 100 + index;
          const options: LockOptions = { holder: { pid, host: 'here' }, isAlive: (other) => living.has(other.pid) };
          for (let round = 0; round <= again; round += 1) {
            const release = await acquireLock(memory, options).catch(() => undefined);
            if (release === undefined) continue;
            won += 1;
            holding.add(pid);
            expect([...holding]).toEqual([pid]);
            await scheduler.schedule(Promise.resolve());
            expect([...holding]).toEqual([pid]);
            holding.delete(pid);
            if (dies) return void living.delete(pid);
            await release();
          }
        };
        const all = Promise.all(takers.map(take));
        await scheduler.waitFor(all);
        expect(won).toBeGreaterThan(0);
        const claimed = [...stored.keys()].toSorted((a, b) => a - b);
        expect(claimed).toEqual(claimed.map((_, index) => index + 1));
      },
    );
  });
});

/** Claims in a real folder: each number belongs to one process, and a claim that cannot be read does not count as free. */

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimsAt, type Claims, type ClaimHolder } from '../../../src/loop/journal/lock.ts';
import { asOrdinaryUser } from '../../helpers/ordinary-user.ts';

const OURS: ClaimHolder = { pid: 1, host: 'here', boot: 'b', namespace: 'n', started: 's' };
const THEIRS: ClaimHolder = { pid: 2, host: 'there' };

let folder: string;
let claims: Claims;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'claims-'));
  claims = claimsAt(path.join(folder, 'run.lock'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const plant = (holder: string): void => {
  mkdirSync(claims.nameOf(1));
  writeFileSync(path.join(claims.nameOf(1), 'holder.json'), holder);
};

describe('a claim', () => {
  test('can be read by any process, with the facts that identify its process', async () => {
    expect(await claims.read(1)).toBe('none');
    await claims.publish(1, OURS);
    expect(await claims.read(1)).toEqual(OURS);
    expect(await claims.read(2)).toBe('none');
  });

  test('belongs to the first process that publishes it, and the second leaves no files', async () => {
    await claims.publish(1, OURS);
    expect(await claims.publish(1, THEIRS)).toBeUndefined();
    expect(await claims.read(1)).toEqual(OURS);
    expect(readdirSync(folder)).toEqual(['run.lock.1']);
  });

  test('is free again after its release, and leaves no files', async () => {
    const release = await claims.publish(1, OURS);
    await release?.();
    expect(readdirSync(folder)).toEqual([]);
    expect(await claims.read(1)).toBe('none');
    expect(await claims.publish(1, THEIRS)).toBeDefined();
    expect(await claims.read(1)).toEqual(THEIRS);
  });

  test('is released without an error after it was removed by hand', async () => {
    const release = await claims.publish(1, OURS);
    rmSync(claims.nameOf(1), { recursive: true });
    await expect(release?.()).resolves.toBeUndefined();
  });

  test('does not replace an existing file', async () => {
    writeFileSync(claims.nameOf(1), 'mine');
    expect(await claims.publish(1, OURS)).toBeUndefined();
    expect(readFileSync(claims.nameOf(1), 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['run.lock.1']);
  });
});

describe('a claim that cannot be read does not count as free', () => {
  test.each([
    ['not JSON'],
    ['[]'],
    ['null'],
    ['{}'],
    ['{"pid":"1","host":"here"}'],
    ['{"pid":1}'],
    ['{"pid":1,"host":2}'],
  ])('%s', async (holder) => {
    plant(holder);
    expect(await claims.read(1)).toBe('unreadable');
  });

  test('an empty folder, a file and a link to a holder', async () => {
    mkdirSync(claims.nameOf(1));
    writeFileSync(claims.nameOf(2), '');
    mkdirSync(claims.nameOf(3));
    writeFileSync(path.join(folder, 'elsewhere.json'), JSON.stringify(OURS));
    symlinkSync(path.join(folder, 'elsewhere.json'), path.join(claims.nameOf(3), 'holder.json'));
    expect([await claims.read(1), await claims.read(2), await claims.read(3)]).toEqual([
      'unreadable',
      'unreadable',
      'unreadable',
    ]);
  });

  test('only strings identify a process', async () => {
    plant('{"pid":7,"host":"h","boot":1,"namespace":null,"started":"s"}');
    expect(await claims.read(1)).toEqual({ pid: 7, host: 'h', started: 's' });
  });
});

test('a folder that cannot be written is an error that names the lock', async () => {
  chmodSync(folder, 0o500);
  await asOrdinaryUser(folder, async () => {
    await expect(claims.publish(1, OURS)).rejects.toMatchObject({
      code: 'file',
      message: expect.stringContaining('run.lock.1') as string,
    });
  });
  chmodSync(folder, 0o700);
});

test('a missing folder is an error that names the lock', async () => {
  rmSync(folder, { recursive: true });
  await expect(claims.publish(1, OURS)).rejects.toMatchObject({
    code: 'file',
    message: `The lock ${claims.nameOf(1)} cannot be written.`,
    cause: { code: 'ENOENT' },
  });
});

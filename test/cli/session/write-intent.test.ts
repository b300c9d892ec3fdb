/** Which records of unfinished writes are believed, and what is said of the others. */

import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { awaitEnd, digestOf, findRecords, recordIntent } from '../../../src/cli/session/write-intent.ts';
import { onDisk } from '../../helpers/disk.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const ID = '00000000-0000-4000-8000-000000000000';
const NAME = `.flagwright-writes-${ID}`;
const HOLDER = { pid: 7, host: 'here' };
const GONE = { life: { holder: HOLDER, isAlive: () => false } } as const;
const FILES = [{ file: 'x/a.yaml', before: 'B', after: 'A' }];
const VALID = { format_version: '1.0', holder: HOLDER, files: FILES, folders: ['x'] };

const recordIn = ({ root }: Workspace, name = NAME): string => path.join(root, name);

/** A record as a process left it. */
function recorded(value: object | string, name = NAME): Workspace {
  const workspace = createWorkspace({ [name]: typeof value === 'string' ? value : JSON.stringify(value) });
  chmodSync(recordIn(workspace, name), 0o600);
  return workspace;
}

test('what is recorded is read, and only its owner may read it', async () => {
  const workspace = createWorkspace();
  const inside = (name: string): string => path.join(workspace.root, name);
  const files = [
    { target: inside('x/a.yaml'), before: digestOf('old'), after: digestOf('new') },
    { target: inside('b.yaml'), after: digestOf('new') },
  ];
  const intent = { folder: workspace.root, id: ID, files, folders: [inside('x'), inside('x/y')] };
  await recordIntent(intent, HOLDER);
  expect(statSync(recordIn(workspace)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(workspace.read(NAME))).toMatchObject({
    format_version: '1.0',
    files: [{ file: 'x/a.yaml' }, { file: 'b.yaml' }],
    folders: ['x', 'x/y'],
  });
  expect(await awaitEnd(recordIn(workspace), GONE)).toEqual(intent);
});

test('records are files of the name alone, in a folder that may be absent', async () => {
  const workspace = createWorkspace(
    Object.fromEntries(
      [NAME, `${NAME}.ended`, `${NAME}.other`, `a${NAME}`, '.flagwright-writes-1'].map((name) => [name, '']),
    ),
  );
  expect((await findRecords(workspace.root)).toSorted()).toEqual([
    recordIn(workspace),
    recordIn(workspace, `${NAME}.ended`),
  ]);
  expect(await findRecords(path.join(workspace.root, 'absent'))).toEqual([]);
  expect(await awaitEnd(path.join(workspace.root, 'absent'), GONE)).toBeUndefined();
});

test.each<[string, object]>([
  ['another version', { format_version: '1.1' }],
  ['an absolute file', { files: [{ file: '/etc/passwd', after: 'A' }] }],
  ['a file above', { files: [{ file: '..', after: 'A' }] }],
  ['a file beside', { files: [{ file: 'x/../../b', after: 'A' }] }],
  ['the folder itself', { files: [{ file: 'x/..', after: 'A' }] }],
  ['a file without a name', { files: [{ after: 'A' }] }],
  ['a file without a new text', { files: [{ file: 'a' }] }],
  ['a folder above', { folders: ['../x'] }],
  ['a folder that is a number', { folders: [1] }],
])('a record with %s is not ours', async (_, more) => {
  const workspace = recorded({ ...VALID, ...more });
  const record = recordIn(workspace);
  await expect(awaitEnd(record, GONE)).rejects.toMatchObject({
    code: 'refused',
    message: `${record} says that files here are incomplete, but flagwright may not have written it.`,
    remedy: 'If a flagwright of this version wrote it for you, make it private (chmod 600); otherwise remove it.',
  });
});

test('names that only look like those above are inside, and a former text that is none is left out', async () => {
  const workspace = recorded({ ...VALID, files: [{ file: '..a', before: 1, after: 'A' }, 'x'] });
  const intent = await awaitEnd(recordIn(workspace), GONE);
  expect(intent?.files).toEqual([{ target: path.join(workspace.root, '..a'), after: 'A' }]);
});

test.skipIf(process.getuid === undefined)(
  'a record of another user, for others, or that is no file is not ours',
  async () => {
    const userId = process.getuid?.() ?? 0;
    const workspace = recorded(VALID);
    expect(await awaitEnd(recordIn(workspace), { ...GONE, userId })).toMatchObject({ id: ID });
    await expect(awaitEnd(recordIn(workspace), { ...GONE, userId: userId + 1 })).rejects.toThrow(
      'may not have written it',
    );
    for (const mode of [0o640, 0o604]) {
      chmodSync(recordIn(workspace), mode);
      await expect(awaitEnd(recordIn(workspace), { ...GONE, userId })).rejects.toThrow('may not have written it');
      expect(await awaitEnd(recordIn(workspace), GONE)).toMatchObject({ id: ID });
    }
    const other = createWorkspace();
    symlinkSync(recordIn(workspace), recordIn(other));
    await expect(awaitEnd(recordIn(other), GONE)).rejects.toThrow('may not have written it');
    const folder = createWorkspace();
    mkdirSync(recordIn(folder));
    await expect(awaitEnd(recordIn(folder), GONE)).rejects.toThrow('may not have written it');
  },
);

test('a record that stays damaged was begun by a process that wrote nothing, and goes', async () => {
  const damaged = [
    '',
    '[]',
    '{"format_version":"1.0"',
    { ...VALID, holder: 1 },
    { ...VALID, files: {} },
    { ...VALID, folders: 'x' },
  ];
  const ended = damaged.map(async (value) => {
    const workspace = recorded(value);
    return [await awaitEnd(recordIn(workspace), GONE), readdirSync(workspace.root)];
  });
  expect(await Promise.all(ended)).toEqual(damaged.map(() => [undefined, []]));
});

test('a live process is waited for, and one that cannot be seen has a way out', async () => {
  const workspace = recorded(VALID);
  const record = recordIn(workspace);
  const alive = awaitEnd(record, { life: { holder: HOLDER, isAlive: () => true } });
  const unseen = awaitEnd(record, { life: { holder: HOLDER, isAlive: () => 'unseen' } });
  const elsewhere = awaitEnd(record, { life: { holder: { ...HOLDER, host: 'there' }, isAlive: () => false } });
  const message = `Process 7 on here is writing files in ${workspace.root}.`;
  const wayOut = `Wait for it to end. If that process no longer exists: mv ${record} ${record}.ended, and run the command again.`;
  const remedies = ['Wait for it to end, and run the command again.', wayOut, wayOut];
  const found = await Promise.all([alive, unseen, elsewhere].map((one) => one.catch((error: unknown) => error)));
  expect(found).toMatchObject(remedies.map((remedy) => ({ code: 'refused', message, remedy })));
  let asked = 0;
  const isAlive = (): boolean => (asked += 1) < 3;
  expect(await awaitEnd(record, { life: { holder: HOLDER, isAlive } })).toMatchObject({ id: ID });
  const given = recorded(VALID, `${NAME}.ended`);
  const life = { holder: HOLDER, isAlive: () => true };
  expect(await awaitEnd(recordIn(given, `${NAME}.ended`), { life })).toMatchObject({ id: ID });
});

test('a record that cannot be read is said to be, and one that goes meanwhile is none', async () => {
  const workspace = recorded(VALID);
  const record = recordIn(workspace);
  const failing = async (code: string): Promise<unknown> =>
    (await onDisk(async () => awaitEnd(record, GONE), 2, { kind: 'error', code, stays: false })).error;
  expect(await failing('EIO')).toMatchObject({ code: 'file', message: `Cannot read ${record}: EIO.` });
  expect(await failing('ENOENT')).toBeUndefined();
});

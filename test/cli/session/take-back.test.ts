/** Which files of an interrupted command are restored, which are left, and what is said of each. */

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeBack, takeBackUnfinished, takenBackText } from '../../../src/cli/session/take-back.ts';
import {
  backupOf,
  digestOf,
  draftOf,
  findRecords,
  recordIntent,
  recordOf,
  type Intent,
} from '../../../src/cli/session/write-intent.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const GONE = { holder: { pid: 1, host: 'here' }, isAlive: () => false } as const;
const ID = '00000000-0000-4000-8000-000000000000';

/** An intent to change `a.yaml` from `old` to `new`. */
function intentIn({ root }: Workspace, more: Partial<Intent['files'][number]> = {}): Intent {
  const target = path.join(root, 'a.yaml');
  return {
    ...{ folder: root, id: ID, folders: [] },
    files: [{ target, before: digestOf('old'), after: digestOf('new'), ...more }],
  };
}

const DRAFT = '.a.yaml.00000000-0000-4000-8000-000000000000.tmp';
const BACKUP = '.a.yaml.00000000-0000-4000-8000-000000000000.bak';

type Files = Readonly<Record<string, string>>;

function filesIn({ root, read }: Workspace): Files {
  return Object.fromEntries(readdirSync(root).map((name) => [name, read(name)]));
}

test('drafts, backups and records have names of their own beside the file', () => {
  expect(draftOf('/w/flags/a.yaml', 'ID')).toBe('/w/flags/.a.yaml.ID.tmp');
  expect(backupOf('/w/flags/a.yaml', 'ID')).toBe('/w/flags/.a.yaml.ID.bak');
  expect(recordOf({ folder: '/w', id: 'ID' })).toBe('/w/.flagwright-writes-ID');
});

describe('one file', () => {
  test.each<[string, Files, after: Files, left: boolean | string]>([
    ['with its draft', { 'a.yaml': 'old', [DRAFT]: 'new' }, { 'a.yaml': 'old' }, false],
    ['with its draft and its backup', { 'a.yaml': 'old', [DRAFT]: 'new', [BACKUP]: 'old' }, { 'a.yaml': 'old' }, false],
    ['that was replaced', { 'a.yaml': 'new', [BACKUP]: 'old' }, { 'a.yaml': 'old' }, false],
    ['that was restored already', { 'a.yaml': 'old', [BACKUP]: 'old' }, { 'a.yaml': 'old' }, false],
    [
      'edited before it was replaced',
      { 'a.yaml': 'mine', [DRAFT]: 'new', [BACKUP]: 'old' },
      { 'a.yaml': 'mine' },
      true,
    ],
    [
      'that somebody wrote with the new text before it was replaced',
      { 'a.yaml': 'new', [DRAFT]: 'new', [BACKUP]: 'old' },
      { 'a.yaml': 'new' },
      true,
    ],
    [
      'edited after it was replaced',
      { 'a.yaml': 'mine', [BACKUP]: 'old' },
      { 'a.yaml': 'mine', [BACKUP]: 'old' },
      BACKUP,
    ],
    ['removed after it was replaced', { [BACKUP]: 'old' }, { [BACKUP]: 'old' }, BACKUP],
    ['edited, without a backup', { 'a.yaml': 'mine' }, { 'a.yaml': 'mine' }, true],
  ])('%s', async (_, before, after, left) => {
    const workspace = createWorkspace(before);
    const taken = await takeBack(intentIn(workspace));
    const backup = typeof left === 'string' ? { backup: path.join(workspace.root, left) } : {};
    expect(taken).toEqual({ files: ['a.yaml'], left: left === false ? [] : [{ file: 'a.yaml', ...backup }] });
    expect(filesIn(workspace)).toEqual(after);
  });

  test.each<[string, Files, after: Files, isLeft: boolean]>([
    ['that is not made yet', { [DRAFT]: 'new' }, {}, false],
    ['that was made', { 'a.yaml': 'new' }, {}, false],
    ['that somebody edited', { 'a.yaml': 'mine' }, { 'a.yaml': 'mine' }, true],
    ['that somebody made first', { 'a.yaml': 'mine', [DRAFT]: 'new' }, { 'a.yaml': 'mine' }, true],
  ])('a new one %s', async (_, before, after, isLeft) => {
    const workspace = createWorkspace(before);
    const intent = intentIn(workspace);
    const files = intent.files.map(({ target, after: digest }) => ({ target, after: digest }));
    expect((await takeBack({ ...intent, files })).left).toEqual(isLeft ? [{ file: 'a.yaml' }] : []);
    expect(filesIn(workspace)).toEqual(after);
  });

  test.each<Files>([{ 'a.yaml': 'old', [BACKUP]: 'old' }, { 'a.yaml': 'old' }])(
    'whose text stays the same keeps it: %j',
    async (before) => {
      const workspace = createWorkspace(before);
      expect((await takeBack(intentIn(workspace, { after: digestOf('old') }))).left).toEqual([]);
      expect(filesIn(workspace)).toEqual({ 'a.yaml': 'old' });
    },
  );

  test('in whose place there is a folder now is left alone', async () => {
    const workspace = createWorkspace({ [BACKUP]: 'old' });
    mkdirSync(path.join(workspace.root, 'a.yaml'));
    expect((await takeBack(intentIn(workspace))).left).toMatchObject([{ file: 'a.yaml' }]);
  });

  test('in the place of whose folder there is a file now stops no later command', async () => {
    const workspace = createWorkspace({ flags: 'mine' });
    const intent = intentIn(workspace, { target: path.join(workspace.root, 'flags/a.yaml') });
    await recordIntent(intent, GONE.holder);
    expect(await takeBackUnfinished(workspace.root, { life: GONE })).toEqual([]);
    expect((await takeBack(intent)).left).toMatchObject([{ file: 'flags/a.yaml' }]);
    expect(filesIn(workspace)).toEqual({ flags: 'mine' });
  });
});

test('of several files, each is restored that can be, the first failure is thrown, and the record stays', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'new', 'b.yaml': 'new', '.b.yaml.X.bak': 'old' });
  const [one] = intentIn(workspace).files as [Intent['files'][number]];
  const intent = { ...intentIn(workspace), files: [one, { ...one, target: path.join(workspace.root, 'b.yaml') }] };
  renameSync(path.join(workspace.root, '.b.yaml.X.bak'), backupOf(path.join(workspace.root, 'b.yaml'), ID));
  await recordIntent(intent, GONE.holder);
  await expect(takeBack(intent)).rejects.toMatchObject({ code: 'ENOENT' });
  expect([workspace.read('a.yaml'), workspace.read('b.yaml')]).toEqual(['new', 'old']);
  expect(existsSync(recordOf(intent))).toBe(true);
  await expect(takeBackUnfinished(workspace.root, { life: GONE })).rejects.toMatchObject({
    code: 'file',
    message: `A command was interrupted while it wrote files, and they cannot be restored (ENOENT). ${recordOf(intent)} names them.`,
    remedy: 'Make the files and their folders writable, and run the command again.',
  });
});

test('folders that were made for the files go, unless somebody else put something in them', async () => {
  const workspace = createWorkspace({ 'x/y/a.yaml': 'new', 'z/mine': 'mine' });
  const inside = (name: string): string => path.join(workspace.root, name);
  const files = [{ target: inside('x/y/a.yaml'), after: digestOf('new') }];
  await takeBack({ folder: workspace.root, id: ID, files, folders: [inside('x'), inside('z'), inside('x/y')] });
  expect(readdirSync(workspace.root)).toEqual(['z']);
});

describe('an interrupted command', () => {
  const taken = async (workspace: Workspace, more: Partial<Intent['files'][number]> = {}) => {
    const intent = intentIn(workspace, more);
    await recordIntent(intent, GONE.holder);
    const restored = await takeBackUnfinished(workspace.root, { life: GONE });
    expect(await findRecords(workspace.root)).toEqual([]);
    return restored;
  };

  test('with every file in its place is complete: only what is not needed goes', async () => {
    const workspace = createWorkspace({ 'a.yaml': 'new', [BACKUP]: 'old' });
    expect(await taken(workspace)).toEqual([]);
    expect(filesIn(workspace)).toEqual({ 'a.yaml': 'new' });
  });

  test('that was to write the same text is complete without a draft', async () => {
    const workspace = createWorkspace({ 'a.yaml': 'old', [BACKUP]: 'old' });
    expect(await taken(workspace, { after: digestOf('old') })).toEqual([]);
    expect(filesIn(workspace)).toEqual({ 'a.yaml': 'old' });
  });

  test.each<[string, Files]>([
    ['with a draft', { 'a.yaml': 'mine', [DRAFT]: 'new' }],
    ['with the former text', { 'a.yaml': 'old' }],
  ])('%s is not complete', async (_, files) => {
    const workspace = createWorkspace(files);
    expect(await taken(workspace)).toMatchObject([{ files: ['a.yaml'] }]);
    expect(existsSync(path.join(workspace.root, DRAFT))).toBe(false);
  });

  test('restores nothing through a link out of the folder', async () => {
    const outside = createWorkspace({ 'a.yaml': 'new', [BACKUP]: 'old' });
    const workspace = createWorkspace();
    symlinkSync(outside.root, path.join(workspace.root, 'x'));
    await recordIntent(intentIn(workspace, { target: path.join(workspace.root, 'x/a.yaml') }), GONE.holder);
    await expect(takeBackUnfinished(workspace.root, { life: GONE })).rejects.toThrow(
      'cannot be restored (Cannot write x/a.yaml: a symbolic link points outside its folder.).',
    );
    expect(outside.read('a.yaml')).toBe('new');
  });

  test('each of two is restored, and other names are no records', async () => {
    const workspace = createWorkspace({ 'a.yaml': 'old', [DRAFT]: 'new', '.flagwright-writes-x': 'x' });
    const [first] = intentIn(workspace).files as [Intent['files'][number]];
    const other = { ...intentIn(workspace), id: randomUUID(), files: [first] };
    await recordIntent(other, GONE.holder);
    renameSync(recordOf(other), `${recordOf(other)}.ended`);
    await recordIntent(intentIn(workspace), GONE.holder);
    expect(await takeBackUnfinished(workspace.root, { life: GONE })).toHaveLength(2);
    expect(filesIn(workspace)).toEqual({ 'a.yaml': 'old', '.flagwright-writes-x': 'x' });
  });
});

test.each<[Parameters<typeof takenBackText>[0], string]>([
  [{ files: ['a', 'b'], left: [] }, 'Restored: a, b.'],
  [{ files: ['a'], left: [{ file: 'a' }] }, 'a was changed since and is left alone.'],
  [
    { files: ['a', 'b'], left: [{ file: 'b', backup: '/w/.b.x.bak' }] },
    'Restored: a. b was changed since and is left alone. Its former text is in .b.x.bak in the same folder.',
  ],
])('%j is told', (taken, text) => {
  expect(takenBackText(taken)).toBe(`A command was interrupted while it wrote files. ${text}`);
});

import { randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { writeAll, type FileWrite } from '../../../src/cli/session/write-all.ts';
import { onDisk } from '../../helpers/disk.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

async function write({ root }: Workspace, ...writes: readonly FileWrite[]): Promise<unknown> {
  return writeDisturbed({ root, disturb: () => undefined }, writes);
}

/** `disturb` is called after the files were compared and before the first one is written. */
async function writeDisturbed(
  { root, disturb }: { readonly root: string; readonly disturb: (drafts: number) => void },
  writes: readonly FileWrite[],
): Promise<unknown> {
  let count = 0;
  const randomUuid = (): string => {
    disturb(count++);
    return randomUUID();
  };
  const at = { context: { cwd: root, randomUuid }, places: { root } };
  return writeAll(at, writes).catch((error: unknown) => error);
}

test('files are created, and replaced with the mode that they have', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'old' });
  chmodSync(path.join(workspace.root, 'a.yaml'), 0o640);
  expect(
    await write(workspace, { file: 'a.yaml', text: 'new', before: 'old' }, { file: 'b/c.yaml', text: 'c' }),
  ).toBeUndefined();
  expect([workspace.read('a.yaml'), workspace.read('b/c.yaml')]).toEqual(['new', 'c']);
  expect(statSync(path.join(workspace.root, 'a.yaml')).mode & 0o777).toBe(0o640);
  expect(readdirSync(workspace.root).toSorted()).toEqual(['a.yaml', 'b']);
});

test.each<[what: string, second: FileWrite, message: string]>([
  ['changed meanwhile', { file: 'b.yaml', text: 'new', before: 'read' }, 'b.yaml changed while the command ran'],
  [
    'was removed meanwhile',
    { file: 'gone.yaml', text: 'new', before: 'read' },
    'gone.yaml changed while the command ran',
  ],
  ['is a folder', { file: 'folder', text: 'new' }, 'Cannot write folder: it is a folder'],
])('no file is written if one of them %s', async (_what, second, message) => {
  const workspace = createWorkspace({ 'a.yaml': 'a', 'b.yaml': 'b', 'folder/x.yaml': 'x' });
  const error = await write(workspace, { file: 'a.yaml', text: 'new', before: 'a' }, second);
  expect(error).toMatchObject({ code: 'file', message: expect.stringContaining(message) as string });
  expect([workspace.read('a.yaml'), workspace.read('b.yaml'), workspace.read('folder/x.yaml')]).toEqual([
    'a',
    'b',
    'x',
  ]);
  expect(readdirSync(workspace.root).toSorted()).toEqual(['a.yaml', 'b.yaml', 'folder']);
});

test('permissions are kept, also those that the mask of the process takes from new files', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'a' });
  chmodSync(path.join(workspace.root, 'a.yaml'), 0o666);
  expect(await write(workspace, { file: 'a.yaml', text: 'new', before: 'a' })).toBeUndefined();
  expect(statSync(path.join(workspace.root, 'a.yaml')).mode & 0o777).toBe(0o666);
});

test('a read-only file is not replaced', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'a', 'b.yaml': 'b' });
  chmodSync(path.join(workspace.root, 'b.yaml'), 0o444);
  const writes = ['a', 'b'].map((name) => ({ file: `${name}.yaml`, text: 'new', before: name }));
  const error = await write(workspace, ...writes);
  expect(error).toMatchObject({ code: 'file', message: 'Cannot write b.yaml: it is read-only. No file was changed.' });
  expect(workspace.read('a.yaml')).toBe('a');
});

test('a byte order mark and Windows line ends are written as they are given', async () => {
  const before = '\u{feff}a: 1\r\n';
  const workspace = createWorkspace({ 'a.yaml': before });
  expect(await write(workspace, { file: 'a.yaml', text: '\u{feff}a: 2\r\n', before })).toBeUndefined();
  expect(workspace.read('a.yaml')).toBe('\u{feff}a: 2\r\n');
});

test('a link inside the folder is followed, and stays a link', async () => {
  const workspace = createWorkspace({ 'real/a.yaml': 'a' });
  symlinkSync('real/a.yaml', path.join(workspace.root, 'link.yaml'));
  expect(await write(workspace, { file: 'link.yaml', text: 'new', before: 'a' })).toBeUndefined();
  expect(workspace.read('real/a.yaml')).toBe('new');
  expect(readdirSync(workspace.root, { withFileTypes: true }).map((entry) => entry.isSymbolicLink())).toEqual([
    true,
    false,
  ]);
});

test('a link out of the folder is refused', async () => {
  const outside = createWorkspace({ 'a.yaml': 'a' });
  const workspace = createWorkspace({});
  symlinkSync(path.join(outside.root, 'a.yaml'), path.join(workspace.root, 'link.yaml'));
  expect(await write(workspace, { file: 'link.yaml', text: 'new', before: 'a' })).toMatchObject({
    message: 'Cannot write link.yaml: a symbolic link points outside its folder.',
  });
  expect(outside.read('a.yaml')).toBe('a');
});

test('two names of one file get one text, or none', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'a' });
  symlinkSync('a.yaml', path.join(workspace.root, 'link.yaml'));
  const [first, second] = ['a.yaml', 'link.yaml'].map((file) => ({ file, text: 'new', before: 'a' })) as [
    FileWrite,
    FileWrite,
  ];
  expect(await write(workspace, first, { ...second, text: 'other' })).toMatchObject({
    message: 'Cannot write a.yaml and link.yaml: they are the same file. No file was changed.',
  });
  expect(workspace.read('a.yaml')).toBe('a');
  expect(await write(workspace, first, second)).toBeUndefined();
  expect(workspace.read('a.yaml')).toBe('new');
  expect(readdirSync(workspace.root).toSorted()).toEqual(['a.yaml', 'link.yaml']);
});

const THREE: readonly FileWrite[] = [
  { file: 'a.yaml', text: 'new', before: 'a' },
  { file: 'new/folder/c.yaml', text: 'new' },
  { file: 'b.yaml', text: 'new', before: 'b' },
];

test('a file that changes after it was compared is found before it is replaced, and the others are restored', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'a', 'b.yaml': 'b', 'd.yaml': 'd' });
  const disturb = (drafts: number): void => {
    if (drafts === 0) workspace.write('b.yaml', 'edited');
  };
  const writes = [...THREE, { file: 'd.yaml', text: 'new', before: 'd' }];
  const error = await writeDisturbed({ root: workspace.root, disturb }, writes);
  expect(error).toMatchObject({ message: 'b.yaml changed while the command ran. No file was changed.' });
  expect(['a.yaml', 'b.yaml', 'd.yaml'].map(workspace.read)).toEqual(['a', 'edited', 'd']);
  expect(readdirSync(workspace.root).toSorted()).toEqual(['a.yaml', 'b.yaml', 'd.yaml']);
});

test('if a file cannot be put in place, those before it are restored with their permissions', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'a', 'b.yaml': 'b' });
  const [a, b] = ['a.yaml', 'b.yaml'].map((file) => path.join(workspace.root, file)) as [string, string];
  chmodSync(a, 0o640);
  const former = statSync(a).ino;
  const disturb = (drafts: number): void => {
    if (drafts !== 0) return;
    rmSync(b);
    mkdirSync(b);
  };
  const error = await writeDisturbed({ root: workspace.root, disturb }, [
    THREE[0],
    THREE[1],
    { file: 'b.yaml', text: 'new' },
  ] as FileWrite[]);
  expect(error).toMatchObject({ code: 'file', message: expect.stringContaining('b.yaml') as string });
  expect([workspace.read('a.yaml'), statSync(a).ino, statSync(a).mode & 0o777]).toEqual(['a', former, 0o640]);
  expect(readdirSync(workspace.root).toSorted()).toEqual(['a.yaml', 'b.yaml']);
});

test('a full disk leaves every file as it was', async (context) => {
  const workspace = createWorkspace({ 'disk/.keep': '' });
  const disk = path.join(workspace.root, 'disk');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    context.skip('Only root may make a small disk.');
  }
  try {
    workspace.write('disk/a.yaml', 'a');
    workspace.write('disk/b.yaml', 'b');
    const writes = ['a', 'b'].map((name) => ({ file: `disk/${name}.yaml`, text: 'x'.repeat(40_000), before: name }));
    expect(await write(workspace, ...writes)).toMatchObject({ message: 'Cannot write disk/b.yaml: the disk is full.' });
    expect([workspace.read('disk/a.yaml'), workspace.read('disk/b.yaml')]).toEqual(['a', 'b']);
    expect(readdirSync(disk).toSorted()).toEqual(['a.yaml', 'b.yaml']);
  } finally {
    execFileSync('umount', [disk]);
  }
});

test.each([
  ['one\r\ntwo\r\n', 'a\nb\n', 'a\r\nb\r\n'],
  ['one\r\n', 'a\r\nb\n', 'a\r\nb\r\n'],
  ['one\ntwo\r\n', 'a\nb\n', 'a\nb\n'],
  ['\n\r\n', 'a\n', 'a\n'],
  ['one', 'a\n', 'a\n'],
])('a file %j that is overwritten with %j keeps its line ends', async (former, text, after) => {
  const workspace = createWorkspace({ 'a.yaml': former });
  expect(await write(workspace, { file: 'a.yaml', text })).toBeUndefined();
  expect(workspace.read('a.yaml')).toBe(after);
});

test('a file that must not exist is not replaced, also if it is made meanwhile', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'theirs' });
  const changed = (file: string) => ({
    code: 'file',
    message: `${file} changed while the command ran. No file was changed.`,
    remedy: 'Run the command again.',
  });
  expect(await write(workspace, { file: 'a.yaml', text: 'new', before: null })).toMatchObject(changed('a.yaml'));
  const disturb = (): void => workspace.write('b.yaml', 'theirs');
  const error = await writeDisturbed({ root: workspace.root, disturb }, [
    { file: 'b.yaml', text: 'new', before: null },
  ]);
  expect(error).toMatchObject(changed('b.yaml'));
  expect([workspace.read('a.yaml'), workspace.read('b.yaml')]).toEqual(['theirs', 'theirs']);
});

test('a disk that goes on failing is named with what happens to the files', async () => {
  const seen = new Set<string>();
  for (let step = 1; step < 150; step += 1) {
    const workspace = createWorkspace({ 'a.yaml': 'a', 'b.yaml': 'b' });
    const at = { context: { cwd: workspace.root, randomUuid: randomUUID }, places: { root: workspace.root } };
    const fault = { kind: 'error', code: 'EACCES', stays: true } as const;
    const { error } = await onDisk(async () => writeAll(at, THREE), step, fault);
    if (!(error instanceof FlagwrightError) || !error.message.includes('restored')) continue;
    seen.add(`${error.code} ${error.message.replaceAll(workspace.root, 'ROOT')} ${error.remedy}`);
  }
  expect([...seen]).toContain(
    'file Cannot write b.yaml: permission denied. Files that were written before could not be restored. Cannot write ROOT: permission denied. The next command in this folder restores them, once it can write there.',
  );
});

import { randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { writeAll, type FileWrite } from '../../../src/cli/session/files.ts';
import { onDisk } from '../../helpers/disk.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

async function write({ root }: Workspace, ...writes: readonly FileWrite[]): Promise<unknown> {
  return writeDisturbed({ root, disturb: () => undefined }, writes);
}

function filesIn({ root }: Workspace): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name))).toSorted();
}

/** `disturb` is called after the files were compared and before the first one is written. */
async function writeDisturbed(
  { root, disturb }: { readonly root: string; readonly disturb: () => void },
  writes: readonly FileWrite[],
): Promise<unknown> {
  let count = 0;
  // Each file gets a draft once it was compared.
  const randomUuid = (): string => {
    count += 1;
    if (count === writes.length) disturb();
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
    message: 'Cannot write link.yaml: a symbolic link points outside its folder. No file was changed.',
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

test('a file that changes after it was compared is not replaced, and what was written before and what was not is named', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'a', 'b.yaml': 'b', 'd.yaml': 'd' });
  const disturb = (): void => workspace.write('b.yaml', 'edited');
  const writes = [...THREE, { file: 'd.yaml', text: 'new', before: 'd' }];
  expect(await writeDisturbed({ root: workspace.root, disturb }, writes)).toMatchObject({
    code: 'file',
    message:
      'b.yaml changed while the command ran. Written before: a.yaml, new/folder/c.yaml. Not written: b.yaml, d.yaml.',
    remedy: 'Run the command again: it writes the rest.',
  });
  expect(['a.yaml', 'new/folder/c.yaml', 'b.yaml', 'd.yaml'].map(workspace.read)).toEqual([
    'new',
    'new',
    'edited',
    'd',
  ]);
  expect(filesIn(workspace)).toEqual(['a.yaml', 'b.yaml', 'd.yaml', 'new/folder/c.yaml']);
});

test('if the second of three files cannot be put in place, the first is written, and the next run writes the rest', async () => {
  const writesFrom = (a: string): FileWrite[] => [
    { file: 'a.yaml', text: 'new', before: a },
    { file: 'b.yaml', text: 'new', before: null },
    { file: 'c.yaml', text: 'new', before: 'c' },
  ];
  const fault = { kind: 'error', code: 'EACCES', stays: false } as const;
  const seen = new Set<string>();
  for (let step = 1; step < 60; step += 1) {
    const workspace = createWorkspace({ 'a.yaml': 'a', 'c.yaml': 'c' });
    const { root } = workspace;
    const at = { context: { cwd: root, randomUuid: randomUUID }, places: { root } };
    const { error } = await onDisk(async () => writeAll(at, writesFrom('a')), step, fault);
    if (!(error instanceof FlagwrightError) || !error.message.startsWith('Cannot write b.yaml: permission')) continue;
    seen.add(`${error.message} ${error.remedy}`);
    const isPartly = error.message.includes('Written before');
    expect(filesIn(workspace)).toEqual(['a.yaml', 'c.yaml']);
    expect([workspace.read('a.yaml'), workspace.read('c.yaml')]).toEqual([isPartly ? 'new' : 'a', 'c']);
    expect(await write(workspace, ...writesFrom(isPartly ? 'new' : 'a'))).toBeUndefined();
    expect(['a.yaml', 'b.yaml', 'c.yaml'].map(workspace.read)).toEqual(['new', 'new', 'new']);
  }
  expect([...seen]).toEqual([
    'Cannot write b.yaml: permission denied. No file was changed. undefined',
    'Cannot write b.yaml: permission denied. Written before: a.yaml. Not written: b.yaml, c.yaml. Run the command again: it writes the rest.',
  ]);
});

test('a new file that has its text already is written, with another text it is not', async () => {
  const workspace = createWorkspace({ 'a.yaml': 'new', 'b.yaml': 'theirs' });
  expect(await write(workspace, { file: 'a.yaml', text: 'new', before: null })).toBeUndefined();
  expect(await write(workspace, { file: 'b.yaml', text: 'new', before: null })).toMatchObject({
    message: 'b.yaml changed while the command ran. No file was changed.',
  });
  expect(['a.yaml', 'b.yaml'].map(workspace.read)).toEqual(['new', 'theirs']);
});

test('a pipe is not replaced', async (context) => {
  const workspace = createWorkspace({ 'a.yaml': 'a' });
  const pipe = path.join(workspace.root, 'pipe');
  if (process.platform === 'win32') context.skip('Windows has no such files.');
  execFileSync('mkfifo', [pipe]);
  const error = await write(workspace, { file: 'a.yaml', text: 'new' }, { file: 'pipe', text: 'new' });
  expect(error).toMatchObject({ message: 'Cannot write pipe: it is not a regular file. No file was changed.' });
  expect([statSync(pipe).isFIFO(), workspace.read('a.yaml')]).toEqual([true, 'a']);
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
    expect(await write(workspace, ...writes)).toMatchObject({
      message: 'Cannot write disk/b.yaml: the disk is full. No file was changed.',
    });
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

import { truncateSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileError, findTarget, readUserFile, writeDocument } from '../../../src/cli/session/files.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const withCode = (code: string): Error => Object.assign(new Error('x'), { code });

test.each([
  ['ENOENT', 'no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'the link leads to itself'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
  ['EMFILE', 'EMFILE'],
  ['constructor', 'constructor'],
])('a file that fails with %s is told so: %s', (code, why) => {
  const cause = withCode(code);
  expect(fileError('write', 'a.yaml', cause)).toMatchObject({
    code: 'file',
    message: `Cannot write a.yaml: ${why}.`,
    cause,
    remedy: undefined,
  });
  expect(fileError('read', 'a.yaml', cause)).toMatchObject({
    message: `Cannot read a.yaml: ${why}.`,
    remedy: code === 'ENOENT' ? 'Correct the path. A relative path begins in the working directory.' : undefined,
  });
});

test('a file that the user names is read from the working directory, and none that is too large', async () => {
  const { root } = createWorkspace({ 'plan.json': 'ä', 'large.json': '' });
  truncateSync(path.join(root, 'large.json'), 200_000_001);
  const context = { cwd: root, randomUuid: () => '0' };
  expect(await readUserFile({ context }, 'plan.json')).toBe('ä');
  await expect(readUserFile({ context }, 'large.json')).rejects.toMatchObject({
    code: 'file',
    message: 'Cannot read large.json: it has 200.1 MB, and the limit is 200 MB.',
    remedy: 'Check that it is a file that flagwright wrote.',
  });
  await expect(readUserFile({ context }, '.')).rejects.toThrow('Cannot read .: it is a folder.');
  await expect(readUserFile({ context }, 'absent')).rejects.toThrow('Cannot read absent: no such file or folder.');
});

test('a document is written to a file, or to what is no file as it is', async () => {
  const { root, read } = createWorkspace({ 'folder/x': '' });
  const at = { context: { cwd: root, randomUuid: () => '0' }, places: { root } };
  const file = (name: string): string => path.join(root, name);
  expect(await findTarget(at, 'new')).toEqual({ path: file('new'), special: false });
  expect(await findTarget(at, 'folder/x')).toMatchObject({ special: false });
  expect(await findTarget(at, 'folder')).toMatchObject({ special: true });
  await writeDocument(at, 'new', { text: 'text' });
  expect(read('new')).toBe('text');
  await expect(writeDocument(at, 'folder', { text: 'text' })).rejects.toThrow('Cannot write folder: it is a folder.');
});

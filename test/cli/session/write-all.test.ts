import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeAll, type FileWrite } from '../../../src/cli/session/write-all.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

async function write({ root }: Workspace, ...writes: readonly FileWrite[]): Promise<unknown> {
  const at = { context: { cwd: root, randomUuid: () => randomUUID() }, places: { root } };
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

/** What is written is on the disk before it gets its name, and the name is there before anything is removed. */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeDocument, writeNewFile, writeAll } from '../../../src/cli/session/files.ts';
import { stage } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const ID = '00000000-0000-4000-8000-000000000000';

type Call = (...args: unknown[]) => Promise<unknown>;

/** The changes of the disk in a folder, in order, by the names in it. Random ids are `ID`. `refused`: what this disk cannot do. */
async function changesOf(root: string, work: () => Promise<unknown>, refused = ''): Promise<readonly string[]> {
  const changes: string[] = [];
  // A temporary folder may be named through a link.
  const isReal = (file: string): boolean => file.startsWith(fs.realpathSync(root));
  const note = (name: string, ...files: unknown[]): void => {
    const inside = files.map(
      (file) => path.relative(isReal(String(file)) ? fs.realpathSync(root) : root, String(file)) || '.',
    );
    if (inside.some((file) => file.startsWith('..'))) return;
    changes.push([name, ...inside].join(' ').replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'));
  };
  const names = ['copyFile', 'link', 'mkdir', 'open', 'rename', 'rm', 'rmdir'] as const;
  const real = Object.fromEntries(names.map((name) => [name, fs.promises[name]])) as Record<string, unknown>;
  for (const name of names) {
    const call = real[name] as Call;
    const noted: Call = async (...args) => {
      if (name === refused) throw Object.assign(new Error(name), { code: 'EPERM' });
      const result = await call(...args);
      if (name !== 'open') note(name, ...args.filter((arg) => typeof arg === 'string'));
      else (result as fs.promises.FileHandle).sync = async () => note('sync', args[0]);
      return result;
    };
    Object.assign(fs.promises, { [name]: noted });
  }
  syncBuiltinESMExports();
  try {
    await work();
    return changes;
  } finally {
    Object.assign(fs.promises, real);
    syncBuiltinESMExports();
  }
}

const at = (root: string) => ({ context: { cwd: root, randomUuid: () => ID }, places: { root } }) as const;

test('a document', async () => {
  const { root } = createWorkspace({ 'a.txt': 'old' });
  expect(await changesOf(root, async () => writeDocument(at(root), 'a.txt', { text: 'new' }))).toEqual([
    'sync .a.txt.ID.tmp',
    'rename .a.txt.ID.tmp a.txt',
    'sync .',
  ]);
});

test.each([
  ['', ['link .a.txt.ID.tmp a.txt']],
  ['link', ['rename .a.txt.ID.tmp a.txt']],
])('a new file on a disk without %j', async (refused, named) => {
  const { root } = createWorkspace();
  const file = path.join(root, 'a.txt');
  expect(await changesOf(root, async () => writeNewFile(at(root), file, 'new'), refused)).toEqual([
    'mkdir .',
    'sync .a.txt.ID.tmp',
    ...named,
    'sync .',
    'rm .a.txt.ID.tmp',
  ]);
});

test('a document that is streamed', async () => {
  const { run, workspace } = await stage();
  expect((await run('apply', '-y')).code).toBe(0);
  const list = async (): Promise<unknown> => run('flags', 'list', '-f', 'jsonl', '-o', 'flags.jsonl');
  expect(await changesOf(workspace.root, list)).toEqual([
    'sync .flags.jsonl.ID.tmp',
    'rename .flags.jsonl.ID.tmp flags.jsonl',
    'sync .',
  ]);
});

test('several files', async () => {
  const { root } = createWorkspace({ 'a.yaml': 'old' });
  const writes = ['a.yaml', 'x/b.yaml'].map((file) => ({ file, text: 'new' }));
  expect(await changesOf(root, async () => writeAll(at(root), writes))).toEqual([
    'mkdir .',
    'sync .a.yaml.ID.tmp',
    'mkdir x',
    'sync x/.b.yaml.ID.tmp',
    'rename .a.yaml.ID.tmp a.yaml',
    'rename x/.b.yaml.ID.tmp x/b.yaml',
    'sync .',
    'sync x',
  ]);
});

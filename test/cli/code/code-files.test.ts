/** The files that a search reads, and what becomes of those that are no ordinary text. */

import { symlinkSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { codeOfCommit, codeOfFolder, codeOnDisk, type CodeContent } from '../../../src/cli/code/code-files.ts';
import type { Objects } from '../../../src/loop/git/objects.ts';
import { MOST_BYTES } from '../../../src/code/references/code-text.ts';
import { repositoryOf } from '../../loop/git/support.ts';
import { createRepository } from '../../helpers/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const textOf = (content: CodeContent): string =>
  content.kind === 'bytes' ? Buffer.from(content.bytes).toString('utf8') : `(${content.kind})`;

test('of a folder without git every file is listed, but no link and none of what tools put there', () => {
  const names = [
    'a.ts',
    'b/c/d.ts',
    'b/node_modules/x.js',
    '.git/config',
    '.hg/x',
    '.svn/x',
    '.venv/x.py',
    '.hidden/e.ts',
  ];
  const { root } = createWorkspace(Object.fromEntries(names.map((name) => [name, ''])));
  symlinkSync('a.ts', path.join(root, 'link.ts'));
  symlinkSync('b', path.join(root, 'folder'));
  const { files, submodules, unreadable } = codeOfFolder(root);
  expect(files.map(({ file }) => file).toSorted()).toEqual(['.hidden/e.ts', 'a.ts', 'b/c/d.ts']);
  expect([submodules, unreadable]).toEqual([[], []]);
});

test('a folder that cannot be listed is named', () => {
  const { root } = createWorkspace({ 'a.ts': '' });
  expect(codeOfFolder(path.join(root, 'gone'))).toMatchObject({ files: [], unreadable: [''] });
});

test.each<[file: string, content: string]>([
  ['a.ts', 'a'],
  ['empty.ts', ''],
  ['largest.txt', 'x'.repeat(MOST_BYTES)],
  ['larger.txt', '(large)'],
  ['larger.img', '(binary)'],
  ['larger.ts', '(large)'],
  ['gone.ts', '(none)'],
  ['a.ts/below.ts', '(none)'],
  ['folder', '(none)'],
  ['link.ts', '(none)'],
  [`${'x'.repeat(300)}.ts`, '(unreadable)'],
])('%s is read', async (file, content) => {
  const { root, write } = createWorkspace({ 'a.ts': 'a', 'empty.ts': '', 'folder/b.ts': '' });
  symlinkSync('a.ts', path.join(root, 'link.ts'));
  if (file.startsWith('large')) write(file, 'x'.repeat(file === 'larger.txt' ? MOST_BYTES + 1 : MOST_BYTES));
  if (['larger.img', 'larger.ts'].includes(file)) {
    // The rest of the file is NUL bytes, which make it binary unless its name is that of code.
    truncateSync(path.join(root, file), 0);
    truncateSync(path.join(root, file), MOST_BYTES + 1);
  }
  expect(textOf(await codeOfFolder(root).read({ file })) === content).toBe(true);
});

/** Objects as git answers for them. */
const objectsOf = (found: Readonly<Record<string, Awaited<ReturnType<Objects['read']>>>>): Objects =>
  ({ read: async (name: string) => found[name] }) as unknown as Objects;

const bytes = Buffer.from('text');
const binary = Buffer.from([0, 1, 2, 3]);

test('of a commit each file is read as git has it, and what is too large is none', async () => {
  const made = createRepository({ 'a.ts': 'a', 'b.txt': 'b' });
  const repository = await repositoryOf(made.root);
  const objects = objectsOf({
    small: { bytes, size: 4 },
    large: { start: bytes, size: MOST_BYTES + 1 },
    whole: { bytes, size: MOST_BYTES + 1 },
    binary: { start: binary, size: MOST_BYTES + 1 },
  } as never);
  const { files, submodules, unreadable, read } = await codeOfCommit(repository, made.commit(), objects);
  expect([files.map(({ file }) => file), submodules, unreadable]).toEqual([['a.ts', 'b.txt'], [], []]);
  const contents = await Promise.all(
    ['small', 'large', 'whole', 'binary', 'gone'].map(async (blob) => read({ file: 'x.txt', blob })),
  );
  expect(contents.map(textOf)).toEqual(['text', '(large)', '(large)', '(binary)', '(unreadable)']);
  expect(textOf(await read({ file: 'x.txt' }))).toBe('(unreadable)');
  await expect(codeOfCommit(repository, '0'.repeat(40), objects)).rejects.toMatchObject({
    code: 'file',
    message: expect.stringMatching(/^git cannot list the files of the commit: .*\.$/s) as string,
    remedy: 'Run `git status` in this folder, and fix what it reports.',
  });
});

test('a file that a sparse checkout leaves out is read from git, and one that somebody deleted is none', async () => {
  const made = createRepository({ 'a.ts': 'a' });
  const { files, read } = await codeOnDisk(await repositoryOf(made.root), () =>
    objectsOf({ blob: { bytes, size: 4 } } as never),
  );
  expect(files.map(({ file }) => file)).toEqual(['a.ts']);
  const [present, sparse, gone] = await Promise.all([
    read({ file: 'a.ts', blob: 'blob', isSparse: true }),
    read({ file: 'far.ts', blob: 'blob', isSparse: true }),
    read({ file: 'far.ts', blob: 'blob' }),
  ]);
  expect([present, sparse, gone].map((one) => textOf(one as CodeContent))).toEqual(['a', 'text', '(none)']);
});

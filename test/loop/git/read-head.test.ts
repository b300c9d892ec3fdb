/** The commit and the branch of a checkout, read from the files of git. */

import path from 'node:path';
import { expect, test } from 'vitest';
import { findGitFolder, readBranch, readCommit } from '../../../src/loop/git/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

test.each<readonly [string, Readonly<Record<string, string>>, string | undefined]>([
  ['a branch', { '.git/HEAD': 'ref: refs/heads/x/y\n', '.git/refs/heads/x/y': `${A}\n` }, A],
  ['no branch', { '.git/HEAD': `${A}\n` }, A],
  [
    'a packed branch',
    { '.git/HEAD': 'ref: refs/heads/x\n', '.git/packed-refs': `# pack-refs\n${B} refs/heads/xx\n${A} refs/heads/x\n` },
    A,
  ],
  [
    'a worktree',
    {
      '.git': 'gitdir: main/worktrees/w\n',
      'main/worktrees/w/HEAD': 'ref: refs/heads/x\n',
      'main/worktrees/w/commondir': '../..\n',
      'main/refs/heads/x': `${A}\n`,
    },
    A,
  ],
  ['SHA-256', { '.git/HEAD': `${A}${'c'.repeat(24)}\n` }, A + 'c'.repeat(24)],
  ['a branch without a commit', { '.git/HEAD': 'ref: refs/heads/x\n' }, undefined],
  ['a branch outside the folder', { '.git/HEAD': 'ref: refs/../../secret\n', secret: `${A}\n` }, undefined],
  ['a file that is no commit', { '.git/HEAD': 'ref: refs/heads/x\n', '.git/refs/heads/x': 'root:x:0\n' }, undefined],
  ['a damaged HEAD', { '.git/HEAD': '' }, undefined],
  ['a damaged .git', { '.git': 'nonsense' }, undefined],
])('of %s', async (_name, files, commit) => {
  const { root } = createWorkspace({ 'flags/deep/x.yaml': '', ...files });
  expect(await readCommit(root)).toBe(commit);
  expect(await readCommit(path.join(root, 'flags/deep'))).toBe(commit);
});

test.each<readonly [string, Readonly<Record<string, string>>, string | undefined]>([
  ['a branch', { '.git/HEAD': 'ref: refs/heads/x/y\n' }, 'x/y'],
  ['no branch', { '.git/HEAD': `${A}\n` }, undefined],
  ['another ref', { '.git/HEAD': 'ref: refs/remotes/origin/x\n' }, undefined],
  ['a worktree', { '.git': 'gitdir: main/w\n', 'main/w/HEAD': 'ref: refs/heads/x\n' }, 'x'],
  ['a damaged HEAD', { '.git/HEAD': 'x ref: refs/heads/x\n' }, undefined],
  ['no HEAD', { '.git/config': '' }, undefined],
  ['a damaged .git', { '.git': 'nonsense' }, undefined],
])('the branch of %s', async (_name, files, branch) => {
  const { root } = createWorkspace({ 'flags/deep/x.yaml': '', ...files });
  expect(await readBranch(root)).toBe(branch);
  expect(await readBranch(path.join(root, 'flags/deep'))).toBe(branch);
});

test('a folder that is gone has neither', async () => {
  const { root } = createWorkspace({ '.git/HEAD': 'ref: refs/heads/x\n' });
  expect([await readCommit(`${root}/gone`), await readBranch(`${root}/gone`)]).toEqual([undefined, undefined]);
});

test('the nearest `.git` counts that is a folder or names one', async () => {
  const { root } = createWorkspace({
    '.git/HEAD': '',
    'a/.git': 'gitdir: ../elsewhere/own\n',
    'elsewhere/own/commondir': '../common\n',
    'a/b/.git': 'nonsense',
    'a/b/c/x': '',
  });
  const at = (name: string): string => path.join(root, name);
  expect(await findGitFolder(at('elsewhere'))).toEqual({ home: root, own: at('.git'), common: at('.git') });
  const linked = { home: at('a'), own: at('elsewhere/own'), common: at('elsewhere/common') };
  expect(await findGitFolder(at('a'))).toEqual(linked);
  expect(await findGitFolder(at('a/b/c'))).toEqual(linked);
  expect(await findGitFolder('/nowhere')).toBeUndefined();
  // What cannot be examined is no repository.
  expect(await findGitFolder(at('x'.repeat(5000)))).toMatchObject({ home: root });
});

/** The commit of a checkout, read from the files of git. */

import path from 'node:path';
import { expect, test } from 'vitest';
import { readCommit } from '../../src/git/read-head.ts';
import { createWorkspace } from '../helpers/workspace.ts';

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

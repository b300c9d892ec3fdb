import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { excludeFile } from '../../../src/cli/session/ignore-file.ts';
import { createRepository, GIT_ENV } from '../../helpers/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const caller = { env: GIT_ENV };

test.each(['plan.json', 'a/b/plan [1] *?.json', '#plan\\x', '!plan', 'plan '])('%j alone is ignored', async (file) => {
  const repository = createRepository({ 'a/b/kept.txt': '', 'kept.json': '' });
  for (const name of [file, 'a/b/plan 1 xy.json', 'other.json', 'a/plan.json']) repository.write(name, '');
  expect(await excludeFile(caller, join(repository.root, file))).toContain(join('.git', 'info', 'exclude'));
  expect(repository.git('ls-files', '-o', '--exclude-standard', '-z').split('\0').filter(Boolean).sort()).toEqual([
    'a/b/plan 1 xy.json',
    'a/plan.json',
    'other.json',
  ]);
  expect(await excludeFile(caller, join(repository.root, file))).toBeUndefined();
});

test('a file that is committed, ignored or in no repository changes nothing', async () => {
  const { root, git, write } = createRepository({ 'plan.json': '', '.gitignore': 'old.json\n' });
  write('old.json', '');
  for (const file of ['plan.json', 'old.json']) expect(await excludeFile(caller, join(root, file))).toBeUndefined();
  expect(git('status', '--porcelain')).toBe('');
  const elsewhere = createWorkspace({ 'plan.json': '' });
  expect(await excludeFile(caller, join(elsewhere.root, 'plan.json'))).toBeUndefined();
});

test('the lines of the user stay, also without a line break at their end or without the folder', async () => {
  const { root, git, write } = createRepository({ 'a.txt': '' });
  write('.git/info/exclude', '*.tmp');
  write('plan.json', '');
  await excludeFile(caller, join(root, 'plan.json'));
  expect(readFileSync(join(root, '.git/info/exclude'), 'utf8')).toBe('*.tmp\n/plan.json\n');
  rmSync(join(root, '.git/info'), { recursive: true });
  git('worktree', 'add', '-q', 'beside');
  write('beside/plan.json', '');
  await excludeFile(caller, join(root, 'beside/plan.json'));
  expect(readFileSync(join(root, '.git/info/exclude'), 'utf8')).toBe('/plan.json\n');
});

/** Repositories of every sort are opened, and each reason not to open one is told apart. */

import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGit } from '../../../src/loop/git/run-git.ts';
import { cloneOf, createBare, createRepository, git, GIT_ENV, initialise, OLD_GIT } from '../../helpers/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openIn, repositoryOf } from './support.ts';

test('the top and a folder below', async () => {
  const { root } = createRepository({ 'teams/a/x.yaml': '' });
  expect(await repositoryOf(root)).toMatchObject({ top: realpathSync(root), prefix: '', shallow: false, hash: 'sha1' });
  expect(await repositoryOf(path.join(root, 'teams/a'))).toMatchObject({ top: realpathSync(root), prefix: 'teams/a' });
});

test('a folder whose name has a line break, reached by a link', async () => {
  const { root } = createRepository({ 'a\nb/x.yaml': '' });
  symlinkSync(path.join(root, 'a\nb'), path.join(root, 'link'));
  expect(await repositoryOf(path.join(root, 'link'))).toMatchObject({ top: realpathSync(root), prefix: 'a\nb' });
});

test('a repository whose own folder has a line break in its name', async () => {
  const { root } = createWorkspace({ 'x\ny/a.yaml': '' });
  const own = path.join(root, 'x\ny');
  initialise(own);
  expect(await repositoryOf(own)).toMatchObject({ top: realpathSync(own), prefix: '' });
});

test('a repository without a commit', async () => {
  expect(await openIn(createRepository().root)).toMatchObject({ kind: 'open' });
});

test('a shallow clone', async () => {
  const origin = createRepository({ 'a.yaml': '' });
  origin.commit({ 'a.yaml': '# changed' });
  expect(await repositoryOf(cloneOf(origin, '--depth=1').root)).toMatchObject({ shallow: true });
});

test('a worktree and a submodule', async () => {
  const origin = createRepository({ 'a.yaml': '' });
  origin.git('worktree', 'add', '--quiet', 'tree');
  expect(await repositoryOf(path.join(origin.root, 'tree'))).toMatchObject({
    top: path.join(realpathSync(origin.root), 'tree'),
    prefix: '',
  });
  const outer = createRepository({ 'b.yaml': '' });
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin.root, 'inner');
  expect(await repositoryOf(path.join(outer.root, 'inner'))).toMatchObject({
    top: path.join(realpathSync(outer.root), 'inner'),
    prefix: '',
  });
});

test('a repository that names objects by SHA-256', async () => {
  const { root } = createWorkspace();
  git(root, 'init', '--quiet', '--object-format=sha256');
  expect(await repositoryOf(root)).toMatchObject({ hash: 'sha256' });
});

test('no repository, and one without a checkout', async () => {
  expect(await openIn(createWorkspace({ 'a.yaml': '' }).root)).toEqual({ kind: 'none' });
  expect(await openIn(createBare().root)).toEqual({ kind: 'none' });
  const { root, git: run } = createRepository({ 'a.yaml': '' });
  run('config', 'core.bare', 'true');
  expect(await openIn(root)).toEqual({ kind: 'none' });
});

test('no git on the PATH, and none in the repository itself', async () => {
  const { root } = createRepository({ 'a.yaml': '' });
  writeFileSync(path.join(root, 'git'), '#!/bin/sh\ntouch "$HOME/ran"\n');
  chmodSync(path.join(root, 'git'), 0o755);
  expect(await openIn(root, { PATH: `/nowhere:.:${path.delimiter}` })).toEqual({ kind: 'git_missing' });
});

test('a repository that git refuses', async () => {
  const { root } = createWorkspace({ '.git/HEAD': '' });
  expect(await openIn(root)).toEqual({
    kind: 'refused',
    detail: expect.stringMatching(/^fatal: not a git repository/),
  });
});

test.runIf(process.getuid?.() === 0)('a repository of another user', async () => {
  const { root } = createRepository({ 'a.yaml': '' });
  chownSync(path.join(root, '.git'), 12_345, 12_345);
  chownSync(root, 12_345, 12_345);
  expect(await openIn(root)).toEqual({
    kind: 'refused',
    detail: expect.stringMatching(/^fatal: detected dubious ownership/),
  });
});

describe('a folder that is a bare repository', () => {
  /** With a configuration that takes the folder as its own checkout. */
  function bareIn(folder: string): void {
    mkdirSync(folder, { recursive: true });
    git(folder, 'init', '--quiet', '--bare', '--template=', '.');
    git(folder, 'config', '--file', 'config', 'core.bare', 'false');
    git(folder, 'config', '--file', 'config', 'core.worktree', '.');
  }

  test.each([
    ['in it', 'team', 'team'],
    ['below it', 'team', 'team/flags'],
    ['beside `.git`', '.', '.'],
  ])('is not the repository of a configuration %s', async (_, bare, folder) => {
    const { root } = createRepository({ 'team/flags/a.yaml': '' });
    bareIn(path.join(root, bare));
    const repository = await repositoryOf(path.join(root, folder));
    expect(repository).toMatchObject({ top: realpathSync(root), prefix: folder === '.' ? '' : folder });
    const run = await runGit(repository.caller, { args: ['rev-parse', '--absolute-git-dir'] });
    expect(run.kind === 'done' && run.stdout.toString().trim()).toBe(path.join(realpathSync(root), '.git'));
  });

  test('is none without a `.git` above it', async () => {
    const { root } = createWorkspace();
    bareIn(root);
    expect(await openIn(root)).toEqual({ kind: 'none' });
  });

  test.each([
    ['', /safe\.bareRepository is 'explicit'/],
    // As git before 2.38.
    ['without', /^git uses .* as the repository instead of .*\.git$/],
  ])('is refused in place of a damaged `.git` beside it, by a git %s the setting', async (without, words) => {
    const { root, write } = createWorkspace({ '.git/x': '', 'bin/git': OLD_GIT });
    chmodSync(path.join(root, 'bin/git'), 0o755);
    bareIn(root);
    write('.git/HEAD', '');
    const env = without === '' ? {} : { PATH: `${path.join(root, 'bin')}:${GIT_ENV.PATH}` };
    expect(await openIn(root, env)).toEqual({ kind: 'refused', detail: expect.stringMatching(words) });
  });
});

test('the variables that redirect git have no effect', async () => {
  const { root } = createRepository({ 'a.yaml': '' });
  const other = createRepository({ 'b.yaml': '' });
  const opened = await openIn(root, { GIT_DIR: path.join(other.root, '.git'), GIT_WORK_TREE: other.root });
  expect(opened).toMatchObject({ kind: 'open', repository: { top: realpathSync(root) } });
});

import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  fetchRef,
  listRemotes,
  mayHaveRef,
  mayHaveRefs,
  pushRef,
  readRemoteRef,
  resolveName,
  writeRef,
} from '../../src/git/refs.ts';
import { cloneOf, createBare, createRepository, git } from '../helpers/repository.ts';
import { repositoryOf } from './support.ts';

const REF = 'refs/flagwright/applied/production';

test('names are resolved, and what is none is not', async () => {
  const { root, git: run } = createRepository({ 'a.txt': 'a' });
  const repository = await repositoryOf(root);
  const head = run('rev-parse', 'HEAD');
  expect(await resolveName(repository, 'HEAD')).toBe(head);
  expect(await resolveName(repository, head)).toBe(head);
  // An id is not looked up.
  expect(await resolveName(repository, 'a'.repeat(40))).toBe('a'.repeat(40));
  for (const name of ['', 'gone', '--all', '-h', 'HEAD..HEAD', 'a\nb', 'HEAD~1']) {
    expect(await resolveName(repository, name)).toBeUndefined();
  }
});

test('a ref that is a file, is packed, or names an object that is missing may be there, and another is not', async () => {
  const { root, git: run, write, commit } = createRepository();
  const repository = await repositoryOf(root);
  expect(await mayHaveRef(repository, REF)).toBe(false);
  write(`.git/${REF}`, `${'1'.repeat(40)}\n`);
  expect(await mayHaveRef(repository, REF)).toBe(true);
  expect(await mayHaveRef(repository, `${REF}/other`)).toBe(false);
  run('update-ref', REF, commit({ 'a.txt': 'a' }));
  run('pack-refs', '--all');
  expect(existsSync(path.join(root, '.git', REF))).toBe(false);
  expect(await mayHaveRef(repository, REF)).toBe(true);
  expect(await mayHaveRef(repository, 'refs/flagwright/applied/staging')).toBe(false);
  run('worktree', 'add', '--quiet', '--detach', 'other');
  expect(await mayHaveRef(await repositoryOf(path.join(root, 'other')), REF)).toBe(true);
});

test('where the packed refs cannot be read, any ref may be among them', async () => {
  const { root } = createRepository();
  const repository = await repositoryOf(root);
  mkdirSync(path.join(root, '.git/packed-refs'));
  expect(await mayHaveRef(repository, REF)).toBe(true);
  expect(await mayHaveRefs(root, 'refs/flagwright/')).toBe(true);
});

test('a ref is pushed, found, fetched, and moved back', async () => {
  const bare = createBare();
  const first = cloneOf(bare);
  const one = first.commit({ 'a.txt': '1' });
  const two = first.commit({ 'a.txt': '2' });
  const [ours, theirs] = [await repositoryOf(first.root), await repositoryOf(cloneOf(bare).root)];
  expect(await readRemoteRef(theirs, 'origin', REF)).toEqual({ kind: 'none' });
  for (const commit of [two, one]) {
    const former = await resolveName(ours, REF);
    expect(await writeRef(ours, REF, { commit, former })).toMatchObject({ kind: 'done' });
    expect(await pushRef(ours, 'origin', { ref: REF, former })).toMatchObject({ kind: 'done' });
    expect(await readRemoteRef(theirs, 'origin', REF)).toEqual({ kind: 'found', commit });
    expect(await fetchRef(theirs, 'origin', REF)).toMatchObject({ kind: 'done' });
    expect(await resolveName(theirs, REF)).toBe(commit);
  }
});

test('in a shallow clone, only the commit itself is fetched', async () => {
  const origin = createRepository({ 'a.txt': '1' });
  const old = origin.commit({ 'a.txt': '2' });
  origin.commit({ 'a.txt': '3' });
  origin.git('update-ref', REF, old);
  const clone = cloneOf(origin, '--depth=1');
  expect(await fetchRef(await repositoryOf(clone.root), 'origin', REF)).toMatchObject({ kind: 'done' });
  expect(clone.git('rev-list', '--all', '--count')).toBe('2');
  expect(clone.git('rev-list', REF, '--count')).toBe('1');
});

test('a remote that refuses, is gone, or is none is told with the words of git', async () => {
  const bare = createBare();
  const clone = cloneOf(bare);
  clone.git('update-ref', REF, clone.commit({ 'a.txt': '1' }));
  const repository = await repositoryOf(clone.root);
  const hook = path.join(bare.root, 'hooks/update');
  clone.write('hook', '#!/bin/sh\necho "only the robot may push" >&2\nexit 1\n');
  git(clone.root, 'config', '--file', path.join(bare.root, 'config'), 'core.hooksPath', path.join(bare.root, 'hooks'));
  copyFileSync(path.join(clone.root, 'hook'), hook);
  chmodSync(hook, 0o755);
  expect(await pushRef(repository, 'origin', { ref: REF, former: undefined })).toMatchObject({
    kind: 'failed',
    detail: expect.stringContaining('remote: only the robot may push;'),
  });
  clone.git('remote', 'set-url', 'origin', 'file:///nowhere.git');
  expect(await readRemoteRef(repository, 'origin', REF)).toMatchObject({
    kind: 'unreachable',
    detail: expect.stringMatching(/^fatal: '\/nowhere.git' does not appear to be a git repository/),
  });
  // git itself would take it as a folder.
  git(clone.root, 'init', '--quiet', 'folder');
  expect(await readRemoteRef(repository, 'folder', REF)).toMatchObject({ kind: 'unreachable' });
});

test('a remote that is a program is not started', async () => {
  const clone = createRepository({ 'a.txt': 'a' });
  clone.git('remote', 'add', 'origin', `ext::touch ${path.join(clone.root, 'ran')}`);
  clone.git('config', 'protocol.ext.allow', 'always');
  expect(await readRemoteRef(await repositoryOf(clone.root), 'origin', REF)).toMatchObject({
    kind: 'unreachable',
    detail: "fatal: transport 'ext' not allowed",
  });
  expect(() => clone.read('ran')).toThrow('ENOENT');
});

test('without an answer of git, no remote is known', async () => {
  const repository = await repositoryOf(createRepository({ 'a.txt': 'a' }).root);
  const caller = { ...repository.caller, env: { PATH: '/nowhere' } };
  expect(await listRemotes({ ...repository, caller })).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  deepen,
  deepenSince,
  fetchCommits,
  fetchRef,
  listRemotes,
  mayHaveRef,
  mayHaveRefs,
  pushRef,
  readRemoteRef,
  resolveName,
  writeCommit,
  writeRef,
} from '../../../src/loop/git/refs.ts';
import {
  cloneOf,
  createBare,
  createRepository,
  git,
  importFast,
  type TestRepository,
} from '../../helpers/repository.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import type { Repository } from '../../../src/loop/git/repository.ts';
import { openIn, repositoryOf } from './support.ts';

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

test('refs below a name may be there, as files or packed; a folder without one is none', async () => {
  const { root, git: run, commit } = createRepository();
  const below = (): Promise<boolean> => mayHaveRefs(path.join(root, 'some/folder'), 'refs/flagwright/');
  expect(await below()).toBe(false);
  mkdirSync(path.join(root, '.git/refs/flagwright/applied'), { recursive: true });
  expect(await below()).toBe(false);
  run('update-ref', REF, commit({ 'some/folder/a.txt': 'a' }));
  expect(await below()).toBe(true);
  run('pack-refs', '--all');
  expect(existsSync(path.join(root, '.git', REF))).toBe(false);
  expect(await below()).toBe(true);
  expect(await mayHaveRefs(root, 'refs/other/')).toBe(false);
  expect(await mayHaveRefs(createWorkspace().root, 'refs/flagwright/')).toBe(false);
});

test('in refs that are no files, any may be there, and so it may where the repository is gone', async () => {
  const { root } = createRepository();
  const repository = await repositoryOf(root);
  mkdirSync(path.join(root, '.git/reftable'));
  expect(await mayHaveRef(repository, REF)).toBe(true);
  expect(await mayHaveRefs(root, 'refs/flagwright/')).toBe(true);
  renameSync(path.join(root, '.git'), path.join(root, 'gone'));
  expect(await mayHaveRef(repository, REF)).toBe(true);
  expect(await mayHaveRefs(root, 'refs/flagwright/')).toBe(false);
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

test('a ref moves only from what it was read as, here and in the remote', async () => {
  const bare = createBare();
  const clone = cloneOf(bare);
  const [one, two] = [clone.commit({ 'a.txt': '1' }), clone.commit({ 'a.txt': '2' })];
  const repository = await repositoryOf(clone.root);
  expect(await writeRef(repository, REF, { commit: one, former: two })).toMatchObject({ kind: 'failed' });
  await writeRef(repository, REF, { commit: one, former: undefined });
  expect(await writeRef(repository, REF, { commit: two, former: undefined })).toMatchObject({ kind: 'failed' });
  expect(await resolveName(repository, REF)).toBe(one);
  const push = (former: string | undefined): Promise<unknown> => pushRef(repository, 'origin', { ref: REF, former });
  expect(await push(two)).toMatchObject({ kind: 'failed' });
  expect(await push(undefined)).toMatchObject({ kind: 'done' });
  await writeRef(repository, REF, { commit: two, former: one });
  expect(await push(undefined)).toMatchObject({ kind: 'failed' });
  expect(await readRemoteRef(repository, 'origin', REF)).toEqual({ kind: 'found', commit: one });
});

test('what a job says of the records is what the remote has, as far as this run moves it, and is not pushed', async () => {
  const bare = createBare();
  const clone = cloneOf(bare);
  const [one, two] = [clone.commit({ 'a.txt': '1' }), clone.commit({ 'a.txt': '2' })];
  const saying = async (FLAGWRIGHT_APPLIED_REFS: string): Promise<Repository> => {
    const opened = await openIn(clone.root, { FLAGWRIGHT_APPLIED_REFS });
    if (opened.kind !== 'open') throw new Error(opened.kind);
    return opened.repository;
  };
  const other = 'refs/flagwright/applied/other';
  const repository = await saying(`${one}\t${REF}\n`);
  expect(await readRemoteRef(repository, 'nobody', REF)).toEqual({ kind: 'found', commit: one });
  expect(await readRemoteRef(repository, 'nobody', other)).toEqual({ kind: 'none' });
  expect(await readRemoteRef(repository, 'nobody', 'refs/heads/main')).toMatchObject({ kind: 'unreachable' });
  await writeRef(repository, REF, { commit: two, former: undefined });
  expect(await pushRef(repository, 'nobody', { ref: REF, former: one })).toMatchObject({ kind: 'done' });
  expect(await readRemoteRef(repository, 'nobody', REF)).toEqual({ kind: 'found', commit: two });
  expect(await readRemoteRef(await repositoryOf(clone.root), 'origin', REF)).toEqual({ kind: 'none' });
  expect(await readRemoteRef(await saying('none'), 'nobody', REF)).toEqual({ kind: 'none' });
  for (const text of ['', ' ', 'no', 'None']) {
    const found = await readRemoteRef(await saying(text), 'nobody', REF);
    expect(found).toEqual({ kind: 'unreachable', detail: 'the variable FLAGWRIGHT_APPLIED_REFS names no ref' });
  }
});

test('a ref of the remote whose name ends alike is another one', async () => {
  const origin = createRepository({ 'a.txt': '1' });
  origin.git('update-ref', `refs/heads/${REF}`, 'HEAD');
  const repository = await repositoryOf(cloneOf(origin).root);
  expect(await readRemoteRef(repository, 'origin', REF)).toEqual({ kind: 'none' });
  origin.git('update-ref', REF, origin.commit({ 'a.txt': '2' }));
  expect(await readRemoteRef(repository, 'origin', REF)).toEqual({
    kind: 'found',
    commit: origin.git('rev-parse', 'HEAD'),
  });
});

test('a commit is stored by its text', async () => {
  const made = createRepository({ 'a.txt': 'a' });
  const text = execFileSync('git', ['cat-file', 'commit', 'HEAD'], { cwd: made.root, encoding: 'utf8' });
  const run = await writeCommit(await repositoryOf(made.root), text.replace(/change\n$/, 'other\n'));
  const id = run.kind === 'done' ? run.stdout.toString().trim() : '';
  expect(made.git('log', '-1', '--format=%s %an', id)).toBe('other Ana');
  expect(made.git('rev-parse', `${id}^{tree}`)).toBe(made.git('rev-parse', 'HEAD^{tree}'));
});

/** One commit a day. */
function linear(length: number): TestRepository {
  const made = createRepository();
  const commits = Array.from(
    { length },
    (_, day) =>
      `commit refs/heads/main\ncommitter C <c@example.com> ${START + DAY * day} +0000\ndata 0\nM 644 inline a\ndata 2\n${day % 10}\n\n`,
  );
  importFast(made.root, commits.join(''));
  made.git('tag', 'v1');
  return made;
}

const DAY = 86_400;
const START = Date.parse('2026-01-01T00:00:00Z') / 1000;

test('a shallow clone fetches commits without their history, and more of it by number and by time', async () => {
  const origin = linear(60);
  const ids = origin.git('rev-list', 'HEAD').split('\n');
  const clone = cloneOf(origin, '--depth=1', '--no-tags');
  const repository = await repositoryOf(clone.root);
  const [head = '', old = ''] = [ids.at(0), ids.at(8)];
  const known = (id: string): number => Number(clone.git('rev-list', '--count', id));
  expect(await fetchCommits(repository, 'origin', [old])).toMatchObject({ kind: 'done' });
  expect([known(head), known(old)]).toEqual([1, 1]);
  // From the day of the ninth commit on, and so that one joins the other.
  expect(await deepenSince(repository, 'origin', { ids: [head], seconds: START + DAY * 51 })).toMatchObject({
    kind: 'done',
  });
  expect(known(head)).toBe(9);
  expect(await deepen(repository, 'origin', [head])).toMatchObject({ kind: 'done' });
  expect(known(head)).toBe(59);
  expect(await deepenSince(repository, 'origin', { ids: [head], seconds: -5 })).toMatchObject({ kind: 'done' });
  expect(known(head)).toBe(60);
  // Neither the user's tags nor the place of the last fetch are touched.
  expect(clone.git('tag')).toBe('');
  expect(existsSync(path.join(clone.root, '.git/FETCH_HEAD'))).toBe(false);
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

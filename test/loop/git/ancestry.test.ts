import { expect, test } from 'vitest';
import { compareCheckout, contains } from '../../../src/loop/git/ancestry.ts';
import { cloneOf, createRepository, git } from '../../helpers/repository.ts';
import { historyOf } from './support.ts';

test('a commit in the history of the checkout is nothing to tell', async () => {
  const { root, git: run, commit } = createRepository({ 'a.txt': '1' });
  const first = run('rev-parse', 'HEAD');
  const second = commit({ 'a.txt': '2' });
  const history = await historyOf(root);
  expect(await compareCheckout(history, first)).toBeUndefined();
  expect(await compareCheckout(history, second)).toBeUndefined();
});

test('an older checkout is behind, and one with other commits is apart', async () => {
  const { root, git: run, commit } = createRepository({ 'a.txt': '1' });
  const applied = commit({ 'a.txt': '2' });
  run('reset', '--quiet', '--hard', 'HEAD~1');
  const history = await historyOf(root);
  expect(await compareCheckout(history, applied)).toBe('behind');
  commit({ 'a.txt': '3' });
  expect(await compareCheckout(history, applied)).toBe('apart');
  run('merge', '--quiet', '--strategy=ours', '--message=both', applied);
  expect(await compareCheckout(history, applied)).toBeUndefined();
});

test('a rewritten history is apart, also without a common commit', async () => {
  const { root, git: run, commit } = createRepository({ 'a.txt': '1' });
  const applied = run('rev-parse', 'HEAD');
  run('checkout', '--quiet', '--orphan', 'anew');
  commit({ 'a.txt': '4' });
  expect(await compareCheckout(await historyOf(root), applied)).toBe('apart');
});

test('a shallow clone does not know what it lacks', async () => {
  const origin = createRepository({ 'a.txt': '1' });
  const applied = origin.git('rev-parse', 'HEAD');
  const later = origin.commit({ 'a.txt': '2' });
  const { root } = cloneOf(origin, '--depth=1');
  git(root, 'fetch', '--quiet', '--depth=1', 'origin', applied);
  expect(await compareCheckout(await historyOf(root), applied)).toBeUndefined();
  git(root, 'checkout', '--quiet', applied);
  git(root, 'fetch', '--quiet', '--unshallow', 'origin', later);
  expect(await compareCheckout(await historyOf(root), later)).toBe('behind');
});

test('a branch without a commit, and a commit that is missing, tell nothing', async () => {
  const { root } = createRepository();
  expect(await compareCheckout(await historyOf(root), 'a'.repeat(40))).toBeUndefined();
});

test('a commit contains those before it', async () => {
  const { root, git: run, commit } = createRepository({ 'a.txt': '1' });
  const first = run('rev-parse', 'HEAD');
  const second = commit({ 'a.txt': '2' });
  const history = await historyOf(root);
  expect(await contains(history, { earlier: first, later: second })).toBe('yes');
  expect(await contains(history, { earlier: second, later: first })).toBe('no');
  const third = commit({ 'a.txt': '3' });
  expect(await contains(history, { earlier: first, later: third })).toBe('yes');
  expect(await contains(history, { earlier: 'a'.repeat(40), later: second })).toBe('unknown');
});

test('a shallow clone knows only what it has', async () => {
  const origin = createRepository({ 'a.txt': '1' });
  const first = origin.git('rev-parse', 'HEAD');
  const second = origin.commit({ 'a.txt': '2' });
  const { root } = cloneOf(origin, '--depth=1');
  git(root, 'fetch', '--quiet', '--depth=1', 'origin', first);
  expect(await contains(await historyOf(root), { earlier: first, later: second })).toBe('unknown');
  git(root, 'fetch', '--quiet', '--deepen=1', 'origin', second);
  expect(await contains(await historyOf(root), { earlier: first, later: second })).toBe('yes');
  expect(await contains(await historyOf(root), { earlier: second, later: first })).toBe('no');
});

test('a commit that is the same, or a parent, also the second one of a merge, is known without another process', async () => {
  const { root, git: run, commit } = createRepository({ 'a.txt': '1' });
  const first = run('rev-parse', 'HEAD');
  const second = commit({ 'a.txt': '2' });
  run('checkout', '--quiet', '-b', 'side', first);
  const side = commit({ 'b.txt': '1' });
  run('checkout', '--quiet', 'main');
  run('merge', '--quiet', '--message=both\n\nparent of nothing', side);
  const { repository, objects } = await historyOf(root);
  const history = {
    repository: { ...repository, caller: { ...repository.caller, env: { PATH: '/nowhere' } } },
    objects,
  };
  for (const earlier of [second, side]) {
    expect(await contains(history, { earlier, later: 'HEAD' })).toBe('yes');
    expect(await contains(history, { earlier, later: earlier })).toBe('yes');
    expect(await compareCheckout(history, earlier)).toBeUndefined();
  }
  expect(await contains(history, { earlier: first, later: 'HEAD' })).toBe('unknown');
  expect(await contains(history, { earlier: 'a'.repeat(40), later: 'b'.repeat(40) })).toBe('unknown');
});

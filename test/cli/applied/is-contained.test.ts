/** Whether a commit was merged, in a clone that has too little of the history to know. */

import { expect, test } from 'vitest';
import { isContained } from '../../../src/cli/applied/applied-record.ts';
import { withCheckout } from '../../../src/cli/applied/open-checkout.ts';
import { cloneOf, createRepository, GIT_ENV, importFast, type TestRepository } from '../../helpers/repository.ts';
import { watchSession } from '../../helpers/watched-session.ts';

const DAY = 86_400;
const COMMITS = 120;

/** One commit a day, and a branch beside the last one. */
function daily(): TestRepository {
  const repository = createRepository();
  const commit = (branch: string, number: number, from = ''): string =>
    `commit refs/heads/${branch}\ncommitter A <a@example.com> ${DAY * number} +0000\ndata 1\nx\n${from}M 100644 inline a\ndata 3\n${100 + number}\n`;
  const before = Array.from({ length: COMMITS - 1 }, (_, index) => commit('main', index + 1));
  const beside = commit('beside', COMMITS + 1, 'from refs/heads/main\n');
  importFast(repository.root, [...before, beside, commit('main', COMMITS)].join('\n'));
  return repository;
}

type Answer = Awaited<ReturnType<typeof isContained>>;

async function ask(
  { root }: TestRepository,
  commits: { readonly earlier: string; readonly later: string },
  remote?: string,
): Promise<Answer> {
  const { session } = watchSession({ context: { cwd: root, env: { ...GIT_ENV, HOME: root } } });
  return withCheckout(session, { root, projects: {} } as never, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') throw new Error(opened.kind);
    return isContained({ ...commits, remote }, { checkout, repository: opened.repository });
  });
}

test('a shallow clone gets the history that it needs to know, and no more', async () => {
  const origin = daily();
  const idOf = (name: string): string => origin.git('rev-parse', name);
  const [head, near, far, beside] = ['main', 'main~20', 'main~90', 'beside'].map(idOf) as [
    string,
    string,
    string,
    string,
  ];
  const clone = cloneOf(origin, '--depth=1');
  const count = (): number => Number(clone.git('rev-list', '--count', 'HEAD'));

  expect(await ask(clone, { earlier: head, later: head }, 'origin')).toBe('yes');
  expect(await ask(clone, { earlier: near, later: head })).toBe('unknown');
  expect(await ask(clone, { earlier: near, later: head }, 'gone')).toBe('unknown');
  expect(count()).toBe(1);
  expect(await ask(clone, { earlier: near, later: head }, 'origin')).toBe('yes');
  expect([count() > 20, count() < COMMITS]).toEqual([true, true]);
  // The first commits are still missing.
  expect(await ask(clone, { earlier: beside, later: head }, 'origin')).toBe('unknown');
  expect(await ask(origin, { earlier: beside, later: head }, 'origin')).toBe('no');

  const other = cloneOf(origin, '--depth=1');
  expect(await ask(other, { earlier: far, later: head }, 'origin')).toBe('yes');
  expect(Number(other.git('rev-list', '--count', 'HEAD'))).toBeLessThan(COMMITS);
});

/** Whether a checkout has a commit in its history: in clones of every depth the answer is that of the whole history. */

import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCommits } from '../../ci/commits.mjs';
import { runGit } from '../../ci/shell.mjs';
import { createBare, git, GIT_ENV, importFast } from '../helpers/repository.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { createWorkspace } from '../helpers/workspace.ts';

/** Of each commit its parents, by how many commits they are before it. Without one, it begins a history of its own. */
type History = readonly (readonly number[])[];

const PARENTS = fc.constantFrom([1], [1], [2], [1, 2], [2, 3], []);
const HISTORY: fc.Arbitrary<History> = fc.array(PARENTS, { minLength: 6, maxLength: 14 });
const DEPTH = fc.constantFrom(1, 1, 1, 2, 3, undefined);

/** Commits as refs/heads/c0, c1 …, and their ids. */
function importHistory(root: string, history: History): readonly string[] {
  const stream = history.map((parents, index) => {
    const known = parents.filter((back) => back <= index).map((back) => `:${index - back + 1}`);
    const links = known.map((mark, at) => `${at === 0 ? 'from' : 'merge'} ${mark}\n`).join('');
    return `commit refs/heads/c${index}\nmark :${index + 1}\ncommitter A <a@x> ${index} +0000\ndata 2\n${index % 10}\n${links}\n`;
  });
  importFast(root, `feature done\n${stream.join('')}done\n`);
  const refs = git(root, 'for-each-ref', '--format=%(committerdate:unix) %(objectname)').split('\n');
  return refs
    .map((line) => line.split(' '))
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([, id = '']) => id);
}

test('a clone of any depth knows what the whole history says', async () => {
  await holdsAsync(48, [HISTORY, fc.nat(), fc.nat(), DEPTH], async (history, one, two, depth) => {
    const { root } = createBare();
    git(root, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const commits = importHistory(root, history);
    // Mostly an older commit than that of the checkout.
    const head = commits.at(-1 - (one % 2)) ?? '';
    const other = commits[two % commits.length] ?? '';
    const clone = createWorkspace().root;
    const inClone = (...args: readonly string[]) =>
      runGit(['-C', clone, ...args], { env: { ...GIT_ENV, HOME: clone }, secrets: [] });
    git(clone, 'init', '--quiet', '--template=');
    git(clone, 'remote', 'add', 'origin', `file://${root}`);
    git(clone, 'fetch', '--quiet', ...(depth === undefined ? [] : [`--depth=${depth}`]), 'origin', head);
    git(clone, 'checkout', '--quiet', '--detach', head);
    const { bring, contains } = openCommits({ git: inClone, readFrom: 'origin' });
    expect(await bring(other)).toBe(other);
    expect(await contains(other)).toBe(isAncestor(root, other, head));
  });
});

function isAncestor(root: string, earlier: string, later: string): boolean {
  try {
    execFileSync('git', ['merge-base', '--is-ancestor', earlier, later], { cwd: root, env: GIT_ENV });
    return true;
  } catch {
    return false;
  }
}

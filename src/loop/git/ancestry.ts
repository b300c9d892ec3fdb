/** Finds which of two commits contains the other. */

import type { Objects } from './objects.ts';
import { runGit } from './run-git.ts';
import type { Repository } from './repository.ts';

interface History {
  readonly repository: Repository;
  readonly objects: Objects;
}

interface CommitPair {
  /** The id of a commit. */
  readonly earlier: string;
  readonly later: string;
}

/**
 * `behind`: the checkout is an ancestor of the commit. `apart`: each has commits that the other lacks. `undefined`: the commit is
 * in the history of the checkout, or a part of the history is missing, so that nothing is known.
 */
export async function compareCheckout(history: History, commit: string): Promise<'behind' | 'apart' | undefined> {
  const { caller, shallow } = history.repository;
  if (await isSameOrNext(history, { earlier: commit, later: 'HEAD' })) return undefined;
  const args = ['rev-list', '--left-right', '--count', '--end-of-options', `${commit}...HEAD`];
  const run = await runGit(caller, { args });
  if (run.kind !== 'done') return undefined;
  const [theirs = 0, ours = 0] = run.stdout.toString().split('\t').map(Number);
  if (theirs === 0) return undefined;
  if (ours === 0) return 'behind';
  return shallow ? undefined : 'apart';
}

/** Whether the later commit contains the earlier one. `unknown`: a part of the history is missing. */
export async function contains(history: History, { earlier, later }: CommitPair): Promise<'yes' | 'no' | 'unknown'> {
  const { caller, shallow } = history.repository;
  if (await isSameOrNext(history, { earlier, later })) return 'yes';
  const isAncestor = async (one: string, other: string): Promise<boolean | undefined> => {
    const run = await runGit(caller, { args: ['merge-base', '--is-ancestor', one, other] });
    if (run.kind === 'done') return true;
    return run.kind === 'failed' && run.exit === 1 ? false : undefined;
  };
  const found = await isAncestor(earlier, later);
  if (found === true) return 'yes';
  if (found === false && !shallow) return 'no';
  return (await isAncestor(later, earlier)) === true ? 'no' : 'unknown';
}

/** Answers for most runs without a process of its own. In a shallow clone a commit may name a parent that git does not count. */
async function isSameOrNext({ repository, objects }: History, { earlier, later }: CommitPair): Promise<boolean> {
  if (repository.shallow) return false;
  const commit = await objects.read(`${later}^{commit}`);
  if (commit?.id === earlier) return true;
  // Commits name their parents before their author.
  const [head = ''] = (commit?.bytes?.toString() ?? '').split('\nauthor ', 1);
  return [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].some(([, id]) => id === earlier);
}

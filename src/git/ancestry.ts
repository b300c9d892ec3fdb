/** Which of two commits contains the other. */

import { runGit } from './run-git.ts';
import type { Repository } from './repository.ts';

/**
 * `behind`: the checkout is an ancestor of the commit. `apart`: each has commits that the other lacks. `undefined`: the commit is
 * in the history of the checkout, or a part of the history is missing, so that nothing is known.
 */
export async function compareCheckout(
  { caller, shallow }: Repository,
  commit: string,
): Promise<'behind' | 'apart' | undefined> {
  const args = ['rev-list', '--left-right', '--count', '--end-of-options', `${commit}...HEAD`];
  const run = await runGit(caller, { args });
  if (run.kind !== 'done') return undefined;
  const [theirs = 0, ours = 0] = run.stdout.toString().trim().split('\t').map(Number);
  if (theirs === 0) return undefined;
  if (ours === 0) return 'behind';
  return shallow ? undefined : 'apart';
}

/** `false` too where a part of the history is missing, so that nothing is known. */
export async function isAncestor({ caller }: Repository, earlier: string, later: string): Promise<boolean> {
  const run = await runGit(caller, { args: ['merge-base', '--is-ancestor', earlier, later] });
  return run.kind === 'done';
}

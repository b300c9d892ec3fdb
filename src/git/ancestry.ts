/** Finds which of two commits contains the other. */

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

/** Whether the later commit contains the earlier one. `unknown`: a part of the history is missing. */
export async function contains(
  { caller, shallow }: Repository,
  { earlier, later }: { readonly earlier: string; readonly later: string },
): Promise<'yes' | 'no' | 'unknown'> {
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

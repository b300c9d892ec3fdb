/** Runs changes concurrently: bounded in number, and each after those that it needs. */

import pLimit from 'p-limit';
import type { Change } from '../posthog/plan.ts';
import { outcomeOfError } from './outcome-of-error.ts';
import type { Outcome } from './result.ts';

export interface Schedule {
  readonly concurrency: number;
  readonly run: (change: Change) => Promise<Outcome>;
}

/** The outcome of each change, in the order of `changes`. Every change must follow those that it needs. */
export async function runChanges(
  changes: readonly Change[],
  { concurrency, run }: Schedule,
): Promise<readonly Outcome[]> {
  const limit = pLimit(concurrency);
  const running = new Map<string, Promise<Outcome>>();
  for (const change of changes) {
    const needed = change.needs.flatMap((ref) => {
      const outcome = running.get(ref);
      return outcome === undefined ? [] : [outcome.then(({ outcome: kind }) => ({ ref, kind }))];
    });
    running.set(
      change.ref,
      // A bug of ours fails one change, and the others keep their outcomes.
      runAfter(needed, () => limit(run, change).catch(outcomeOfError)),
    );
  }
  return Promise.all(running.values());
}

interface Needed {
  readonly ref: string;
  readonly kind: Outcome['outcome'];
}

async function runAfter(needed: readonly Promise<Needed>[], start: () => Promise<Outcome>): Promise<Outcome> {
  if (needed.length === 0) return start();
  const refs = (await Promise.all(needed)).filter(({ kind }) => kind !== 'applied').map(({ ref }) => ref);
  return refs.length > 0 ? { outcome: 'skipped', reason: { code: 'needs_failed', refs } } : start();
}

/** Which conditions left their order. */

import type { Pairing } from '../posthog/flag/live-values.ts';

/** Indices of the new list: the fewest that explain the new order. */
export function findMoved(pairing: Pairing): ReadonlySet<number> {
  const kept = longestIncreasing(pairing);
  return new Set(pairing.flatMap((origin, index) => (origin === undefined || kept.has(index) ? [] : [index])));
}

/** Indices of one of the longest subsequences that increase. */
function longestIncreasing(values: readonly (number | undefined)[]): ReadonlySet<number> {
  let best: readonly number[] = [];
  const endingAt: (readonly number[])[] = [];
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      endingAt.push([]);
      continue;
    }
    const before = endingAt.reduce<readonly number[]>((longest, chain) => {
      const last = values[chain.at(-1) ?? -1];
      return last !== undefined && last < value && chain.length > longest.length ? chain : longest;
    }, []);
    const chain = [...before, index];
    endingAt.push(chain);
    if (chain.length > best.length) best = chain;
  }
  return new Set(best);
}

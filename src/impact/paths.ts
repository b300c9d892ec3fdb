/**
 * All outcomes of a function that asks how hashes decide, each with its probability. A hash is uniform in its range and independent
 * of hashes with other names, so the outcomes are exact.
 */

import type { HashName } from '../evaluation/assumptions.ts';

/** Whether the hash lies in the first `share` of its range. */
export type Decide = (hash: HashName, share: number) => boolean;

export interface Weighted<Outcome> {
  readonly outcome: Outcome;
  readonly weight: number;
}

/** Calls `run` once for each path of decisions; `undefined` if there are more than `most`. `run` must be a function of the decisions. */
export function followPaths<Outcome>(
  run: (decide: Decide) => Outcome,
  most: number,
): readonly Weighted<Outcome>[] | undefined {
  const found: Weighted<Outcome>[] = [];
  const ahead: DecisionPath[] = [[]];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (found.length + ahead.length >= most) return undefined;
    const walk = createWalk(path);
    const outcome = run(walk.decide);
    found.push({ outcome, weight: walk.weight() });
    ahead.push(...walk.forks);
  }
  return found;
}

/** The first decisions of a run, those that could have been otherwise. */
type DecisionPath = readonly boolean[];

interface PathWalk {
  readonly decide: Decide;
  readonly weight: () => number;
  /** The paths that branch off at choices of this one. */
  readonly forks: readonly DecisionPath[];
}

function createWalk(choices: DecisionPath): PathWalk {
  const taken: boolean[] = [];
  const forks: DecisionPath[] = [];
  let weight = 1;
  const decide = askOpen(({ share, range: [low, high] }) => {
    const isFirst = choices[taken.length] ?? true;
    const first = (share - low) / (high - low);
    if (taken.length >= choices.length) forks.push([...taken, false]);
    taken.push(isFirst);
    weight *= isFirst ? first : 1 - first;
    return isFirst;
  });
  return { decide, weight: () => weight, forks };
}

/** A decision that earlier ones on the same hash leave open; `range`: where the hash is by them. */
interface OpenDecision {
  readonly hash: HashName;
  readonly share: number;
  readonly range: readonly [low: number, high: number];
}

/** Sums of decimal shares miss each other by less. */
const NEGLIGIBLE = 1e-9;

/** Asks only what earlier answers do not imply. */
export function askOpen(ask: (decision: OpenDecision) => boolean): Decide {
  const ranges = new Map<string, OpenDecision['range']>();
  return (hash, share) => {
    const name = `${hash.kind} ${hash.flagKey}.${hash.identifier}`;
    const range = ranges.get(name) ?? [0, 1];
    const [low, high] = range;
    if (share >= high - NEGLIGIBLE) return true;
    if (share <= low + NEGLIGIBLE) return false;
    const isBelow = ask({ hash, share, range });
    ranges.set(name, isBelow ? [low, share] : [share, high]);
    return isBelow;
  };
}

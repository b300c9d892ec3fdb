/** All ways in which the hashes of a person may decide, for tests that need exact shares. */

import { askOpen, type Decide } from '../../../src/review/impact/persons/count-persons.ts';

interface Weighted<Outcome> {
  readonly outcome: Outcome;
  readonly weight: number;
}

/**
 * All outcomes of a function that asks how hashes decide, each with its probability. A hash is uniform in its range and independent
 * of hashes with other names, so the outcomes are exact.
 *
 * Calls `run` once for each path of decisions; `undefined` if there are more than `most`. `run` must be a function of the decisions.
 */
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

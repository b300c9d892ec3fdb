/** The shares of an audience that get something else: integrated over the hashes, or where that has too many cases, sampled. */

import type { Decide } from './paths.ts';
import { followPaths, type Weighted } from './paths.ts';
import type { EvaluationContext } from '../evaluation/input.ts';
import type { Method, Shares } from './impact.ts';
import { findOutcome, type Outcome, type Pair } from './outcome.ts';
import { subjectOf, type Witness } from './witness.ts';

export interface Measured {
  readonly shares: Shares;
  readonly method: Method;
}

export interface Question {
  readonly pair: Pair;
  readonly witness: Witness;
  readonly context: EvaluationContext;
}

/** `undefined` where the hashes can decide in more than `most` ways. */
export function integrate({ pair, witness, context }: Question, most: number): Measured | undefined {
  const subject = subjectOf(witness, '');
  const run = (hash: Decide): Outcome => findOutcome(pair, subject, { ...context, assumptions: { hash } });
  const outcomes = followPaths(run, most);
  return outcomes === undefined ? undefined : { shares: sharesOf(outcomes), method: { kind: 'exact' } };
}

/** The same people in every run. */
export function sample({ pair, witness, context }: Question, people: number): Measured {
  const outcomes = Array.from({ length: people }, (_, index) => ({
    outcome: findOutcome(pair, subjectOf(witness, String(index)), context),
    weight: 1 / people,
  }));
  return { shares: sharesOf(outcomes), method: { kind: 'sampled', people, margin: marginOf(people) } };
}

/** Hoeffding's bound, which holds for any share. */
function marginOf(people: number): number {
  return Math.ceil(1e4 * Math.sqrt(Math.log(2 / UNCERTAINTY) / (2 * people))) / 100;
}

const UNCERTAINTY = 0.01;

function sharesOf(outcomes: readonly Weighted<Outcome>[]): Shares {
  const share = (wanted: keyof Shares): number => {
    const weight = outcomes.reduce((sum, { outcome, weight: own }) => (outcome === wanted ? sum + own : sum), 0);
    return Math.round(weight * 1e8) / 1e6;
  };
  return {
    turnsOn: share('turnsOn'),
    turnsOff: share('turnsOff'),
    changesVariant: share('changesVariant'),
    changesPayload: share('changesPayload'),
  };
}

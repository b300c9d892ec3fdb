/** The changes of one matched pair, and what of them a run leaves as it is live. */

import type { Comparison, Model, World } from './kind.ts';
import { findLeft, type Left } from './left.ts';
import type { Match } from './matched.ts';

export interface ComparedPair<M extends Model> extends Required<Comparison<M>> {
  readonly left: readonly Left[];
}

export function comparePair<M extends Model>(pair: Match<M['desired'], M['live']>, world: World<M>): ComparedPair<M> {
  const { left } = pair;
  if (left === undefined) return { ...compareKinds(pair, world), left: [] };
  const all = compareKinds({ ...pair, desired: left.declared }, world);
  const made = left.whole ? [] : compareKinds(pair, world).changes;
  return { ...all, changes: made, left: findLeft(all.changes, made, world) };
}

function compareKinds<M extends Model>(
  pair: Match<M['desired'], M['live']>,
  { kinds, snapshot }: World<M>,
): Required<Comparison<M>> {
  const compared = kinds.map((kind) => kind.compare(pair, snapshot));
  return {
    changes: compared.flatMap(({ changes }) => changes),
    warnings: compared.flatMap(({ warnings }) => warnings),
    converged: compared.reduce((sum, { converged = 0 }) => sum + converged, 0),
  };
}

/** The one function that computes changes: preview, drift, apply and verification all call it. */

import type { Comparison, Model, World } from './kind.ts';
import type { Matches } from './match.ts';
import type { Match } from './matched.ts';
import { orderChanges } from './order.ts';
import type { Plan } from './plan.ts';
import { matchScope, unmatchedPatterns, type Scope } from './scope.ts';
import { sealPlan, type SealOptions } from './seal-plan.ts';
import { matchTargets } from './targets.ts';

export interface PlanOptions extends SealOptions {
  readonly scope: Scope;
  /** Delete live resources in scope that no manifest names. */
  readonly prune: boolean;
  /** Keys or patterns that limit the run, which includes what they depend on. */
  readonly targets?: readonly string[];
}

/**
 * What makes live state match the desired one. Pure: equal states give equal plans, whatever their order.
 *
 *  1. compare each matched pair             4. predict refusals, find hazards
 *  2. choose what to prune                  5. sum up and fingerprint
 *  3. order the changes
 */
export function makePlan<M extends Model>(
  matches: Matches<M['desired'], M['live']>,
  world: World<M> & { readonly live: readonly M['live'][] },
  options: PlanOptions,
): Plan<M> {
  const desired = matches.pairs.map((pair) => pair.desired);
  const isTarget = matchTargets(desired, options.targets, world.kinds);
  const inScope = matchScope(options.scope);
  const pairs = matches.pairs.filter(({ desired: { key } }) => isTarget(key));
  const unmanaged = matches.unmanaged.filter(({ key }) => inScope(key));
  const doomed = options.prune ? unmanaged.filter(({ key }) => isTarget(key)) : [];

  const compared = pairs.map((pair) => comparePair(pair, world));
  const pruned = doomed.flatMap((live) => prune(live, world));
  const changes = orderChanges([...compared.flatMap((pair) => pair.changes), ...pruned], world);
  const known = [...world.live.filter(({ deleted }) => deleted !== true), ...desired].map(({ key }) => key);

  return sealPlan(
    {
      changes,
      reach: pairs.filter(({ live }) => live !== undefined).length + doomed.length,
      kept: matches.pairs.filter((pair) => pair.live !== undefined && pair.desired.kind === 'declared').length,
      unchanged: compared.filter((pair) => pair.changes.length === 0).length,
      known,
      unmanaged: { count: matches.unmanaged.length, inScope: unmanaged.map(({ key }) => key) },
      warnings: [
        ...unmatchedPatterns(options.targets ?? [], known).map((key) => ({ code: 'target_unknown' as const, key })),
        ...unmatchedPatterns(options.protected, known).map((key) => ({ code: 'protected_unmatched' as const, key })),
        ...matches.warnings.filter(({ key }) => isTarget(key)),
        ...matches.namedElsewhere
          .filter(({ key }) => inScope(key) && isTarget(key))
          .map(({ key, id }) => ({ code: 'named_elsewhere' as const, key, id })),
        ...compared.flatMap((pair) => pair.warnings),
      ],
    },
    world,
    options,
  );
}

function comparePair<M extends Model>(
  pair: Match<M['desired'], M['live']>,
  { kinds, snapshot }: World<M>,
): Comparison<M> {
  const changes: M['change'][] = [];
  const warnings: M['warning'][] = [];
  for (const kind of kinds) {
    const compared = kind.compare(pair, snapshot);
    changes.push(...compared.changes);
    warnings.push(...compared.warnings);
  }
  return { changes, warnings };
}

function prune<M extends Model>(live: M['live'], { kinds, snapshot }: World<M>): M['change'][] {
  return kinds.flatMap((kind) => kind.prune?.(live, snapshot) ?? []);
}

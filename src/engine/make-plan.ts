/** The one function that computes changes: preview, drift, apply and verification all call it. */

import { defined } from '../base/optional.ts';
import { comparePair, type ComparedPair } from './compare-pair.ts';
import { familyOf, nameOf, type Model, type Unnamed, type World } from './kind.ts';
import type { Leaving } from './left.ts';
import type { Matches } from './match.ts';
import { orderChanges } from './order.ts';
import type { Plan } from './plan.ts';
import { matchScope, unmatchedPatterns, type KeyMatcher, type Scope } from './scope.ts';
import { sealPlan, type SealOptions } from './seal-plan.ts';
import { matchTargets, type Declared } from './targets.ts';

export interface PlanOptions extends SealOptions {
  readonly scope: Scope;
  /** Delete live resources in scope that no manifest names. */
  readonly prune: boolean;
  /** Keys or patterns that limit the run, which includes what they depend on. */
  readonly targets?: readonly string[];
  /** Differences that the run leaves as they are live. */
  readonly leaving?: Leaving;
}

/** Resources of one kind of their own, matched. */
interface Family<M extends Model> {
  /** The name of the kind. */
  readonly name: string;
  readonly matches: Matches<M['desired'], M['live']>;
  readonly live: readonly M['live'][];
}

/** `live`: the resources of the main family. */
export interface WorldToPlan<M extends Model> extends World<M> {
  readonly live: readonly M['live'][];
  /** They are neither pruned nor reported where no manifest names them. */
  readonly further?: readonly Family<M>[];
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
  world: WorldToPlan<M>,
  options: PlanOptions,
): Plan<M> {
  const families = [{ name: mainOf(world), matches, live: world.live }, ...(world.further ?? [])];
  const declared = new Map(families.flatMap((family) => nameDeclared(family, world)));
  const isTarget = matchTargets(declared, options.targets, world.kinds);
  const inScope = matchScope(options.scope);
  const unmanaged = matches.unmanaged.filter(({ key }) => inScope(key));
  const prunable = unmanaged.filter(({ key }) => isTarget(key) && wasDeclared(key, matches));
  const doomed = options.prune ? prunable : [];

  const compared = families.flatMap((family) => compareFamily(family, { isTarget, leaving: options.leaving }, world));
  const pruned = doomed.flatMap((live) => prune({ live, base: matches.base?.get(live.key) }, world));
  const changes = orderChanges([...compared.flatMap((pair) => pair.changes), ...pruned], world);
  const known = [...world.live.filter(({ deleted }) => deleted !== true).map(({ key }) => key), ...declared.keys()];

  return sealPlan(
    {
      changes,
      reach: compared.filter(({ isLive }) => isLive).length + doomed.length,
      kept: matches.pairs.filter((pair) => pair.live !== undefined && pair.desired.kind === 'declared').length,
      unchanged: compared.filter((pair) => pair.changes.length + pair.left.length === 0).length,
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
      left: compared.flatMap((pair) => pair.left),
      observed: compared.flatMap((pair) => pair.observed),
      ...(matches.base === undefined
        ? {}
        : againstBase(matches.base, { compared, released: options.prune ? [] : prunable })),
    },
    world,
    options,
  );
}

/** Without a base no record tells what was managed, so that every unmanaged resource counts. */
function wasDeclared<M extends Model>(key: string, { base }: Matches<M['desired'], M['live']>): boolean {
  return base === undefined || base.get(key)?.kind === 'declared';
}

interface AgainstBase<M extends Model> {
  readonly compared: readonly ComparedPair<M>[];
  readonly released: readonly M['live'][];
}

function againstBase<M extends Model>(
  base: ReadonlyMap<string, M['desired']>,
  { compared, released }: AgainstBase<M>,
): Required<Pick<Plan<M>, 'released' | 'converged'>> {
  return {
    released: released.map(({ key }) => ({ key, ...defined({ place: base.get(key)?.places?.place }) })),
    converged: compared.reduce((sum, pair) => sum + pair.converged, 0),
  };
}

function mainOf<M extends Model>({ kinds }: World<M>): string {
  const [main] = kinds;
  return main === undefined ? '' : familyOf(main);
}

function nameDeclared<M extends Model>(
  { name: family, matches: { pairs } }: Family<M>,
  { kinds }: World<M>,
): (readonly [name: string, Declared<M>])[] {
  return pairs.map(({ desired: resource }) => [nameOf(kinds, family, resource.key), { family, resource }]);
}

function compareFamily<M extends Model>(
  { name: family, matches }: Family<M>,
  { isTarget, leaving }: { readonly isTarget: KeyMatcher; readonly leaving: Leaving | undefined },
  world: World<M>,
): (ComparedPair<M> & { readonly isLive: boolean })[] {
  const kinds = world.kinds.filter((kind) => familyOf(kind) === family);
  return matches.pairs
    .filter(({ desired: { key } }) => isTarget(nameOf(world.kinds, family, key)))
    .map((pair) => ({ ...comparePair(pair, { ...world, kinds }, leaving), isLive: pair.live !== undefined }));
}

function prune<M extends Model>(unnamed: Unnamed<M['desired'], M['live']>, world: World<M>): M['change'][] {
  const own = world.kinds.filter((kind) => familyOf(kind) === mainOf(world));
  return own.flatMap((kind) => kind.prune?.(unnamed, world.snapshot) ?? []);
}

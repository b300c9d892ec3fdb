/** The one function that computes changes: preview, drift, apply and verification all call it. */

import { defined } from '../../base/optional.ts';
import type { PlannedRollout } from '../rollout/rollout.ts';
import type { EarlierBase, Released } from './base.ts';
import { familyOf, nameOf, presentIn, type Model, type Unnamed, type World, kindOf, type Comparison } from './kind.ts';
import type { LeaveRule, LeftChange, Match } from './matched.ts';
import type { Matches } from './match.ts';
import { orderChanges } from './order.ts';
import type { FamilyFacts, Plan, RuleWarning } from './plan.ts';
import {
  type KeyMatcher,
  matchScope,
  matchTargets,
  type Scope,
  type TargetedResource,
  unmatchedPatterns,
} from './scope.ts';
import { sealPlan, type SealOptions } from './seal-plan.ts';
import type { FieldChange } from './change.ts';

export interface PlanOptions extends SealOptions {
  readonly scope: Scope;
  /** Delete live resources in scope that no manifest names. */
  readonly prune: boolean;
  /** Keys or patterns that limit the run, which includes what they depend on. */
  readonly targets?: readonly string[];
  /** Differences that the run leaves as they are live: a value is written if none of these leaves it. */
  readonly leaving?: readonly LeaveRule[];
}

/** What the comparison found and the plan does not change. */
interface UnplannedParts<M extends Model> {
  readonly left: readonly LeftChange[];
  readonly warnings: readonly M['warning'][];
}

/** The matched resources of one family. */
interface FamilyMatches<M extends Model> {
  /** The name of its main kind. */
  readonly name: string;
  readonly matches: Matches<M['desired'], M['live']>;
  readonly live: readonly M['live'][];
  /** Warnings of the matching; `key`: the name in options. */
  readonly warnings?: readonly M['warning'][];
  /** Live resources that only the base declared and that are not among the unmanaged ones. */
  readonly released?: readonly M['live'][];
}

/** `live`: the resources of the main family. */
export interface WorldToPlan<M extends Model> extends World<M> {
  readonly live: readonly M['live'][];
  /** Further families are neither pruned nor reported if no manifest names them. */
  readonly further?: readonly FamilyMatches<M>[];
  /** Finds the last applied commit of declared differences that the plan does not make. */
  readonly findEarlier?: (given: UnplannedParts<M>) => readonly EarlierBase[];
  /** The declared values that change over time, with what the differences say of them. */
  readonly findRollouts?: (given: Pick<Plan<M>, 'changes' | 'left'>) => readonly PlannedRollout[];
}

/**
 * Computes the changes that make live state match the desired one. Pure: equal states give equal plans, whatever their order.
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
  const isTarget = matchTargets(declared, options.targets, world);
  const inScope = matchScope(options.scope);
  const unmanaged = matches.unmanaged.filter(({ key }) => inScope(key));
  const prunable = unmanaged.filter(({ key }) => isTarget(key) && wasDeclared(key, matches));
  const toPrune = options.prune ? prunable : [];

  const byFamily = families.map((family) => compareFamily(family, { isTarget, leaving: options.leaving }, world));
  const compared = byFamily.flatMap(({ pairs }) => pairs);
  const pruned = toPrune.flatMap((live) => prune({ live, base: matches.base?.get(live.key) }, world));
  const changes = orderChanges([...compared.flatMap((pair) => pair.changes), ...pruned], world);
  const left = compared.flatMap((pair) => pair.left);
  const ofFamilies = families.flatMap((family) => family.warnings ?? []);
  const warnings = [...ofFamilies.filter(({ key }) => isTarget(key)), ...compared.flatMap((pair) => pair.warnings)];
  const known = [...world.live.filter(({ deleted }) => deleted !== true).map(({ key }) => key), ...declared.keys()];

  return sealPlan(
    {
      changes,
      families: byFamily.map((family) => sumUpFamily(family, { toPrune: toPrune.length, main: mainOf(world) })),
      kept: matches.pairs.filter((pair) => pair.live !== undefined && pair.desired.kind === 'declared').length,
      unmanaged: { count: matches.unmanaged.length, inScope: unmanaged.map(({ key }) => key) },
      warnings: [
        ...warnOfNames(known, options),
        ...matches.warnings.filter(({ key }) => isTarget(key)),
        ...warnOfElsewhere(matches, (key) => inScope(key) && isTarget(key)),
        ...warnings,
      ],
      left,
      ...defined({
        unrecorded: world.findEarlier?.({ left, warnings }),
        rollouts: world.findRollouts?.({ changes, left }),
      }),
      observed: compared.flatMap((pair) => pair.observed),
      ...againstBase(matches, compared, () => {
        const kept = options.prune ? [] : prunable.map((live) => toReleased(live, live.key, matches));
        return [...kept, ...families.flatMap((family) => releasedOf(family, isTarget, world))];
      }),
    },
    world,
    options,
  );
}

function warnOfElsewhere<M extends Model>(
  { namedElsewhere }: Matches<M['desired'], M['live']>,
  isChosen: KeyMatcher,
): RuleWarning[] {
  return namedElsewhere.filter(({ key }) => isChosen(key)).map(({ key, id }) => ({ code: 'named_elsewhere', key, id }));
}

function warnOfNames(known: readonly string[], { targets = [], protected: patterns }: PlanOptions): RuleWarning[] {
  return [
    ...unmatchedPatterns(targets, known).map((key) => ({ code: 'target_unknown' as const, key })),
    ...unmatchedPatterns(patterns, known).map((key) => ({ code: 'protected_unmatched' as const, key })),
  ];
}

/** A missing base leaves no record of what was managed, so every unmanaged resource counts. */
function wasDeclared<M extends Model>(key: string, { base }: Matches<M['desired'], M['live']>): boolean {
  return base === undefined || base.get(key)?.kind === 'declared';
}

function againstBase<M extends Model>(
  { base }: Matches<M['desired'], M['live']>,
  compared: readonly ComparedPair<M>[],
  released: () => readonly Released[],
): Pick<Plan<M>, 'released' | 'converged'> {
  if (base === undefined) return {};
  return { released: released(), converged: compared.reduce((sum, pair) => sum + pair.converged, 0) };
}

function releasedOf<M extends Model>(
  { name: family, matches, released = [] }: FamilyMatches<M>,
  isTarget: KeyMatcher,
  { kinds }: World<M>,
): readonly Released[] {
  return released
    .map((live) => toReleased(live, nameOf(kinds, family, live.key), matches))
    .filter(({ key }) => isTarget(key));
}

/** `key`: the name in options. */
function toReleased<M extends Model>(
  live: M['live'],
  key: string,
  { base }: Matches<M['desired'], M['live']>,
): Released {
  return { key, ...defined({ place: base?.get(live.key)?.places?.place }) };
}

function mainOf<M extends Model>({ kinds }: World<M>): string {
  const [main] = kinds;
  return main === undefined ? '' : familyOf(main);
}

function nameDeclared<M extends Model>(
  { name: family, matches: { pairs } }: FamilyMatches<M>,
  { kinds }: World<M>,
): (readonly [name: string, TargetedResource<M>])[] {
  return pairs.map(({ desired: resource }) => [nameOf(kinds, family, resource.key), { family, resource }]);
}

interface ComparedFamily<M extends Model> {
  readonly name: string;
  readonly pairs: readonly (ComparedPair<M> & { readonly isLive: boolean })[];
}

function compareFamily<M extends Model>(
  { name: family, matches }: FamilyMatches<M>,
  { isTarget, leaving }: { readonly isTarget: KeyMatcher; readonly leaving: readonly LeaveRule[] | undefined },
  world: World<M>,
): ComparedFamily<M> {
  const kinds = presentIn(world).filter((kind) => familyOf(kind) === family);
  const pairs = matches.pairs
    .map((pair) => ({ pair, name: nameOf(world.kinds, family, pair.desired.key) }))
    .filter(({ name }) => isTarget(name))
    .map(({ pair, name }) => ({
      ...comparePair(pair, { ...world, kinds }, { leaving, name }),
      isLive: pair.live !== undefined,
    }));
  return { name: family, pairs };
}

/** `toPrune`: how many resources of the main family are pruned. */
function sumUpFamily<M extends Model>(
  { name, pairs }: ComparedFamily<M>,
  { toPrune, main }: { readonly toPrune: number; readonly main: string },
): FamilyFacts {
  const live = pairs.filter(({ isLive }) => isLive).length;
  return {
    name,
    reach: name === main ? live + toPrune : live,
    unchanged: pairs.filter((pair) => pair.changes.length + pair.left.length === 0).length,
  };
}

function prune<M extends Model>(unnamed: Unnamed<M['desired'], M['live']>, world: World<M>): M['change'][] {
  const own = world.kinds.filter((kind) => familyOf(kind) === mainOf(world));
  return own.flatMap((kind) => kind.prune?.(unnamed, world.snapshot) ?? []);
}

interface ComparedPair<M extends Model> extends Required<Comparison<M>> {
  readonly left: readonly LeftChange[];
}

/** `name`: how options name the resource. `world`: with the kinds of its family. */
function comparePair<M extends Model>(
  pair: Match<M['desired'], M['live']>,
  world: World<M>,
  { leaving = [], name }: { readonly leaving: readonly LeaveRule[] | undefined; readonly name: string },
): ComparedPair<M> {
  if (pair.isUnwritable === true) return NOTHING;
  const all = compareKinds(pair, world);
  let { changes } = all;
  let match: typeof pair | undefined = pair;
  for (const one of leaving) {
    const isLeft = (part: FieldChange, change: M['change']): boolean => one.isLeft(part, { change, match: pair, name });
    const chosen = choose(changes, world.kinds, isLeft);
    if (match === undefined || chosen.length === 0) continue;
    match = leave(chosen, match, { ...world, leaving: one });
    changes = match === undefined ? [] : compareKinds(match, world).changes;
  }
  return { ...all, changes, left: changes === all.changes ? [] : findLeft(all.changes, changes, world) };
}

const NOTHING = { changes: [], warnings: [], observed: [], converged: 0, left: [] } as const;

function compareKinds<M extends Model>(
  pair: Match<M['desired'], M['live']>,
  { kinds, snapshot }: World<M>,
): Required<Comparison<M>> {
  const compared = kinds.map((kind) => kind.compare(pair, snapshot));
  return {
    changes: compared.flatMap(({ changes }) => changes),
    warnings: compared.flatMap(({ warnings }) => warnings),
    observed: compared.flatMap(({ observed = [] }) => observed),
    converged: compared.reduce((sum, { converged = 0 }) => sum + converged, 0),
  };
}

interface ChosenParts<M extends Model> {
  readonly change: M['change'];
  readonly parts: readonly FieldChange[];
}

function choose<M extends Model>(
  changes: readonly M['change'][],
  kinds: World<M>['kinds'],
  isLeft: (part: FieldChange, change: M['change']) => boolean,
): ChosenParts<M>[] {
  return changes.flatMap((change): ChosenParts<M>[] => {
    const all = kindOf(kinds, change).parts(change);
    const parts = all.filter((part) => isLeft(part, change));
    // A create is left whole or not at all: a part of a resource that does not exist cannot be left as it is live.
    const isMissed = change.action === 'create' && parts.length < all.length;
    return parts.length === 0 || isMissed ? [] : [{ change, parts }];
  });
}

/** The pair whose desired resource has live values in place of what is left; `undefined` if all of it is left. */
function leave<M extends Model>(
  chosen: readonly ChosenParts<M>[],
  pair: Match<M['desired'], M['live']>,
  { kinds, snapshot, leaving }: World<M> & { readonly leaving: LeaveRule },
): Match<M['desired'], M['live']> | undefined {
  let match = pair;
  for (const { change, parts } of chosen) {
    const desired = kindOf(kinds, change).leave?.({ change, parts, match, by: leaving.by }, snapshot);
    if (desired === undefined) return undefined;
    match = { ...match, desired };
  }
  return match;
}

/** The fields of `all` that are missing in `made`. */
function findLeft<M extends Model>(
  all: readonly M['change'][],
  made: readonly M['change'][],
  { kinds }: Pick<World<M>, 'kinds'>,
): readonly LeftChange[] {
  const parts = (change: M['change']): readonly FieldChange[] => kindOf(kinds, change).parts(change);
  const paths = new Map(made.map((change) => [change.ref, new Set(parts(change).map(({ path }) => path))]));
  return all.flatMap((change): LeftChange[] => {
    const fields = parts(change).filter(({ path }) => paths.get(change.ref)?.has(path) !== true);
    const { ref, resource, key, id, action } = change;
    return fields.length === 0 ? [] : [{ ref, resource, key, ...defined({ id }), action, fields }];
  });
}

/** Finds which flags and cohorts use a cohort: as they are live, and as a plan leaves them. */

import { reach } from '../../base/graph.ts';
import { definedKeys, type JsonObject, type JsonValue } from '../../base/json.ts';
import { viewFilters } from '../flag/model/flag.ts';
import { cohortValues } from '../flag/model/references.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';
import { cohortsIn, leavesOf, readReference, type CohortReference } from '../flag/model/cohort-filters.ts';
import type { CohortSnapshot } from './cohort.ts';

/** Cohorts are named by id, or by the alias of one that a plan creates. */
export interface CohortUses {
  /** The cohorts that each flag, by key, and each cohort names. */
  readonly named: {
    readonly flags: ReadonlyMap<string, FlagNode>;
    readonly cohorts: ReadonlyMap<CohortReference, CohortNode>;
  };
  /** What names a cohort itself: flags by key. */
  readonly users: ReadonlyMap<CohortReference, { readonly flags: string[]; readonly cohorts: CohortReference[] }>;
  /** The cohorts whose definition, or that of one within, depends on events. */
  readonly onEvents: ReadonlySet<CohortReference>;
}

interface FlagNode {
  readonly names: readonly CohortReference[];
  readonly filters: JsonValue | undefined;
}

interface CohortNode {
  readonly names: readonly CohortReference[];
  /** Those among them that it does not simply include. */
  readonly excluded: readonly CohortReference[];
  readonly leaves: readonly JsonObject[];
}

/** The uses in live state. */
export function usesNow(flags: FlagSnapshot, cohorts: CohortSnapshot): CohortUses {
  const live = flags.all.filter(({ deleted }) => deleted !== true);
  return findUses({
    flags: new Map(live.map((flag) => [flags.keyOf(flag.id) ?? flag.key, nodeOfFlag(flag.filters, cohorts)])),
    cohorts: new Map(
      cohorts.all
        .filter(({ deleted }) => deleted !== true)
        .map((cohort) => [cohort.id, nodeOf(cohort.is_static === true ? null : cohort.filters, cohorts)]),
    ),
  });
}

/** The uses after the changes. */
export function usesAfter(changes: readonly Change[], { named }: CohortUses, cohorts: CohortSnapshot): CohortUses {
  const flags = new Map(named.flags);
  const nodes = new Map(named.cohorts);
  for (const change of changes) {
    if (change.resource !== 'flag' && change.resource !== 'cohort') continue;
    const isGone = change.action === 'delete';
    const own = isGone ? undefined : change.body['filters'];
    // One that comes back without other filters has those of before.
    const filters =
      own === undefined && change.action === 'restore'
        ? (change.resource === 'flag' ? change.base.flag : change.base.cohort)['filters']
        : own;
    if (change.resource === 'flag') {
      if (isGone) flags.delete(change.key);
      if (filters !== undefined) flags.set(change.key, nodeOfFlag(filters, cohorts));
      continue;
    }
    const reference = change.id ?? change.key;
    if (isGone) nodes.delete(reference);
    if (filters !== undefined) nodes.set(reference, nodeOf(filters, cohorts));
  }
  return findUses({ flags, cohorts: nodes });
}

function findUses(named: CohortUses['named']): CohortUses {
  const users = new Map<CohortReference, { flags: string[]; cohorts: CohortReference[] }>();
  const usersOf = (reference: CohortReference): { flags: string[]; cohorts: CohortReference[] } => {
    const known = users.get(reference) ?? { flags: [], cohorts: [] };
    users.set(reference, known);
    return known;
  };
  for (const [key, { names }] of named.flags) for (const name of names) usersOf(name).flags.push(key);
  for (const [user, { names }] of named.cohorts) for (const name of names) usersOf(name).cohorts.push(user);
  const own = [...named.cohorts].filter(([, { leaves }]) => leaves.some(({ type }) => type === 'behavioral'));
  const onEvents = reach(
    own.map(([reference]) => reference),
    (reference) => users.get(reference)?.cohorts ?? [],
  );
  return { named, users, onEvents };
}

/** The flags with a condition on the cohort, itself or through other cohorts, sorted. */
export function flagsUsing(reference: CohortReference, { users }: CohortUses): readonly string[] {
  const around = reach([reference], (one) => users.get(one)?.cohorts ?? []);
  return [...new Set([...around].flatMap((one) => users.get(one)?.flags ?? []))].toSorted();
}

/** What a flag may do for somebody who joins a cohort, and of whom nothing else changes; for somebody who leaves it, the opposite. */
export type CohortUse =
  /** It turns on. */
  | 'in'
  /** It turns off. */
  | 'not_in'
  /** Another condition chooses the variant. */
  | 'variants'
  /** Anything. */
  | 'other';

/** How flags use the cohort, itself or through other cohorts. `uses`: those in which each flag and cohort is judged. */
export function waysOfUse(
  reference: CohortReference,
  uses: readonly CohortUses[],
  cohorts: CohortSnapshot,
): readonly CohortUse[] {
  const usersOf = (one: CohortReference): readonly CohortReference[] =>
    uses.flatMap(({ users }) => users.get(one)?.cohorts ?? []);
  const around = reach([reference], usersOf);
  const excludes = (one: CohortReference): boolean =>
    uses.some(({ named }) => named.cohorts.get(one)?.excluded.some((name) => around.has(name)));
  // Who joins the cohort may leave these, and those that name them.
  const mixed = reach([...around].filter(excludes), usersOf);
  const found = new Set<CohortUse>();
  for (const { named, users } of uses)
    for (const key of new Set([...around].flatMap((one) => users.get(one)?.flags ?? [])))
      for (const use of usesIn(named.flags.get(key)?.filters, (value) => {
        const name = readReference(value);
        const named = name === undefined ? undefined : resolve(name, cohorts);
        if (named === undefined || !around.has(named)) return undefined;
        return mixed.has(named) ? 'other' : 'in';
      }))
        found.add(use);
  return USES.filter((use) => found.has(use));
}

const USES: readonly CohortUse[] = ['in', 'not_in', 'variants', 'other'];

/** `changes`: whether a cohort gains members with the changed one; `undefined` for one that has the same. */
function usesIn(
  filters: JsonValue | undefined,
  changes: (cohort: JsonValue | undefined) => 'in' | 'other' | undefined,
): readonly CohortUse[] {
  const view = viewFilters(filters);
  const { conditions, properties, references, variants } = view;
  const ofCohorts = properties.filter(({ part: { type, value } }) => type === 'cohort' && value !== undefined);
  const isJudged =
    !view.isOpaque &&
    !view.hasUnreadConditions &&
    definedKeys(view.filters).every((part) => JUDGED.filters.has(part)) &&
    conditions.every(({ part }) => definedKeys(part).every((member) => JUDGED.condition.has(member))) &&
    // Who matches a condition but is outside its rollout does not reach the next one.
    view.filters['early_exit'] !== true &&
    // A flag on which it depends may use the cohort too.
    references.flags.length === 0 &&
    references.cohorts.length === ofCohorts.length;
  if (!isJudged) return ['other'];
  const found = ofCohorts.flatMap(({ part: { operator, negation, value } }): CohortUse[] => {
    const change = changes(value);
    if (change === undefined) return [];
    return [change === 'other' || negation === true ? 'other' : operator === 'not_in' ? 'not_in' : 'in'];
  });
  return variants.length > 0 && conditions.length > 1 ? [...found, 'variants'] : found;
}

/** What else may decide by a cohort is not judged. */
const JUDGED = {
  filters: new Set([
    'groups',
    'multivariate',
    'payloads',
    'aggregation_group_type_index',
    'early_exit',
    'feature_enrollment',
    'holdout',
    'super_groups',
  ]),
  condition: new Set([
    'properties',
    'rollout_percentage',
    'variant',
    'description',
    'aggregation_group_type_index',
    'sort_key',
  ]),
};

/** The cohorts that the filters of a flag name. */
export function namedByFlag(filters: JsonValue | undefined, cohorts: CohortSnapshot): readonly CohortReference[] {
  const found = cohortValues(filters).flatMap((value) => readReference(value) ?? []);
  return [...new Set(found.map((reference) => resolve(reference, cohorts)))];
}

/** The cohorts that the definition of a cohort names. */
export function namedByCohort(filters: JsonValue | undefined, cohorts: CohortSnapshot): readonly CohortReference[] {
  return nodeOf(filters, cohorts).names;
}

function nodeOfFlag(filters: JsonValue | undefined, cohorts: CohortSnapshot): FlagNode {
  return { names: namedByFlag(filters, cohorts), filters };
}

function nodeOf(filters: JsonValue | undefined, cohorts: CohortSnapshot): CohortNode {
  const leaves = leavesOf(filters);
  const named = (among: readonly JsonObject[]): readonly CohortReference[] =>
    cohortsIn(among).map((reference) => resolve(reference, cohorts));
  const excluding = leaves.filter(({ negation, operator }) => negation === true || operator === 'not_in');
  return { leaves, names: named(leaves), excluded: named(excluding) };
}

function resolve(reference: CohortReference, { idOf }: CohortSnapshot): CohortReference {
  return typeof reference === 'string' ? (idOf(reference) ?? reference) : reference;
}

/** Finds which flags and cohorts use a cohort: as they are live, and as a plan leaves them. */

import { reach } from '../../base/graph.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { cohortValues } from '../flag/model/references.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { Change } from '../plan.ts';
import { cohortsIn, leavesOf, readReference, type CohortReference } from '../flag/model/cohort-filters.ts';
import type { CohortSnapshot } from './cohort.ts';

/** Cohorts are named by id, or by the alias of one that a plan creates. */
export interface CohortUses {
  /** The cohorts that each flag, by key, and each cohort names. */
  readonly named: {
    readonly flags: ReadonlyMap<string, readonly CohortReference[]>;
    readonly cohorts: ReadonlyMap<CohortReference, CohortNode>;
  };
  /** What names a cohort itself: flags by key. */
  readonly users: ReadonlyMap<CohortReference, { readonly flags: string[]; readonly cohorts: CohortReference[] }>;
  /** The cohorts whose definition, or that of one within, depends on events. */
  readonly onEvents: ReadonlySet<CohortReference>;
}

interface CohortNode {
  readonly names: readonly CohortReference[];
  readonly leaves: readonly JsonObject[];
}

/** The uses in live state. */
export function usesNow(flags: FlagSnapshot, cohorts: CohortSnapshot): CohortUses {
  const live = flags.all.filter(({ deleted }) => deleted !== true);
  return findUses({
    flags: new Map(live.map((flag) => [flags.keyOf(flag.id) ?? flag.key, namedByFlag(flag.filters, cohorts)])),
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
      if (filters !== undefined) flags.set(change.key, namedByFlag(filters, cohorts));
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
  for (const [key, names] of named.flags) for (const name of names) usersOf(name).flags.push(key);
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

/** The cohorts that the filters of a flag name. */
export function namedByFlag(filters: JsonValue | undefined, cohorts: CohortSnapshot): readonly CohortReference[] {
  const found = cohortValues(filters).flatMap((value) => readReference(value) ?? []);
  return [...new Set(found.map((reference) => resolve(reference, cohorts)))];
}

/** The cohorts that the definition of a cohort names. */
export function namedByCohort(filters: JsonValue | undefined, cohorts: CohortSnapshot): readonly CohortReference[] {
  return nodeOf(filters, cohorts).names;
}

function nodeOf(filters: JsonValue | undefined, cohorts: CohortSnapshot): CohortNode {
  const leaves = leavesOf(filters);
  return { leaves, names: cohortsIn(leaves).map((reference) => resolve(reference, cohorts)) };
}

function resolve(reference: CohortReference, { idOf }: CohortSnapshot): CohortReference {
  return typeof reference === 'string' ? (idOf(reference) ?? reference) : reference;
}

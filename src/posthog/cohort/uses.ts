/** Finds which flags and cohorts use a cohort: as they are live, and as a plan leaves them. */

import { reach } from '../../base/graph.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { cohortValues } from '../flag/references.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import type { Change, FlagChange } from '../plan.ts';
import type { CohortChange } from './change.ts';
import { cohortsIn, leavesOf, readReference, type CohortReference } from '../filter-tree.ts';
import type { CohortSnapshot } from './cohort.ts';

/** The cohorts that each flag, by key, and each cohort names: by id, or by the alias of one that a plan creates. */
export interface CohortUses {
  readonly flags: ReadonlyMap<string, readonly CohortReference[]>;
  readonly cohorts: ReadonlyMap<CohortReference, CohortNode>;
}

interface CohortNode {
  readonly names: readonly CohortReference[];
  readonly leaves: readonly JsonObject[];
}

/** The uses in live state. */
export function usesNow(flags: FlagSnapshot, cohorts: CohortSnapshot): CohortUses {
  const live = flags.all.filter(({ deleted }) => deleted !== true);
  return {
    flags: new Map(live.map((flag) => [flags.keyOf(flag.id) ?? flag.key, namedByFlag(flag.filters, cohorts)])),
    cohorts: new Map(
      cohorts.all
        .filter(({ deleted }) => deleted !== true)
        .map((cohort) => [cohort.id, nodeOf(cohort.is_static === true ? null : cohort.filters, cohorts)]),
    ),
  };
}

/** The uses after the changes. */
export function usesAfter(changes: readonly Change[], now: CohortUses, cohorts: CohortSnapshot): CohortUses {
  const flags = new Map(now.flags);
  const nodes = new Map(now.cohorts);
  for (const change of changes) {
    if (change.resource !== 'flag' && change.resource !== 'cohort') continue;
    const filters = filtersAfter(change);
    const isGone = change.action === 'delete';
    if (change.resource === 'flag') {
      if (isGone) flags.delete(change.key);
      if (filters !== undefined) flags.set(change.key, namedByFlag(filters, cohorts));
      continue;
    }
    const reference = change.id ?? change.key;
    if (isGone) nodes.delete(reference);
    if (filters !== undefined) nodes.set(reference, nodeOf(filters, cohorts));
  }
  return { flags, cohorts: nodes };
}

/** The filters that a change leaves; `undefined` if it leaves those of before, or none. */
function filtersAfter(change: FlagChange | CohortChange): JsonValue | undefined {
  if (change.action === 'delete') return undefined;
  const { filters } = change.body;
  if (filters !== undefined || change.action !== 'restore') return filters;
  return change.resource === 'flag' ? change.base.flag['filters'] : change.base.cohort['filters'];
}

/** The flags with a condition on the cohort, itself or through other cohorts, sorted. */
export function flagsUsing(reference: CohortReference, { flags, cohorts }: CohortUses): readonly string[] {
  const next = (from: CohortReference): readonly CohortReference[] =>
    from === reference ? [] : (cohorts.get(from)?.names ?? []);
  return [...flags]
    .filter(([, named]) => named.length > 0 && reach(named, next).has(reference))
    .map(([key]) => key)
    .toSorted();
}

/** Whether the definition of the cohort, or of one that it names, depends on events. */
export function dependsOnEvents(reference: CohortReference, { cohorts }: CohortUses): boolean {
  const reached = reach([reference], (from) => cohorts.get(from)?.names ?? []);
  return [...reached].some((one) => cohorts.get(one)?.leaves.some(({ type }) => type === 'behavioral') === true);
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

/** Which values of a declared cohort are explained, their live values, and what its log says of them (docs/service.md, "Cohorts"). Pure. */

import { toPointer, valueAt } from '../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../engine/change.ts';
import { type SoughtValue, placeFields, type Logged } from '../authors/replay-log.ts';
import { explainFields, toSeek, type ExplainedFamily, type LiveValue } from '../declared/explain.ts';
import type { LiveState } from '../live.ts';
import type { EditedChange, LoggedInquiry } from '../reading/attribution-queries.ts';
import { canonicalCohort, comparableCohort, compareCohort } from './canonical.ts';
import type { CohortChange } from './change.ts';
import type { Cohort } from './cohort.ts';
import { matchAllCohorts } from './match.ts';

export const EXPLAINED_COHORTS: ExplainedFamily<'cohorts'> = {
  values: (_cohort, { declaration, project, ...path }) =>
    explainFields(declaration, project, { partsOf: explainedParts, ...path }),
  live: (desired, declared, live) => {
    const cohort = matchAllCohorts({ cohorts: [desired] }, live).pairs[0]?.live?.cohort;
    if (cohort === undefined || desired.kind === 'retired') return undefined;
    const wanted = toSeek(declared, compareCohort(desired.fields, cohort));
    return {
      id: cohort.id,
      logged: loggedCohort(cohort),
      sought: soughtInCohort(wanted, { cohort, body: desired.fields }),
      liveValueOf: (one) => liveValueOf(one, desired.fields, cohort),
    };
  },
};

/** The name, the description, and each group and filter of the definition. */
function explainedParts(fields: JsonObject): readonly string[] {
  return ['name', 'description', 'filters'].flatMap((field) => {
    const value = memberOf(fields, field);
    if (value === undefined) return [];
    return field === 'filters' ? partsOf(value, [field, 'properties']) : [toPointer([field])];
  });
}

/** The type of each group, AND or OR, and each filter as a whole. */
function partsOf(filters: JsonValue, path: readonly string[]): string[] {
  const node = valueAt(filters, toPointer(path.slice(1)));
  const values = isJsonObject(node) ? node['values'] : undefined;
  if (!isJsonArray(values)) return [toPointer(path)];
  return [
    toPointer([...path, 'type']),
    ...values.flatMap((_value, index) => partsOf(filters, [...path, 'values', String(index)])),
  ];
}

/** `wanted`: the declared fields, with ids instead of aliases. */
function liveValueOf({ path, place }: SoughtValue, wanted: JsonObject, cohort: Cohort): LiveValue {
  const value = valueAt(comparableCohort(cohort), toPointer(place));
  return { ...defined({ value }), differs: !jsonEquals(value, valueAt(canonicalCohort(wanted), path)) };
}

/** A cohort that is created anew has no log that is known. */
export function inquireCohorts(
  edits: readonly EditedChange<CohortChange>[],
  { cohorts = [] }: LiveState,
): readonly LoggedInquiry[] {
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  return edits.flatMap(({ change, fields }): LoggedInquiry[] => {
    const cohort = change.action === 'create' ? undefined : byId.get(change.id);
    if (cohort === undefined) return [];
    const sought = soughtInCohort(fields, { cohort, body: change.body });
    return [{ logged: loggedCohort(cohort), sought: new Map([[change.ref, sought]]) }];
  });
}

/** Cohorts have no versions, so no entry is known to be later than what was read. */
export function loggedCohort(cohort: Cohort): Logged {
  return {
    resource: 'cohort',
    id: cohort.id,
    current: comparableCohort(cohort),
    formOf: (field, value) => canonicalCohort({ [field]: value }),
    isLater: () => false,
    unlogged: new Set(),
  };
}

/** The places of a change's fields in its live cohort. `body`: of the change, with ids. */
export function soughtInCohort(
  fields: readonly FieldChange[],
  { cohort, body }: { readonly cohort: Cohort; readonly body: JsonObject },
): readonly SoughtValue[] {
  const live = comparableCohort(cohort);
  return placeFields(fields, { live, wanted: { ...live, ...canonicalCohort(body) } });
}

/** Cohorts as resources with a log: what their entries say, in comparable form. (docs/service.md, "Cohorts") */

import type { JsonObject } from '../../base/json.ts';
import type { FieldChange } from '../../engine/change.ts';
import type { EditedChange, LoggedInquiry } from '../reading/attribution-queries.ts';
import type { LiveState } from '../live.ts';
import { placeFields, type Logged, type SoughtValue } from '../authors/replay-log.ts';
import { canonicalCohort, comparableCohort } from './canonical.ts';
import type { CohortChange } from './change.ts';
import type { Cohort } from './cohort.ts';

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

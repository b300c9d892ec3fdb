/** Cohorts as resources with a log: what their entries say, in comparable form. (docs/service.md, "Cohorts") */

import type { JsonObject } from '../../base/json.ts';
import type { FieldChange } from '../../engine/change.ts';
import { placeFields, type Logged, type Sought } from '../replay-log.ts';
import { canonicalCohort } from './canonical.ts';
import { comparableCohort } from './comparison.ts';
import type { Cohort } from './cohort.ts';

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
): readonly Sought[] {
  const live = comparableCohort(cohort);
  return placeFields(fields, { live, wanted: { ...live, ...canonicalCohort(body) } });
}

/** Compares two states of a cohort, in canonical form: for plans, staleness and verification. */

import type { JsonObject } from '../../base/json.ts';
import type { Difference } from '../../engine/diff.ts';
import { compareFields, pickFields, type FieldKind } from '../../engine/field-kind.ts';
import { canonicalCohort, sentCohort } from './canonical.ts';
import type { CohortBase } from './change.ts';
import type { Cohort } from './cohort.ts';

export const COHORT_FIELDS: FieldKind<Cohort> = {
  canonical: canonicalCohort,
  comparable: comparableCohort,
  implied: { deleted: false },
  retired: { deleted: true },
  units: new Set(['/filters']),
};

/** Where a live cohort differs from the fields that are wanted of it; no other field is compared. */
export function compareCohort(wanted: JsonObject, cohort: Cohort): Difference[] {
  return compareFields(wanted, cohort, COHORT_FIELDS);
}

/** The fields that a plan may write. Others are computed, or grow with the service. */
const COMPARED = ['name', 'description', 'filters', 'is_static', 'deleted'];

/** Every field of a live cohort that is ever compared, in canonical form. */
export function comparableCohort(cohort: Cohort): JsonObject {
  return canonicalCohort({ is_static: false, deleted: false, ...pickFields(cohort, COMPARED) });
}

/** What a plan sees of a cohort that it writes. */
export function cohortBase(cohort: Cohort, written: readonly string[]): CohortBase {
  const read = { deleted: false, ...pickFields(cohort, COMPARED) };
  return { cohort: comparableCohort(cohort), former: sentCohort(pickFields(read, written)) };
}

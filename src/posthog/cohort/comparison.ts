/** Compares two states of a cohort, in canonical form: for plans, staleness and verification. */

import { memberOf, type JsonObject } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { diff, type Difference } from '../../engine/diff.ts';
import { canonicalCohort, sentCohort } from './canonical.ts';
import type { CohortBase } from './change.ts';
import type { Cohort } from './cohort.ts';

/** Where a live cohort differs from the fields that are wanted of it; no other field is compared. */
export function compareCohort(wanted: JsonObject, cohort: Cohort): Difference[] {
  const [after, before] = [canonicalCohort(wanted), comparableCohort(cohort)];
  return Object.keys(wanted).flatMap((field) => diff(memberOf(before, field), memberOf(after, field), [field]));
}

/** The fields that a plan may write. Others are computed, or grow with the service. */
const COMPARED = ['name', 'description', 'filters', 'is_static', 'deleted'];

/** Every field of a live cohort that is ever compared, in canonical form. */
export function comparableCohort(cohort: Cohort): JsonObject {
  return canonicalCohort({ is_static: false, deleted: false, ...pick(cohort, COMPARED) });
}

/** What a plan sees of a cohort that it writes. */
export function cohortBase(cohort: Cohort, written: readonly string[]): CohortBase {
  const read = { deleted: false, ...pick(cohort, COMPARED) };
  return { cohort: comparableCohort(cohort), former: sentCohort(pick(read, written)) };
}

export function fieldsOf(differences: readonly Pick<Difference, 'path'>[]): string[] {
  return [...new Set(differences.map(({ path }) => fromPointer(path)[0] ?? ''))];
}

export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return defined(
    Object.fromEntries(names.map((name) => [name, Object.hasOwn(object, name) ? object[name] : undefined])),
  );
}

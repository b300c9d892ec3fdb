/** A cohort as conditions name it. */

import type { JsonValue } from '../../../base/json.ts';

/** The id of a cohort, or, where it is declared without one, its alias. */
export type CohortReference = number | string;

/** A string that is not a number is an alias. */
export function readReference(value: JsonValue | undefined): CohortReference | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value !== 'string' || value === '') return undefined;
  return /^\d{1,15}$/.test(value) ? Number(value) : value;
}

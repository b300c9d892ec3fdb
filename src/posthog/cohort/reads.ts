/** Which cohorts must be read of the service. */

import type { DesiredCohort } from './desired.ts';
import type { Reads } from '../model.ts';
import type { CohortChange } from './change.ts';

/** The list leaves out deleted cohorts, which are read by id. */
export const COHORT_READS: Reads<CohortChange, DesiredCohort> = {
  toPlan: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
  toApply: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
  toUndo: ({ id }, answered) => ({ cohorts: { ids: [id ?? answered].filter((one) => typeof one === 'number') } }),
};

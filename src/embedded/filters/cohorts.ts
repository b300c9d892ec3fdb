/** Finds cohorts that depend on what persons did, directly or through the cohorts that they name. */

import type { JsonObject } from '../../base/json.ts';
import { reach } from '../../base/graph.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { cohortIds, listLeaves } from './cohort-tree.ts';

/** A static cohort is a list of persons: its properties, if it has any, are not evaluated. */
export function isBehavioral(find: (id: number) => StoredCohort | undefined, id: number): boolean {
  const leaves = (cohortId: number): JsonObject[] => listLeaves(find(cohortId)?.properties ?? {});
  const named = (cohortId: number): number[] => cohortIds(leaves(cohortId));
  return [id, ...reach([id], named)].some((one) => leaves(one).some(({ type }) => type === 'behavioral'));
}

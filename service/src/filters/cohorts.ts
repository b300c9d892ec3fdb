/** Checks the cohorts that conditions name: they exist, and do not depend on what persons did. */

import type { JsonObject } from '../../../src/base/json.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { reach } from '../../../src/base/graph.ts';
import { invalid } from '../handler/envelope.ts';
import type { NamedCohort } from '../store/cohorts.ts';
import { cohortIds, listLeaves } from './cohort-tree.ts';

export type FindCohort = (id: number) => NamedCohort | undefined;

/** `depth`: whether the cohorts that the cohort names count, too. */
export function checkCohort({ type, value }: JsonObject, find: FindCohort, depth: 'own' | 'nested'): void {
  if (type !== 'cohort') return;
  const id = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(id) || find(id) === undefined) {
    throw invalid('cohort_does_not_exist', `The cohort ${stringifyJson(value ?? null)} does not exist.`, 'filters');
  }
  const nested = depth === 'own' ? [] : reach([id], (cohort) => cohortIds(leavesOf(cohort, find)));
  if ([id, ...nested].some((cohort) => leavesOf(cohort, find).some((leaf) => leaf['type'] === 'behavioral'))) {
    throw invalid('behavioral_cohort_found', `The cohort ${id} depends on events.`, 'filters');
  }
}

/** A static cohort is a list of persons: its properties, if it has any, are not evaluated. */
function leavesOf(id: number, find: FindCohort): JsonObject[] {
  return listLeaves(find(id)?.properties ?? {});
}

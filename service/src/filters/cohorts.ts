/** Checks the cohorts that conditions name: they exist, and do not depend on what persons did. */

import { type JsonObject, isJsonArray, isJsonObject } from '../../../src/base/json.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { reach } from '../../../src/base/graph.ts';
import { invalid } from '../handler/envelope.ts';
import type { NamedCohort } from '../store/cohorts.ts';

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

/** The properties at the ends of the tree. */
export function listLeaves(node: JsonObject): JsonObject[] {
  const { values } = node;
  return isJsonArray(values) ? values.filter(isJsonObject).flatMap(listLeaves) : [node];
}

/** The ids of the cohorts that properties name. */
export function cohortIds(properties: readonly JsonObject[]): number[] {
  return properties.flatMap(({ type, value }) => (type === 'cohort' ? [Number(value)] : []));
}

/** Reads the filters of a dynamic cohort: a tree of AND and OR. */

import { isJsonArray, isJsonObject, type JsonObject } from '../../../src/base/json.ts';

/** The properties at the ends of the tree. */
export function listLeaves(node: JsonObject): JsonObject[] {
  const { values } = node;
  return isJsonArray(values) ? values.filter(isJsonObject).flatMap(listLeaves) : [node];
}

/** The ids of the cohorts that properties name. */
export function cohortIds(properties: readonly JsonObject[]): number[] {
  return properties.flatMap(({ type, value }) => (type === 'cohort' ? [Number(value)] : []));
}

/** Points conditions to the cohorts of the target project, found by name and created where it has none. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { reach, targetsFirst } from '../../../src/base/graph.ts';
import { cohortIds, listLeaves } from '../filters/cohort-tree.ts';
import { allProperties, mapProperties } from '../filters/conditions.ts';
import { invalid } from '../handler/envelope.ts';
import type { CohortStore } from '../store/cohorts.ts';

export interface CopyProjects {
  readonly sourceId: string;
  readonly targetId: string;
}

/** Returns the filters for the target project. A copied static cohort has no persons. */
export function copyCohorts(
  cohorts: CohortStore,
  filters: JsonObject,
  { sourceId, targetId }: CopyProjects,
): JsonObject {
  if (sourceId === targetId) return filters;
  const childrenOf = (id: number): number[] => cohortIds(listLeaves(cohorts.find(sourceId, id)?.properties ?? {}));
  const reached = reach(cohortIds(allProperties(filters)), childrenOf);
  const graph = new Map([...reached].map((id) => [id, childrenOf(id)]));
  const copies = new Map<number, number>();
  const redirect = (leaf: JsonObject): JsonObject => redirected(leaf, copies);
  for (const id of targetsFirst(graph)) {
    const { name = null, properties = null } = cohorts.find(sourceId, id) ?? {};
    if (name === null) continue;
    const existing = cohorts.list(targetId).find((cohort) => cohort.name === name);
    const copy = existing?.id ?? cohorts.nextId();
    copies.set(id, copy);
    if (existing !== undefined) continue;
    const copied = properties === null ? null : mapLeaves(properties, redirect);
    cohorts.put(targetId, { id: copy, name, properties: copied });
  }
  return mapProperties(filters, redirect);
}

/** A cohort that does not exist, or has no name, cannot be found in another project. */
function redirected(property: JsonObject, copies: ReadonlyMap<number, number>): JsonObject {
  if (property['type'] !== 'cohort') return property;
  const value = copies.get(Number(property['value']));
  if (value === undefined) throw invalid('cohort_does_not_exist', 'A cohort of the flag cannot be copied.', 'filters');
  return { ...property, value };
}

function mapLeaves(node: JsonObject, change: (leaf: JsonObject) => JsonObject): JsonObject {
  const { values } = node;
  if (!isJsonArray(values)) return change(node);
  const mapped = values.map((value): JsonValue => (isJsonObject(value) ? mapLeaves(value, change) : value));
  return { ...node, values: mapped };
}

/** Replaces a cohort in conditions by its properties, for SDKs of 2023, which knew no cohorts. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { allProperties, groupsOf, propertiesOf } from '../filters/conditions.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import type { StoredFlag } from '../store/flag.ts';

/**
 * Replaces the only cohort of a flag if person properties can express it, with one condition per alternative. Other
 * flags keep their filters, and their SDK asks the service.
 */
export function withoutCohort({ filters }: StoredFlag, cohorts: ReadonlyMap<number, StoredCohort>): JsonObject {
  const ids = new Set(
    allProperties(filters)
      .filter(isCohort)
      .map(({ value }) => Number(value)),
  );
  const [id] = ids;
  const cohort = ids.size === 1 && id !== undefined ? cohorts.get(id) : undefined;
  const alternatives = cohort?.properties ? findAlternatives(cohort.properties) : undefined;
  if (alternatives === undefined || allProperties(filters).some(isNegatedCohort)) return filters;
  return { ...filters, groups: groupsOf(filters).flatMap((group) => expandGroup(group, alternatives)) };
}

function expandGroup(group: JsonObject, alternatives: readonly JsonObject[][]): JsonObject[] {
  const properties = propertiesOf(group);
  if (!properties.some(isCohort)) return [group];
  const others = properties.filter((property) => !isCohort(property));
  return alternatives.map((alternative) => ({ ...group, properties: [...others, ...alternative] }));
}

/** Alternative lists of properties, each to be matched whole; `undefined` for a cohort that they cannot express. */
function findAlternatives(node: JsonObject): JsonObject[][] | undefined {
  const values = node['values'];
  if (!isJsonArray(values)) return isPersonProperty(node) ? [[node]] : undefined;
  const parts = values.map((value) => (isJsonObject(value) ? findAlternatives(value) : undefined));
  if (!parts.every((part) => part !== undefined) || parts.length === 0) return undefined;
  if (node['type'] === 'OR') return parts.flat();
  const isPlain = parts.every((part) => part.length === 1);
  return isPlain ? [parts.flatMap((part) => part[0] ?? [])] : undefined;
}

function isPersonProperty({ type = 'person', negation = false, key }: JsonObject): boolean {
  return type === 'person' && negation !== true && key !== undefined;
}

function isCohort(property: JsonObject): property is JsonObject & { readonly value: JsonValue } {
  return property['type'] === 'cohort';
}

function isNegatedCohort(property: JsonObject): boolean {
  return isCohort(property) && (property['operator'] === 'not_in' || property['negation'] === true);
}

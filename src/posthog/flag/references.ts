/** Finds and rewrites the flags and cohorts that the conditions of a flag refer to. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { isOpaque } from './opaque.ts';

/** Maps a reference; returning the same value keeps it. */
export interface ReferenceMapping {
  /** Called with the `key` of each property of type `flag`. */
  readonly flag?: (key: string | number) => string | number;
  /** Called with the `value` of each property of type `cohort`. */
  readonly cohort?: (value: JsonValue) => JsonValue;
}

/** The parts of `filters` that hold conditions. */
const CONDITION_LISTS = ['groups', 'super_groups'] as const;

/** Maps each reference; returns the same object when there are none, as in most flags, and for opaque filters. */
export function mapReferences(filters: JsonObject, mapping: ReferenceMapping): JsonObject {
  if (isOpaque(filters) || !CONDITION_LISTS.some((listName) => holdsReference(filters[listName]))) return filters;
  const mapped: Record<string, JsonValue | undefined> = { ...filters };
  for (const listName of CONDITION_LISTS) {
    const list = filters[listName];
    if (isJsonArray(list)) mapped[listName] = list.map((condition) => mapCondition(condition, mapping));
  }
  return mapped;
}

/** The flags that a flag's conditions depend on, in order of appearance, as they are written. */
export function flagReferences(filters: JsonObject | undefined): (string | number)[] {
  const found: (string | number)[] = [];
  const collect = (key: string | number): string | number => {
    found.push(key);
    return key;
  };
  if (filters !== undefined) mapReferences(filters, { flag: collect });
  return found;
}

/** The fields of a flag with ids in place of the aliases of cohorts that have one. */
export function withCohortIds(fields: JsonObject, idOf: (alias: string) => number | string | undefined): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters)) return fields;
  const cohort = (value: JsonValue): JsonValue => (typeof value === 'string' ? (idOf(value) ?? value) : value);
  const mapped = mapReferences(filters, { cohort });
  return mapped === filters ? fields : { ...fields, filters: mapped };
}

/** The values of the conditions on cohorts, in order of appearance, as they are written. */
export function cohortValues(filters: JsonValue | undefined): JsonValue[] {
  const found: JsonValue[] = [];
  const collect = (value: JsonValue): JsonValue => {
    found.push(value);
    return value;
  };
  if (isJsonObject(filters)) mapReferences(filters, { cohort: collect });
  return found;
}

/** The keys that filters of manifests and plans name; a number is an id, not a key. */
export function namedFlags(filters: JsonValue | undefined): string[] {
  return isJsonObject(filters) ? flagReferences(filters).filter((key) => typeof key === 'string') : [];
}

function holdsReference(list: JsonValue | undefined): boolean {
  if (!isJsonArray(list)) return false;
  return list.some((condition) => {
    const properties = isJsonObject(condition) ? condition['properties'] : undefined;
    return isJsonArray(properties) && properties.some(isReference);
  });
}

function isReference(property: JsonValue): boolean {
  return isJsonObject(property) && (property['type'] === 'flag' || property['type'] === 'cohort');
}

function mapCondition(condition: JsonValue, mapping: ReferenceMapping): JsonValue {
  if (!isJsonObject(condition) || !isJsonArray(condition['properties'])) return condition;
  return { ...condition, properties: condition['properties'].map((property) => mapProperty(property, mapping)) };
}

function mapProperty(property: JsonValue, mapping: ReferenceMapping): JsonValue {
  if (!isJsonObject(property)) return property;
  const { key, type, value } = property;
  if (type === 'flag' && mapping.flag && (typeof key === 'string' || typeof key === 'number')) {
    return { ...property, key: mapping.flag(key) };
  }
  if (type === 'cohort' && mapping.cohort && value !== undefined) {
    return { ...property, value: mapping.cohort(value) };
  }
  return property;
}

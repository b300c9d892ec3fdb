/** Names in place of ids: rewrites the flags and cohorts that the conditions of a flag refer to. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** What a reference becomes; returning the same value leaves it as it is. */
export interface ReferenceMapping {
  /** Called with the `key` of each property of type `flag`. */
  readonly flag?: (key: string | number) => string | number;
  /** Called with the `value` of each property of type `cohort`. */
  readonly cohort?: (value: JsonValue) => JsonValue;
}

/** The same filters with each reference mapped; properties stand in `groups` and in `super_groups`. */
export function mapReferences(filters: JsonObject, mapping: ReferenceMapping): JsonObject {
  const mapped: Record<string, JsonValue | undefined> = { ...filters };
  for (const listName of ['groups', 'super_groups']) {
    const list = filters[listName];
    if (isJsonArray(list)) mapped[listName] = list.map((condition) => mapCondition(condition, mapping));
  }
  return mapped;
}

/** The flags that a flag's conditions depend on, in order of appearance, as written there. */
export function flagReferences(filters: JsonObject | undefined): (string | number)[] {
  const found: (string | number)[] = [];
  const collect = (key: string | number): string | number => {
    found.push(key);
    return key;
  };
  if (filters !== undefined) mapReferences(filters, { flag: collect });
  return found;
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

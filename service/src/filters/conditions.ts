/** Reads and maps the parts of `filters`, skipping values of unexpected shape. */

import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';

/** The conditions of a flag, `filters.groups`. */
export function groupsOf(filters: JsonObject): JsonObject[] {
  return keepObjects(filters['groups']);
}

export function propertiesOf(group: JsonObject): JsonObject[] {
  return keepObjects(group['properties']);
}

export function allProperties(filters: JsonObject): JsonObject[] {
  return groupsOf(filters).flatMap(propertiesOf);
}

/** The keys of the variants; empty for a boolean flag. */
export function variantKeys(filters: JsonObject): JsonValue[] {
  return variantsOf(filters).map((variant) => variant['key'] ?? null);
}

export function variantsOf(filters: JsonObject): JsonObject[] {
  const multivariate = filters['multivariate'];
  return isJsonObject(multivariate) ? keepObjects(multivariate['variants']) : [];
}

/** Maps every property of the filters. */
export function mapProperties(filters: JsonObject, change: (property: JsonObject) => JsonObject): JsonObject {
  const groups = filters['groups'];
  if (!isJsonArray(groups)) return filters;
  const changeOne = (property: JsonValue): JsonValue => (isJsonObject(property) ? change(property) : property);
  const changed = groups.map((group) => {
    if (!isJsonObject(group) || !isJsonArray(group['properties'])) return group;
    return { ...group, properties: group['properties'].map(changeOne) };
  });
  return { ...filters, groups: changed };
}

function keepObjects(value: JsonValue | undefined): JsonObject[] {
  return arrayOrEmpty(value).filter(isJsonObject);
}

/** Adds the names of cohorts and groups to conditions. The service shows them on read and never stores them. */

import { isJsonArray, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';
import { mapProperties } from './conditions.ts';

type Names = Pick<Store, 'cohorts' | 'groups'>;

export function decorate(flag: StoredFlag, names: Names): JsonObject {
  return mapProperties(flag.filters, (property) => {
    if (property['type'] === 'cohort') return { ...property, cohort_name: cohortName(flag, property, names) };
    if (property['key'] === '$group_key') return { ...property, group_key_names: groupNames(flag, property, names) };
    return property;
  });
}

/** Removes the names, which callers may send back. */
export function undecorated(filters: JsonObject): JsonObject {
  return mapProperties(
    filters,
    ({ cohort_name: _cohortName, group_key_names: _groupKeyNames, ...property }) => property,
  );
}

function cohortName(flag: StoredFlag, property: JsonObject, names: Names): JsonValue {
  const id = Number(property['value']);
  return Number.isSafeInteger(id) ? (names.cohorts.find(flag.projectId, id)?.name ?? null) : null;
}

/** A group without a known name is shown by its key. */
function groupNames(flag: StoredFlag, property: JsonObject, names: Names): JsonObject {
  const value = property['value'];
  const keys = (isJsonArray(value) ? value : [value]).filter((key) => typeof key === 'string');
  const typeIndex = Number(property['group_type_index'] ?? 0);
  return Object.fromEntries(keys.map((key) => [key, names.groups.find(flag.projectId, typeIndex, key)?.name ?? key]));
}

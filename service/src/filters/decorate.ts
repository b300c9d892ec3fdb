/** Adds the names of cohorts and groups to conditions. The service shows them on read and never stores them. */

import { plainText } from '../../../src/base/json-text.ts';
import { isJsonArray, isJsonNumber, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';
import { allProperties, groupsOf, mapProperties } from './conditions.ts';

type NameStores = Pick<Store, 'cohorts' | 'groups'>;

export function decorate(flag: StoredFlag, names: NameStores): JsonObject {
  const groupNames = findGroupNames(flag, names.groups);
  return mapProperties(flag.filters, (property) => {
    if (property['type'] === 'cohort') return { ...property, cohort_name: cohortName(flag, property, names) };
    if (groupNames !== undefined && isGroupKey(property)) return { ...property, group_key_names: groupNames };
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

function cohortName(flag: StoredFlag, property: JsonObject, names: NameStores): JsonValue {
  const id = Number(property['value']);
  return Number.isSafeInteger(id) ? (names.cohorts.find(flag.projectId, id)?.name ?? null) : null;
}

/**
 * The names of all groups that conditions of the flag name by key, shown with each of these conditions: of existing groups of the flag's
 * types. A group without a name is shown by its key. `undefined` if no condition names a key, and in a flag without groups.
 */
function findGroupNames({ projectId, filters }: StoredFlag, groups: NameStores['groups']): JsonObject | undefined {
  const values = allProperties(filters)
    .filter(isGroupKey)
    .flatMap(({ value = null }) => (isJsonArray(value) ? value : [value]))
    .filter((value) => value !== null);
  const types = [filters, ...groupsOf(filters)].map((part) => part['aggregation_group_type_index'] ?? null);
  const indexes = [...new Set(types.filter(isJsonNumber).map(Number))];
  if (values.length === 0 || indexes.length === 0) return undefined;
  const keys = values.map((value) => plainText(value));
  const found = indexes.flatMap((index) => keys.map((key) => groups.find(projectId, index, key)));
  return Object.fromEntries(found.filter((group) => group !== undefined).map(({ key, name }) => [key, name]));
}

function isGroupKey({ type, key }: JsonObject): boolean {
  return type === 'group' && key === '$group_key';
}

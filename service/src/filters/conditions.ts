/** Reads and maps the parts of `filters`, skipping values of unexpected shape. */

import {
  arrayOrEmpty,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  isJsonNumber,
} from '../../../src/base/json.ts';
import { plainText } from '../../../src/base/json-text.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';

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

/** The value of everybody: a variant, or on with null. A flag without conditions and variants counts as fully rolled out although it is off, as in the real service. */
export function findFullRollout(filters: JsonObject): { readonly variant: JsonValue } | undefined {
  // An absent rollout includes everybody, but only an explicit 100 counts here.
  const full = groupsOf(filters).filter(
    (group) => group['rollout_percentage'] === 100 && propertiesOf(group).length === 0,
  );
  const variants = variantsOf(filters);
  if (variants.length === 0) return full.length > 0 || groupsOf(filters).length === 0 ? { variant: null } : undefined;
  if (full.length === 0) return undefined;
  const forced = full.find(({ variant }) => Boolean(variant))?.['variant'];
  const variant = forced ?? variants.find(({ rollout_percentage: share }) => share === 100)?.['key'];
  return variant === undefined ? undefined : { variant };
}

/** `rules` is format version 2; `unknown` is any other version that is not 1. */
export function formatOf(filters: JsonObject): 'conditions' | 'rules' | 'unknown' {
  if (!Object.hasOwn(filters, 'version')) return 'conditions';
  const version = filters['version'];
  // A string or a boolean never names a version.
  if (version === 1) return 'conditions';
  return version === 2 ? 'rules' : 'unknown';
}

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

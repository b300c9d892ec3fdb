/**
 * Selects and orders the members of an object by name; an object that needs no change, as most do, is returned itself. The usual order of
 * the members of a flag's declaration, as an export writes them, and which of them are in block style.
 */

import { compareStrings } from '../../../base/compare-strings.ts';
import { definedKeys, type JsonObject, type JsonValue, memberOf, setMember } from '../../../base/json.ts';
import type { Block } from '../../../core/manifest/write/layout.ts';
import type { Order } from '../../../core/manifest/write/order.ts';

export function only(object: JsonObject, names: readonly string[]): JsonObject {
  return pick(object, (name) => names.includes(name));
}

export function without(object: JsonObject, names: readonly string[]): JsonObject {
  return names.length === 0 ? object : pick(object, (name) => !names.includes(name));
}

/** Drops members that are null: all, or only those in `names`. */
export function withoutNulls(object: JsonObject, names?: readonly string[]): JsonObject {
  return pick(object, (name) => memberOf(object, name) !== null || names?.includes(name) === false);
}

/** The members in `first` come first, in that order; the others follow alphabetically. */
export function ordered(object: JsonObject, first: readonly string[]): JsonObject {
  const compare = (a: string, b: string): number => rankIn(first, a) - rankIn(first, b) || compareStrings(a, b);
  const names = definedKeys(object);
  for (let index = 1; index < names.length; index += 1)
    if (compare(names[index - 1] as string, names[index] as string) > 0) return select(object, names.sort(compare));
  return object;
}

function rankIn(first: readonly string[], name: string): number {
  const rank = first.indexOf(name);
  return rank === -1 ? first.length : rank;
}

function pick(object: JsonObject, wanted: (name: string) => boolean): JsonObject {
  const isPicked = (name: string): boolean => object[name] !== undefined && wanted(name);
  const all = Object.keys(object);
  return all.every(isPicked) ? object : select(object, all.filter(isPicked));
}

function select(object: JsonObject, names: readonly string[]): JsonObject {
  const selected: Record<string, JsonValue> = {};
  for (const name of names) setMember(selected, name, memberOf(object, name) as JsonValue);
  return selected;
}

export const AGGREGATION = 'aggregation_group_type_index';

export const FILTER_ORDER: readonly string[] = [AGGREGATION, 'groups', 'multivariate', 'payloads'];
export const CONDITION_ORDER: readonly string[] = [
  'description',
  AGGREGATION,
  'properties',
  'rollout_percentage',
  'variant',
];
export const PROPERTY_ORDER: readonly string[] = ['key', 'type', 'group_type_index', 'operator', 'value', 'negation'];
export const VARIANT_ORDER: readonly string[] = ['key', 'name', 'rollout_percentage'];

/** The order is by topic: what the flag is, who gets it, who may edit it, and what is about the declaration. */
const MEMBERS = [
  'description',
  'active',
  'filters',
  'rollout_percentage',
  'conditions',
  'variants',
  'payloads',
  'payload_schema',
  'ensure_experience_continuity',
  'tags',
  'rollback_conditions',
  'performed_rollback',
  'created_at',
  'unknown_members',
  'role_access',
  'access',
  'fields',
  'ownership',
  'intended',
  'deleted',
  'previous_keys',
  'only_in',
  'projects',
];

const CONDITION: Order = { names: CONDITION_ORDER, members: { properties: { each: { names: PROPERTY_ORDER } } } };
const VARIANT: Order = { names: VARIANT_ORDER };
const FILTERS: Order = {
  names: FILTER_ORDER,
  members: { groups: { each: CONDITION }, multivariate: { members: { variants: { each: VARIANT } } } },
};
const OVERLAY: Order & Required<Pick<Order, 'members'>> = {
  names: MEMBERS,
  members: {
    filters: FILTERS,
    conditions: { each: CONDITION },
    variants: { each: VARIANT },
    access: { names: ['default', 'roles'] },
    fields: { members: { filters: FILTERS } },
  },
};

export const FLAG_ORDER: Order = { names: MEMBERS, members: { ...OVERLAY.members, projects: { each: OVERLAY } } };

const FILTERS_BLOCK: Block = {
  members: {
    groups: { each: { members: { properties: {} } } },
    multivariate: { members: { variants: {} } },
    payloads: {},
  },
};

/** The layout of an export that is as short as it can be. */
export const SHORT_FLAG_BLOCK: Block = {
  members: {
    filters: { members: { groups: { each: {} }, multivariate: { members: { variants: {} } } } },
    rollback_conditions: {},
    fields: { isLine: true, members: { filters: FILTERS_BLOCK } },
    projects: {},
  },
};

export const FLAG_BLOCK: Block = {
  members: {
    filters: FILTERS_BLOCK,
    rollback_conditions: {},
    fields: { members: { filters: FILTERS_BLOCK } },
    projects: {},
  },
};

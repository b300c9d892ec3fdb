/** Writes one flag as a manifest declares it. */

import {
  pickMembers,
  without,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  memberOf,
  setMember,
  longDecimalIn,
  objectOrEmpty,
  objectFrom,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nameFlags, type NameLookup, nameCohorts, mapElements, withProperties } from './model/references.ts';
import { EDITOR, type HeldAccess, INHERITED } from '../role-access/access.ts';
import { withoutInjected, PARTS_OF_OTHER_PRODUCTS, TOLERANCES, type Treatment } from './model/canonical.ts';
import { findIntended } from './checks/slips.ts';
import { CONSENT, needsConsent } from './checks/unknown-members.ts';
import { hasEncryptedPayloads, ENCRYPTED_PAYLOAD } from './model/encrypted-payloads.ts';
import { EXPORTED_FIELDS, type FlagField } from './model/fields.ts';
import { type Filters, type Flag, viewFilters } from './model/flag.ts';
import { isRounded } from '../../base/exact-number.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { toForm, withCommonAggregation } from './model/normal-forms.ts';
import { compareStrings } from '../../base/compare-strings.ts';
import type { Block } from '../../core/manifest/write/layout.ts';
import type { Order } from '../../core/manifest/write/group-files.ts';

/** `checked` filters must satisfy every rule; `unchecked` ones are written exactly as the service has them. */
export type FiltersForm = 'checked' | 'unchecked';

export interface FlagWriteOptions {
  readonly form: FiltersForm;
  /** `undefined` if access is not exported. */
  readonly access: HeldAccess | undefined;
  readonly names: NameLookup;
  /** Omits every default value. */
  readonly minimal: boolean;
  /** Writes every value, also one that means the same when it is absent. */
  readonly full: boolean;
}

/** The mapping under the flag's key. */
export function writeFlag(flag: Flag, { form, access, names, minimal, full }: FlagWriteOptions): JsonObject {
  const written: Record<string, JsonValue | undefined> = {};
  const fields: Record<string, JsonValue | undefined> = {};
  for (const field of EXPORTED_FIELDS) {
    if (field.api !== 'filters')
      setMember(
        field.manifest === undefined ? fields : written,
        field.manifest ?? field.api,
        isLeftOut(flag, field, { minimal, full }) ? undefined : writeField(flag, field),
      );
    else if (form === 'checked') {
      const filters = writeFilters(flag, names);
      const rollout = filters === undefined ? undefined : plainRollout(filters);
      if (rollout !== undefined) written['rollout_percentage'] = rollout;
      else written['filters'] = full || filters === undefined ? filters : withoutDefaults(filters);
    }
  }
  if (form === 'unchecked') fields['filters'] = writeUncheckedFilters(flag, names);
  const { filters } = written;
  // What is live stays declarable, however it looks.
  const intended = isJsonObject(filters) ? findIntended(filters) : [];
  return defined({
    ...written,
    [CONSENT[0]]: isJsonObject(filters) && needsConsent(filters as Filters) ? CONSENT[1] : undefined,
    intended: intended.length === 0 ? undefined : intended,
    ...writeAccess(access, { names, minimal }),
    fields: definedKeys(fields).length === 0 ? undefined : defined(fields),
  });
}

function writeField(flag: Flag, { api, write }: FlagField): JsonValue | undefined {
  const value = memberOf(flag, api);
  return value === undefined ? undefined : write?.(value);
}

/**
 * Whether a declaration omits the field, since the flag has a default there. Without options, that is so below `fields` only: in a project of
 * 300 flags none of these 1,800 values was ever changed, while every third flag has tags or keeps its value across logins.
 */
export function isLeftOut(
  flag: Flag,
  field: FlagField,
  { minimal = false, full = false }: Partial<Pick<FlagWriteOptions, 'minimal' | 'full'>>,
): boolean {
  if (!minimal && (full || field.manifest !== undefined)) return false;
  const value = writeField(flag, field);
  return value !== undefined && field.usual?.some((one) => jsonEquals(one, value)) === true;
}

/** The fields that are declared under `fields` and have another value than the default. */
export function chosenFields(flag: Flag): readonly string[] {
  return EXPORTED_FIELDS.flatMap((field) =>
    field.manifest !== undefined || writeField(flag, field) === undefined || isLeftOut(flag, field, {})
      ? []
      : field.api,
  );
}

/** The short form omits defaults. The usual form writes all of them for a service with levels, so that drift sees each. */
export function writeAccess(
  access: HeldAccess | undefined,
  { names, minimal }: Pick<FlagWriteOptions, 'names' | 'minimal'>,
): JsonObject {
  if (access === undefined) return {};
  const { wire, everyone } = access;
  const roles = access.roles
    .map(({ role, level }) => [names.role(role.id) ?? role.id, level] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isList = everyone === null && roles.every(([, level]) => level === EDITOR);
  if (isList && minimal && roles.length === 0) return {};
  if (isList && (minimal || wire === 'entries')) return { role_access: [...new Set(roles.map(([name]) => name))] };
  return {
    access: {
      ...(minimal && everyone === null ? {} : { default: everyone ?? INHERITED }),
      ...(minimal && roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
    },
  };
}

/**
 * The rows of the tolerance table for the members of an object; the members that only the web interface reads, and those for which null means
 * the same as leaving them out.
 */
function membersOf(owner: string): {
  readonly rows: readonly (readonly [member: string, treat: Treatment])[];
  readonly bookkeeping: readonly string[];
  readonly nulls: readonly string[];
} {
  const rows = TOLERANCES.flatMap(({ path, treat }) => {
    const member = path.startsWith(`${owner}/`) ? path.slice(owner.length + 1) : '';
    return member !== '' && !member.includes('/') ? [[member, treat] as const] : [];
  });
  const named = (fits: (treat: Treatment) => boolean): string[] =>
    rows.flatMap(([member, treat]) => (fits(treat) ? member : []));
  return {
    rows,
    bookkeeping: named(({ kind }) => kind === 'carried'),
    nulls: named((treat) => treat.kind === 'default' || (treat.kind === 'absent' && treat.when.includes(null))),
  };
}

const CONDITION = membersOf('/filters/groups/*');
const PROPERTY = membersOf('/filters/groups/*/properties/*');
const VARIANT = membersOf('/filters/multivariate/variants/*');

/**
 * The short form omits members of conditions and properties that have the value which the tolerance table gives them when they are absent:
 * they mean the same, so that no drift is hidden.
 */
function withoutDefaults(filters: JsonValue): JsonValue {
  if (!isJsonObject(filters) || !isJsonArray(filters['groups'])) return filters;
  const groups = mapElements(filters['groups'], (condition) => {
    if (!isJsonObject(condition)) return condition;
    const short = omitDefaults(condition, CONDITION);
    if (definedKeys(short).length === 0) return EVERYBODY;
    return withProperties(short, (one) => (isJsonObject(one) ? omitDefaults(one, PROPERTY) : one));
  });
  return groups === filters['groups'] ? filters : { ...filters, groups };
}

function omitDefaults(object: JsonObject, { rows }: ReturnType<typeof membersOf>): JsonObject {
  const usual = rows.flatMap(([member, treat]) => {
    if (treat.kind !== 'default' || !jsonEquals(memberOf(object, member) ?? null, treat.value)) return [];
    const { of } = treat;
    const isMeant = of === undefined || of.values.some((owner) => owner === (memberOf(object, of.member) ?? null));
    return isMeant ? member : [];
  });
  return without(object, usual);
}

/** References to flags become keys, since ids change when a flag is recreated, and `{}`, everybody, is written out. All else is kept. */
export function writeUncheckedFilters(flag: Flag, names: NameLookup): JsonValue | undefined {
  if (!isJsonObject(flag.filters)) return flag.filters;
  const own = without(flag.filters, PARTS_OF_OTHER_PRODUCTS);
  const { groups } = own;
  const writtenOut = (condition: JsonValue): JsonValue => (jsonEquals(condition, {}) ? EVERYBODY : condition);
  const managed = isJsonArray(groups) ? { ...own, groups: mapElements(groups, writtenOut) } : own;
  const { payloads } = managed;
  const safe =
    hasEncryptedPayloads(flag) && payloads !== undefined
      ? { ...managed, payloads: markEncryptedPayloads(payloads) }
      : managed;
  const told = withoutInjected({ filters: withOwnAggregation(nameFlags(safe, names)) });
  return told['filters'];
}

/** The `filters` of a manifest, or `undefined` if the service did not return any. */
export function writeFilters(flag: Flag, names: NameLookup): JsonValue | undefined {
  if (!isJsonObject(flag.filters) || viewFilters(flag.filters).isOpaque) return flag.filters;
  const told = withoutInjected({ filters: flag.filters })['filters'] as JsonObject;
  const managed = withoutNulls(without(told, PARTS_OF_OTHER_PRODUCTS));
  const filters = nameCohorts(nameFlags(managed, names), names);
  const said: Record<string, JsonValue> = {};
  for (const name of definedKeys(filters)) {
    const value = writePart(name, filters[name] as JsonValue, { filters, encrypted: hasEncryptedPayloads(flag) });
    // An empty part means the same as an absent one.
    const empty = name === 'payloads' ? {} : name === 'multivariate' ? { variants: [] } : undefined;
    if (empty === undefined || !jsonEquals(value, empty)) setMember(said, name, value);
  }
  return ordered(withOwnAggregation(said), FILTER_ORDER);
}

/** An omitted aggregation means the common one of the conditions, so a flag without one needs an explicit null. */
function withOwnAggregation(filters: JsonObject): JsonObject {
  return withCommonAggregation(filters) === filters ? filters : { ...filters, [AGGREGATION]: null };
}

function writePart(name: string, value: JsonValue, context: { filters: JsonObject; encrypted: boolean }): JsonValue {
  switch (name) {
    case 'groups':
      return isJsonArray(value) ? mapElements(value, (condition) => writeCondition(condition, context.filters)) : value;
    case 'multivariate': {
      const { variants, ...rest } = objectOrEmpty(value);
      if (!isJsonArray(variants)) return value;
      const written = mapElements(variants, (variant) =>
        isJsonObject(variant) ? ordered(withoutNulls(variant, VARIANT.nulls), VARIANT_ORDER) : variant,
      );
      return { variants: written, ...rest };
    }
    case 'payloads': {
      if (context.encrypted) return markEncryptedPayloads(value);
      if (!isJsonObject(value)) return value;
      const values = Object.entries(value).map(([key, stored]) => [key, writePayload(stored ?? null)] as const);
      return ordered(objectFrom(values), []);
    }
    default:
      return value;
  }
}

/** The percentage of filters that the shorthand can express: a single condition without properties. */
export function plainRollout(filters: JsonValue): number | undefined {
  if (!isJsonObject(filters)) return undefined;
  const { groups, ...rest } = filters;
  if (!isJsonArray(groups) || groups.length !== 1 || Object.keys(rest).length > 0) return undefined;
  const [condition] = groups;
  if (!isJsonObject(condition) || Object.keys(condition).join() !== 'rollout_percentage') return undefined;
  const { rollout_percentage: rollout } = condition;
  return typeof rollout === 'number' ? rollout : undefined;
}

function writeCondition(condition: JsonValue, filters: JsonObject): JsonValue {
  if (!isJsonObject(condition)) return condition;
  const said = withoutNulls(without(condition, CONDITION.bookkeeping), CONDITION.nulls);
  const { properties } = said;
  // Conditions inherit the flag's aggregation.
  const isInherited = (said[AGGREGATION] ?? null) === (filters[AGGREGATION] ?? null);
  const implied = [...(isInherited ? [AGGREGATION] : []), ...(jsonEquals(properties, []) ? ['properties'] : [])];
  const written = without(said, implied);
  if (definedKeys(written).length === 0) return EVERYBODY;
  const short = withProperties(written, (property) =>
    isJsonObject(property)
      ? ordered(withoutNulls(without(property, PROPERTY.bookkeeping), PROPERTY.nulls), PROPERTY_ORDER)
      : property,
  );
  return ordered(short, CONDITION_ORDER);
}

/** A condition `{}` also matches everybody, but looks unfinished. */
const EVERYBODY: JsonObject = { rollout_percentage: 100 };

/** Deeper payloads stay JSON text: they are hard to read in YAML, and YAML readers limit the depth. */
const MAX_DEPTH = 20;

/**
 * The value of a stored payload in a manifest. Text whose value would not read back the same stays text: JSON text of a
 * string (a string in a manifest *is* JSON text), of null (which would mean no payload), invalid JSON text, and text with
 * numbers that a double rounds.
 */
export function writePayload(stored: JsonValue): JsonValue {
  if (typeof stored !== 'string') return longDecimalIn(stored) === undefined ? stored : stringifyJson(stored);
  if (!survivesParsing(stored)) return stored;
  const value = toForm('payload', stored, {});
  return typeof value === 'string' || value === null ? stored : value;
}

/** Marks in place of secrets. When the service is sent a mark, it keeps the stored payload. */
function markEncryptedPayloads(payloads: JsonValue): JsonValue {
  if (!isJsonObject(payloads)) return ENCRYPTED_PAYLOAD;
  return objectFrom(definedKeys(payloads).map((variant) => [variant, ENCRYPTED_PAYLOAD]));
}

/** Whether the value of JSON text means the same to every reader when it is written as YAML. */
function survivesParsing(jsonText: string): boolean {
  let depth = 0;
  for (const [token] of jsonText.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (token === MERGE_KEY || (!token.startsWith('"') && isRounded(token))) return false;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

/** YAML merges the value of this key into the mapping around it. */
const MERGE_KEY = '"<<"';

/** Drops members that are null: all, or only those in `names`. */
function withoutNulls(object: JsonObject, names?: readonly string[]): JsonObject {
  return pickMembers(object, (name, value) => value !== null || names?.includes(name) === false);
}

/** The members in `first` come first, in that order; the others follow alphabetically. An object in order is returned itself. */
function ordered(object: JsonObject, first: readonly string[]): JsonObject {
  const rankOf = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);
  const names = definedKeys(object);
  const inOrder = names.toSorted((a, b) => rankOf(a) - rankOf(b) || compareStrings(a, b));
  return inOrder.every((name, index) => name === names[index])
    ? object
    : objectFrom(inOrder.map((name) => [name, object[name] as JsonValue]));
}

const AGGREGATION = 'aggregation_group_type_index';

const FILTER_ORDER: readonly string[] = [AGGREGATION, 'groups', 'multivariate', 'payloads'];
const CONDITION_ORDER: readonly string[] = ['description', AGGREGATION, 'properties', 'rollout_percentage', 'variant'];
const PROPERTY_ORDER: readonly string[] = ['key', 'type', 'group_type_index', 'operator', 'value', 'negation'];
const VARIANT_ORDER: readonly string[] = ['key', 'name', 'rollout_percentage'];

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

const CONDITION_LAYOUT: Order = {
  names: CONDITION_ORDER,
  members: { properties: { each: { names: PROPERTY_ORDER } } },
};
const VARIANT_LAYOUT: Order = { names: VARIANT_ORDER };
const FILTERS: Order = {
  names: FILTER_ORDER,
  members: { groups: { each: CONDITION_LAYOUT }, multivariate: { members: { variants: { each: VARIANT_LAYOUT } } } },
};
const OVERLAY: Order & Required<Pick<Order, 'members'>> = {
  names: MEMBERS,
  members: {
    filters: FILTERS,
    conditions: { each: CONDITION_LAYOUT },
    variants: { each: VARIANT_LAYOUT },
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

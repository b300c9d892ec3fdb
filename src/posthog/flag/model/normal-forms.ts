/** The normal forms of the tolerance table: equivalent values become equal. Values that mean a truth are among them. */

import { comparing } from '../../../base/compare-strings.ts';
import { instantText } from '../../../base/times.ts';
import { parseJson, stringifyJson } from '../../../base/json-text.ts';
import {
  canonicalText,
  DEEPEST_NESTING,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  nestsWithin,
} from '../../../base/json.ts';
import { findOperator, type OperandKind } from './operators.ts';

export type FormName =
  | 'trimmed'
  | 'tags'
  | 'set'
  | 'instant'
  | 'operator'
  | 'operand'
  | 'any-of'
  | 'listed'
  | 'property-key'
  | 'payload'
  | 'aggregation';

/** Brings a value into the named form. `owner` is the object that holds the value. Every form is idempotent. */
export function toForm(form: FormName, value: JsonValue, owner: JsonObject): JsonValue {
  return FORMS[form](value, owner);
}

const FORMS: { readonly [Name in FormName]: (value: JsonValue, owner: JsonObject) => JsonValue } = {
  trimmed: (value) => (typeof value === 'string' ? value.trim() : value),
  tags: (value) => asSet(value, (tag) => tag.trim().toLowerCase()),
  set: (value) => asSet(value, (member) => member),
  instant: (value) => (typeof value === 'string' ? (instantText(value) ?? value) : value),
  operator: (value) => (typeof value === 'string' ? (findOperator(value)?.renamedTo ?? value) : value),
  operand: (value, property) => (operandOf(property) === 'none' ? null : value),
  'any-of': anyOf,
  listed,
  'property-key': propertyKey,
  payload,
  aggregation,
};

function asSet(value: JsonValue, normalize: (member: string) => string): JsonValue {
  if (!isJsonArray(value) || !value.every((member) => typeof member === 'string')) return value;
  return [...new Set(value.map(normalize))].sort();
}

/** What the operator of a property compares with; `undefined` where no value of a person or group is compared. */
function operandOf({ operator, type }: JsonObject): OperandKind | undefined {
  const row = VALUE_TYPES.has(type ?? null) ? findOperator(operator ?? 'exact') : undefined;
  return row?.subject === 'value' ? row.operand : undefined;
}

/** A property without a type is about the subject of its condition. */
const VALUE_TYPES: ReadonlySet<JsonValue> = new Set([null, 'person', 'group']);

function anyOf(value: JsonValue, property: JsonObject): JsonValue {
  const operand = operandOf(property);
  if (!isJsonArray(value) || (operand !== 'scalars' && operand !== 'strings')) return value;
  return value.toSorted(comparing(canonicalText));
}

/** Null is no value, and a list of null is one. */
function listed(value: JsonValue, property: JsonObject): JsonValue {
  if (operandOf(property) !== 'scalars') return value;
  return typeof value === 'string' || typeof value === 'boolean' || isJsonNumber(value) ? [value] : value;
}

/** A dependency's key stays a number where it is an id, since a string is a flag's key. */
function propertyKey(value: JsonValue, property: JsonObject): JsonValue {
  return isJsonNumber(value) && property['type'] !== 'flag' ? String(value) : value;
}

/**
 * A JSON string becomes the value that it encodes, except that an encoded string stays quoted: `"on"` and the broken payload
 * `on` must differ. One that nests too deeply is compared as text.
 */
function payload(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  try {
    const parsed = parseJson(value);
    if (typeof parsed === 'string') return stringifyJson(parsed);
    return nestsWithin(parsed, DEEPEST_NESTING) ? parsed : value;
  } catch {
    return value;
  }
}

/**
 * A condition without an aggregation takes the flag's, and the service stores it there. The flag's own is kept, even when all
 * conditions have theirs: a holdout hashes by it, and in 2023 it decides who has no group.
 */
function aggregation(filters: JsonValue): JsonValue {
  if (!isJsonObject(filters)) return filters;
  const groups = conditionsIn(filters);
  if (groups === undefined) return filters;
  const flagLevel = filters[AGGREGATION] ?? null;
  // Most flags hash by person, and name no aggregation anywhere.
  if (flagLevel === null && !groups.some((group) => Object.hasOwn(group, AGGREGATION))) return filters;
  return {
    ...filters,
    [AGGREGATION]: flagLevel,
    groups: groups.map((group) => withAggregation(group, flagLevel)),
  };
}

/**
 * Gives the flag the aggregation that all its conditions share, if it has none: today's service always stores it there, so a manifest that
 * sets it on each condition implies it. (docs/service.md, "Filters")
 */
export function withCommonAggregation(filters: JsonObject): JsonObject {
  const groups = filters[AGGREGATION] === undefined ? conditionsIn(filters) : undefined;
  const [common = null, ...others] = new Set(groups?.map((group) => group[AGGREGATION] ?? null));
  return common === null || others.length > 0 ? filters : { ...filters, [AGGREGATION]: common };
}

/**
 * The form that a service stores. Since 2026, like the archive, the common aggregation also replaces a null, which excludes it elsewhere. A
 * flag that was stored before still has the null.
 */
export function withStoredAggregation(fields: JsonObject, live: JsonObject): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters) || filters[AGGREGATION] !== null || !Object.hasOwn(live, 'archived')) return fields;
  if (!isJsonObject(live['filters']) || (live['filters'][AGGREGATION] ?? null) === null) return fields;
  const { [AGGREGATION]: _, ...rest } = filters;
  const common = withCommonAggregation(rest);
  return common === rest ? fields : { ...fields, filters: common };
}

const AGGREGATION = 'aggregation_group_type_index';

function conditionsIn(filters: JsonObject): readonly JsonObject[] | undefined {
  const groups = filters['groups'];
  return isJsonArray(groups) && groups.every(isJsonObject) ? groups : undefined;
}

/** A condition's null means persons if the flag has a value, and is kept. */
function withAggregation(group: JsonObject, flagLevel: JsonValue): JsonObject {
  const { [AGGREGATION]: own = flagLevel, ...rest } = group;
  return own === null && flagLevel === null ? rest : { ...rest, [AGGREGATION]: own };
}

/**
 * Whether `exact` or `is_not` compares with false somewhere in the value: filters, or the tree of a cohort. The `property_matching_version` of
 * the project decides what that means (docs/evaluation.md, "Generations").
 */
export function comparesFalse(value: JsonValue | undefined): boolean {
  if (isJsonArray(value)) return value.some(comparesFalse);
  if (!isJsonObject(value)) return false;
  const { key, operator = null, value: wanted = null } = value;
  const isEquality = key !== undefined && (operator === null || operator === 'exact' || operator === 'is_not');
  if (isEquality) return isTruthLike(wanted) && canonicalText(wanted).toLowerCase().includes('false');
  return Object.values(value).some(comparesFalse);
}

/**
 * A list is truth-like when all its elements are, so an empty list matches "true": a quirk that the service's clients share
 * (docs/evaluation.md, "Operators").
 */
export function isTruthLike(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.every(isTruthLike);
  return typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value));
}

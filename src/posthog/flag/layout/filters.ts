/** Writes filters for a manifest: names instead of ids, payloads as values, omitting defaults. */

import { isRounded } from '../../../base/exact-number.ts';
import { stringifyJson } from '../../../base/json-text.ts';
import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  longDecimalIn,
  objectFrom,
  setMember,
} from '../../../base/json.ts';
import { nameCohorts, nameFlags, type NameLookup } from '../model/names.ts';
import { withoutInjected } from '../model/canonical.ts';
import { ENCRYPTED_PAYLOAD, hasEncryptedPayloads } from '../model/encrypted-payloads.ts';
import type { Flag } from '../model/flag.ts';
import { toForm, withCommonAggregation } from '../model/normal-forms.ts';
import { viewFilters } from '../model/view.ts';
import { PARTS_OF_OTHER_PRODUCTS, TOLERANCES, type Treatment } from '../model/tolerances.ts';
import { mapElements, ordered, without, withoutNulls } from './members.ts';
import { AGGREGATION, CONDITION_ORDER, FILTER_ORDER, PROPERTY_ORDER, VARIANT_ORDER } from './order.ts';

/** The members of conditions, properties and variants that the tolerance table lists. */
const CONDITION_BOOKKEEPING = membersTreated('/filters/groups/*', isCarried);
const PROPERTY_BOOKKEEPING = membersTreated('/filters/groups/*/properties/*', isCarried);
const CONDITION_NULLS = membersTreated('/filters/groups/*', meansNothing);
const PROPERTY_NULLS = membersTreated('/filters/groups/*/properties/*', meansNothing);
const VARIANT_NULLS = membersTreated('/filters/multivariate/variants/*', meansNothing);

/** The `filters` of a manifest, or `undefined` if the service did not return any. */
export function writeFilters(flag: Flag, names: NameLookup): JsonValue | undefined {
  if (!isJsonObject(flag.filters) || viewFilters(flag.filters).isOpaque) return flag.filters;
  const told = withoutInjected({ filters: flag.filters })['filters'] as JsonObject;
  const managed = withoutNulls(without(told, PARTS_OF_OTHER_PRODUCTS));
  const filters = nameCohorts(nameFlags(managed, names), names);
  const context = { filters, encrypted: hasEncryptedPayloads(flag) };
  const said: Record<string, JsonValue> = {};
  for (const name of definedKeys(filters)) {
    const value = writePart(name, filters[name] as JsonValue, context);
    if (!isEmptyPart(name, value)) setMember(said, name, value);
  }
  return ordered(withOwnAggregation(said), FILTER_ORDER);
}

/** An omitted aggregation means the common one of the conditions, so a flag without one needs an explicit null. */
export function withOwnAggregation(filters: JsonObject): JsonObject {
  return withCommonAggregation(filters) === filters ? filters : { ...filters, [AGGREGATION]: null };
}

function writePart(name: string, value: JsonValue, context: { filters: JsonObject; encrypted: boolean }): JsonValue {
  switch (name) {
    case 'groups':
      return isJsonArray(value) ? mapElements(value, (condition) => writeCondition(condition, context.filters)) : value;
    case 'multivariate':
      return isJsonObject(value) ? writeMultivariate(value) : value;
    case 'payloads':
      return context.encrypted ? markEncryptedPayloads(value) : writePayloads(value);
    default:
      return value;
  }
}

/** Whether a part is empty and so means the same as an absent one. */
function isEmptyPart(name: string, value: JsonValue): boolean {
  return (
    (name === 'payloads' && jsonEquals(value, {})) || (name === 'multivariate' && jsonEquals(value, { variants: [] }))
  );
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
  const said = withoutNulls(without(condition, CONDITION_BOOKKEEPING), CONDITION_NULLS);
  const { properties } = said;
  // Conditions inherit the flag's aggregation.
  const isInherited = (said[AGGREGATION] ?? null) === (filters[AGGREGATION] ?? null);
  const implied = [...(isInherited ? [AGGREGATION] : []), ...(jsonEquals(properties, []) ? ['properties'] : [])];
  const written = without(said, implied);
  // A bare `{}` also matches everybody, but looks unfinished.
  if (definedKeys(written).length === 0) return { rollout_percentage: 100 };
  return ordered(withProperties(written, writeProperty), CONDITION_ORDER);
}

/** A condition with each of its properties changed. */
export function withProperties(condition: JsonObject, change: (property: JsonValue) => JsonValue): JsonObject {
  const { properties } = condition;
  if (!isJsonArray(properties)) return condition;
  const changed = mapElements(properties, change);
  return changed === properties ? condition : { ...condition, properties: changed };
}

function writeProperty(property: JsonValue): JsonValue {
  if (!isJsonObject(property)) return property;
  return ordered(withoutNulls(without(property, PROPERTY_BOOKKEEPING), PROPERTY_NULLS), PROPERTY_ORDER);
}

function writeMultivariate(multivariate: JsonObject): JsonObject {
  const { variants, ...rest } = multivariate;
  if (!isJsonArray(variants)) return multivariate;
  const written = mapElements(variants, (variant) =>
    isJsonObject(variant) ? ordered(withoutNulls(variant, VARIANT_NULLS), VARIANT_ORDER) : variant,
  );
  return { variants: written, ...rest };
}

function writePayloads(payloads: JsonValue): JsonValue {
  if (!isJsonObject(payloads)) return payloads;
  const values = Object.entries(payloads).map(([variant, stored]) => [variant, writePayload(stored ?? null)] as const);
  return ordered(objectFrom(values), []);
}

function membersTreated(owner: string, fits: (treat: Treatment) => boolean): string[] {
  return TOLERANCES.flatMap(({ path, treat }) => {
    const member = path.startsWith(`${owner}/`) ? path.slice(owner.length + 1) : '';
    return member !== '' && !member.includes('/') && fits(treat) ? [member] : [];
  });
}

function isCarried(treat: Treatment): boolean {
  return treat.kind === 'carried';
}

/** Whether null means the same as leaving the member out. */
function meansNothing(treat: Treatment): boolean {
  return treat.kind === 'default' || (treat.kind === 'absent' && treat.when.includes(null));
}

/**
 * Writes payloads as values: the service stores JSON text, a manifest has the value.
 * Deeper values stay JSON text: they are hard to read in YAML, and YAML readers limit the depth.
 */
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
export function markEncryptedPayloads(payloads: JsonValue): JsonValue {
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

/** Filters as a person writes them: names for ids, payloads as values, and nothing that says nothing. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { withoutInjected } from '../../model/canonical.ts';
import type { Flag } from '../../model/flag.ts';
import { toForm, withCommonAggregation } from '../../model/forms.ts';
import { mapReferences } from '../../model/references.ts';
import { FILTER_PARTS_OWNED_ELSEWHERE, TOLERANCES, type Treatment } from '../../model/tolerances.ts';
import { idOf, type NameLookup } from './names.ts';
import { encryptedPayloads, payloadValue } from './payloads.ts';

/** What the tolerance table says of the members of conditions, properties and variants. */
const CONDITION_BOOKKEEPING = membersTreated('/filters/groups/*', isCarried);
const PROPERTY_BOOKKEEPING = membersTreated('/filters/groups/*/properties/*', isCarried);
const CONDITION_NULLS = membersTreated('/filters/groups/*', meansNothing);
const PROPERTY_NULLS = membersTreated('/filters/groups/*/properties/*', meansNothing);
const VARIANT_NULLS = membersTreated('/filters/multivariate/variants/*', meansNothing);

const AGGREGATION = 'aggregation_group_type_index';

/** The order in which people read them; other members follow in order of the alphabet. */
const FILTER_ORDER = [AGGREGATION, 'groups', 'multivariate', 'payloads'];
const CONDITION_ORDER = ['description', AGGREGATION, 'properties', 'rollout_percentage', 'variant'];
const PROPERTY_ORDER = ['key', 'type', 'group_type_index', 'operator', 'value', 'negation'];
const VARIANT_ORDER = ['key', 'name', 'rollout_percentage'];

/** The `filters` of a manifest, or `undefined` for a flag whose filters the service did not tell. */
export function writtenFilters(flag: Flag, names: NameLookup): JsonObject | undefined {
  if (flag.filters === undefined) return undefined;
  const told = withoutInjected({ filters: flag.filters })['filters'] as JsonObject;
  const managed = withoutNulls(without(told, FILTER_PARTS_OWNED_ELSEWHERE));
  const filters = toForm('aggregation', nameReferences(managed, names), {}) as JsonObject;
  const encrypted = flag.has_encrypted_payloads === true;
  const written = Object.entries(withoutNulls(filters)).map(([name, value]): [string, JsonValue] => [
    name,
    writtenPart(name, value as JsonValue, { filters, encrypted }),
  ]);
  const said = Object.fromEntries(written.filter(([name, value]) => !saysNothing(name, value)));
  return ordered({ ...said, ...openAggregation(said) }, FILTER_ORDER);
}

/** Left out, the flag's aggregation is the common one of its conditions; a flag that has none beside them must say so. */
function openAggregation(filters: JsonObject): JsonObject {
  return withCommonAggregation(filters) === filters ? {} : { [AGGREGATION]: null };
}

function writtenPart(name: string, value: JsonValue, context: { filters: JsonObject; encrypted: boolean }): JsonValue {
  switch (name) {
    case 'groups':
      return isJsonArray(value) ? value.map((condition) => writtenCondition(condition, context.filters)) : value;
    case 'multivariate':
      return isJsonObject(value) ? writtenMultivariate(value) : value;
    case 'payloads':
      return isJsonObject(value) ? writtenPayloads(value, context.encrypted) : value;
    default:
      return value;
  }
}

/** No payloads and no variants are what a flag has that does not mention them. */
function saysNothing(name: string, value: JsonValue): boolean {
  return (
    (name === 'payloads' && jsonEquals(value, {})) || (name === 'multivariate' && jsonEquals(value, { variants: [] }))
  );
}

/** The roll-out of filters that are one condition for everybody and nothing else: what the shorthand can say. */
export function plainRollout(filters: JsonObject): number | undefined {
  const { groups, ...rest } = filters;
  if (!isJsonArray(groups) || groups.length !== 1 || Object.keys(rest).length > 0) return undefined;
  const [condition] = groups;
  if (!isJsonObject(condition) || Object.keys(condition).join() !== 'rollout_percentage') return undefined;
  const { rollout_percentage: rollout } = condition;
  return typeof rollout === 'number' ? rollout : undefined;
}

function nameReferences(filters: JsonObject, names: NameLookup): JsonObject {
  return mapReferences(filters, {
    flag: (key) => {
      const id = idOf(key);
      return id === undefined ? key : (names.flag(id) ?? id);
    },
    // An alias stands for a number, so an id that the service keeps as text stays as it is.
    cohort: (value) => (typeof value === 'number' ? (names.cohort(value) ?? value) : value),
  });
}

function writtenCondition(condition: JsonValue, filters: JsonObject): JsonValue {
  if (!isJsonObject(condition)) return condition;
  const { properties, ...rest } = withoutNulls(without(condition, CONDITION_BOOKKEEPING), CONDITION_NULLS);
  // What the flag says for all conditions need not be said in each; null in one counts only beside such a value.
  const inherited = (rest[AGGREGATION] ?? null) === (filters[AGGREGATION] ?? null);
  const written: JsonObject = {
    ...(inherited ? without(rest, [AGGREGATION]) : rest),
    ...(isJsonArray(properties) && properties.length > 0 ? { properties: properties.map(writtenProperty) } : {}),
  };
  // A bare `{}` means everybody as well, but reads as if somebody forgot something.
  return Object.keys(written).length === 0 ? { rollout_percentage: 100 } : ordered(written, CONDITION_ORDER);
}

function writtenProperty(property: JsonValue): JsonValue {
  if (!isJsonObject(property)) return property;
  return ordered(withoutNulls(without(property, PROPERTY_BOOKKEEPING), PROPERTY_NULLS), PROPERTY_ORDER);
}

function writtenMultivariate(multivariate: JsonObject): JsonObject {
  const { variants, ...rest } = multivariate;
  if (!isJsonArray(variants)) return multivariate;
  const written = variants.map((variant) =>
    isJsonObject(variant) ? ordered(withoutNulls(variant, VARIANT_NULLS), VARIANT_ORDER) : variant,
  );
  return { variants: written, ...rest };
}

function writtenPayloads(payloads: JsonObject, encrypted: boolean): JsonObject {
  const values = encrypted
    ? encryptedPayloads(payloads)
    : objectFrom(Object.entries(payloads).map(([variant, stored]) => [variant, payloadValue(stored ?? null)]));
  return ordered(values, []);
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return pick(object, (name) => !names.includes(name));
}

/** Without the members that are null, of those named or of all. */
function withoutNulls(object: JsonObject, names?: readonly string[]): JsonObject {
  return pick(object, (name) => object[name] !== null || names?.includes(name) === false);
}

function ordered(object: JsonObject, first: readonly string[]): JsonObject {
  const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);
  const names = Object.keys(object).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return objectFrom(names.map((name) => [name, object[name] as JsonValue]));
}

function pick(object: JsonObject, wanted: (name: string) => boolean): JsonObject {
  const names = definedKeys(object).filter(wanted);
  return objectFrom(names.map((name) => [name, object[name] as JsonValue]));
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

/** Whether null means the same as the absence of the member. */
function meansNothing(treat: Treatment): boolean {
  return treat.kind === 'default' || (treat.kind === 'absent' && treat.when.includes(null));
}

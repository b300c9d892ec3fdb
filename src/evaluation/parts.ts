/**
 * Reads the parts of stored filters. Old flags hold shapes that today's service refuses; such a flag must not break
 * others.
 */

import {
  arrayOrEmpty,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import {
  type Condition,
  type Filters,
  type Flag,
  type Property,
  type Variant,
  viewFilters,
} from '../posthog/flag/model/flag.ts';
import { readRules } from './rule-document.ts';

/** Whether the filters have a format of which nothing is read, so that the flag has no known value. */
export function isOpaque(filters: Filters | undefined): boolean {
  return isJsonObject(filters) && knownOpacity(filters);
}

/** Whether nothing here can evaluate the flag: its filters have a format, or rules, that this release does not know. */
export function isUnreadable({ filters }: Flag): boolean {
  return filters !== undefined && isOpaque(filters) && readRules(filters) === undefined;
}

/** Each condition, or rule as one, with its index in the list. An entry that is not an object is left out and matches nothing. */
export function conditionsOf(filters: Filters | undefined): readonly IndexedCondition[] {
  return filters === undefined ? [] : knownConditions(filters);
}

export type IndexedCondition = readonly [index: number, condition: Condition];

/** Found once for each object: every evaluation for a person reads the parts of the same filters again. */
function once<Of extends object, Found>(find: (of: Of) => Found): (of: Of) => Found {
  const found = new WeakMap<Of, Found>();
  return (of) => {
    const known = found.get(of) ?? find(of);
    found.set(of, known);
    return known;
  };
}

const knownOpacity = once((filters: Filters) => viewFilters(filters).isOpaque);
const knownConditions = once(listConditions);
const knownVariants = once(listVariants);

function listConditions(filters: Filters): IndexedCondition[] {
  const { isOpaque: hasRules, conditions } = viewFilters(filters);
  if (!hasRules) return conditions.map(({ part, number }) => [number - 1, part]);
  const rules = readRules(filters)?.rules ?? [];
  return rules.map(({ targeting: { properties }, rollout_percentage: percentage = 100 }, index) => [
    index,
    { properties, rollout_percentage: percentage },
  ]);
}

/**
 * `undefined` for filters that cannot be read. Such a condition matches nobody, since its author meant to restrict it.
 */
export function propertiesOf(condition: Condition): readonly Property[] | undefined {
  const properties: JsonValue = condition.properties ?? [];
  return isJsonArray(properties) && properties.every(isProperty) ? properties : undefined;
}

/** The value of a cohort filter names the cohort, so the key may be missing. */
export function isProperty(value: JsonValue | undefined): value is Property {
  if (!isJsonObject(value)) return false;
  const { key = null, type } = value;
  return typeof key === 'string' || isJsonNumber(key) || (key === null && type === 'cohort');
}

/** The index of the group type that the flag, or a condition of it, is about. What is no number is a type that does not exist. */
export function aggregationOf({ aggregation_group_type_index: index = null }: JsonObject): number | null {
  return index === null || typeof index === 'number' ? index : NO_GROUP_TYPE;
}

const NO_GROUP_TYPE = -1;

/** Omits variants without a key: nobody can get them. */
export function variantsOf(filters: Filters | undefined): readonly Variant[] {
  const multivariate: JsonValue = filters?.multivariate ?? null;
  return isJsonObject(multivariate) ? knownVariants(multivariate) : [];
}

function listVariants(multivariate: JsonObject): readonly Variant[] {
  return arrayOrEmpty(multivariate['variants']).flatMap((variant) =>
    isJsonObject(variant) && typeof variant['key'] === 'string' ? [variant as Variant] : [],
  );
}

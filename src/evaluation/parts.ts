/**
 * Reads the parts of stored filters. Old flags hold shapes that today's service refuses; such a flag must not break
 * others.
 */

import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonValue } from '../base/json.ts';
import type { Condition, Filters, Property, Variant } from '../posthog/flag/flag.ts';

/** Each condition with its index in the list. An entry that is not an object is left out and matches nothing. */
export function conditionsOf(filters: Filters | undefined): (readonly [index: number, condition: Condition])[] {
  const found: (readonly [index: number, condition: Condition])[] = [];
  for (const [index, condition] of arrayOrEmpty(filters?.groups).entries()) {
    if (isJsonObject(condition)) found.push([index, condition as Condition]);
  }
  return found;
}

/**
 * `undefined` for filters that cannot be read. Such a condition matches nobody, since its author meant to restrict it.
 */
export function propertiesOf(condition: Condition): readonly Property[] | undefined {
  const properties: JsonValue = condition.properties ?? [];
  return isJsonArray(properties) && properties.every(isJsonObject) ? (properties as readonly Property[]) : undefined;
}

export function variantsOf(filters: Filters | undefined): readonly Variant[] {
  const multivariate: JsonValue = filters?.multivariate ?? null;
  if (!isJsonObject(multivariate)) return [];
  return arrayOrEmpty(multivariate['variants']).flatMap((variant) =>
    isJsonObject(variant) ? [variant as Variant] : [],
  );
}

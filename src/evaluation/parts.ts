/** The parts of stored filters. Services kept shapes that none of today would take: one such flag must not break the others. */

import { isJsonArray, isJsonObject, type JsonValue } from '../base/json.ts';
import type { Condition, Filters, Property, Variant } from '../posthog/flag/flag.ts';

/** Each with its index in the list; what is no condition matches nobody. */
export function conditionsOf(filters: Filters | undefined): (readonly [index: number, condition: Condition])[] {
  return toList(filters?.groups).flatMap((condition, index) =>
    isJsonObject(condition) ? [[index, condition as Condition] as const] : [],
  );
}

/** `undefined` where they cannot be read: such a condition matches nobody, since it was meant for somebody. */
export function propertiesOf(condition: Condition): readonly Property[] | undefined {
  const properties: JsonValue = condition.properties ?? [];
  return isJsonArray(properties) && properties.every(isJsonObject) ? (properties as readonly Property[]) : undefined;
}

export function variantsOf(filters: Filters | undefined): readonly Variant[] {
  const multivariate: JsonValue = filters?.multivariate ?? null;
  if (!isJsonObject(multivariate)) return [];
  return toList(multivariate['variants']).flatMap((variant) => (isJsonObject(variant) ? [variant as Variant] : []));
}

function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

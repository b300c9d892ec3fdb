/** Payloads with null in them, which an overlay can hold only as JSON text: as a value, null removes there. */

import { stringifyJson } from '../base/json-text.ts';
import { definedKeys, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../base/json.ts';
import { valueIn, withMember } from './members.ts';

/** The filters of an overlay. Payloads that the base has alike stay values, since the overlay does not name them. */
export function withTextPayloads(filters: JsonObject, base: JsonObject): JsonObject {
  const { payloads } = filters;
  if (!isJsonObject(payloads)) return filters;
  const written = definedKeys(payloads).reduce<JsonObject>((all, name) => {
    const value = payloads[name] as JsonValue;
    const isNamed = holdsNull(value) && !jsonEquals(value, valueIn(base, ['payloads', name]));
    return isNamed ? withMember(all, name, stringifyJson(value)) : all;
  }, payloads);
  return written === payloads ? filters : withMember(filters, 'payloads', written);
}

/** An overlay replaces lists as a whole, with the nulls in them. */
function holdsNull(value: JsonValue | undefined): boolean {
  return value === null || (isJsonObject(value) && Object.values(value).some(holdsNull));
}

/** Declared fields of which some are those of an earlier declaration. */

import { memberOf, objectFrom, type JsonObject, type JsonValue } from '../base/json.ts';

/** A field that the earlier declaration did not have is not managed. */
export function mixFields(later: JsonObject, earlier: JsonObject | undefined, names: readonly string[]): JsonObject {
  const kept = Object.entries(later).filter(([field]) => !names.includes(field));
  const before = names.map((field): [string, JsonValue | undefined] => [field, earlier && memberOf(earlier, field)]);
  return objectFrom(
    [...kept, ...before].flatMap(([field, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[field, value]],
    ),
  );
}

/** JSON Merge Patches (RFC 7396) that keep what an earlier one says, also where that changes nothing. */

import { definedKeys, isJsonObject, jsonEquals, objectFrom, type JsonValue } from '../base/json.ts';
import { valueIn } from './members.ts';

/**
 * The smallest patch from `base` to `wished` that has the members of the former one. `undefined`: nothing to say. A wished null
 * cannot be said: in a patch it removes.
 */
export function patchTo(
  base: JsonValue | undefined,
  former: JsonValue | undefined,
  wished: JsonValue,
): JsonValue | undefined {
  if (!isJsonObject(wished)) return former === undefined && jsonEquals(base, wished) ? undefined : wished;
  if (!isJsonObject(base)) return wished;
  const own = isJsonObject(former) ? former : {};
  const names = new Set([...definedKeys(own), ...definedKeys(wished), ...definedKeys(base)]);
  const members = [...names].flatMap((name): [string, JsonValue][] => {
    const change = patchMember(valueIn(base, [name]), valueIn(own, [name]), valueIn(wished, [name]));
    return change === undefined ? [] : [[name, change]];
  });
  return members.length === 0 && former === undefined ? undefined : objectFrom(members);
}

function patchMember(
  base: JsonValue | undefined,
  former: JsonValue | undefined,
  wished: JsonValue | undefined,
): JsonValue | undefined {
  if (wished !== undefined) return patchTo(base, former ?? undefined, wished);
  return base === undefined && former !== null ? undefined : null;
}

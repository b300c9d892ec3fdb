/** Reads, sets and removes members of a declaration's value, and finds the edits and the JSON Merge Patch (RFC 7396) between two values. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import type { YamlEdit } from '../base/yaml/editing/edits.ts';
import { without } from '../posthog/flag/layout/members.ts';

export type MemberPath = readonly string[];

export function valueIn(value: JsonValue | undefined, [name, ...rest]: MemberPath): JsonValue | undefined {
  if (name === undefined) return value;
  return valueIn(isJsonArray(value) ? value[Number(name)] : memberOf(objectOrEmpty(value), name), rest);
}

/** Adds missing mappings on the way. `undefined` removes a value, and the mappings that it leaves empty. */
export function setIn(
  value: JsonValue | undefined,
  path: MemberPath,
  set: JsonValue | undefined,
): JsonValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return set;
  if (isJsonArray(value)) {
    const changed = setIn(value[Number(name)], rest, set);
    return changed === undefined ? value.toSpliced(Number(name), 1) : value.with(Number(name), changed);
  }
  if (set === undefined && !isJsonObject(value)) return value;
  const object = objectOrEmpty(value);
  const below = setIn(valueIn(object, [name]), rest, set);
  if (below !== undefined) return withMember(object, name, below);
  const left = without(object, [name]);
  return definedKeys(left).length === 0 && definedKeys(object).length > 0 ? undefined : left;
}

/** An existing member keeps its position. */
export function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  const names = new Set([...definedKeys(object), name]);
  return objectFrom([...names].map((one) => [one, one === name ? value : (object[one] as JsonValue)] as const));
}

/** The edits that lead from one mapping to another, member by member; lists and other values are set as a whole. */
export function editsBetween(before: JsonObject, after: JsonObject, path: readonly [string, ...string[]]): YamlEdit[] {
  return [...new Set([...definedKeys(before), ...definedKeys(after)])].flatMap((name): YamlEdit[] => {
    const [had, has] = [valueIn(before, [name]), valueIn(after, [name])];
    if (jsonEquals(had, has)) return [];
    const isWithin =
      isJsonObject(had) && isJsonObject(has) && definedKeys(had).length > 0 && definedKeys(has).length > 0;
    return isWithin ? editsBetween(had, has, [...path, name]) : [{ path: [...path, name], value: has }];
  });
}

/**
 * The smallest patch from `base` to `wanted` that keeps the members of the former patch. `undefined`: nothing to patch. A wanted null
 * cannot be expressed: in a patch it removes.
 */
export function patchTo(
  base: JsonValue | undefined,
  former: JsonValue | undefined,
  wanted: JsonValue,
): JsonValue | undefined {
  if (!isJsonObject(wanted)) return former === undefined && jsonEquals(base, wanted) ? undefined : wanted;
  if (!isJsonObject(base)) return wanted;
  const own = objectOrEmpty(former);
  const names = new Set([...definedKeys(own), ...definedKeys(wanted), ...definedKeys(base)]);
  const members = [...names].flatMap((name): [string, JsonValue][] => {
    const change = patchMember(valueIn(base, [name]), valueIn(own, [name]), valueIn(wanted, [name]));
    return change === undefined ? [] : [[name, change]];
  });
  return members.length === 0 && former === undefined ? undefined : objectFrom(members);
}

function patchMember(
  base: JsonValue | undefined,
  former: JsonValue | undefined,
  wanted: JsonValue | undefined,
): JsonValue | undefined {
  if (wanted !== undefined) return patchTo(base, former ?? undefined, wanted);
  return base === undefined && former !== null ? undefined : null;
}

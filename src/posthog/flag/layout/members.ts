/** Selects and orders the members of an object by name. An object that needs no change, as most do, is returned itself. */

import { compareStrings } from '../../../base/compare-strings.ts';
import { definedKeys, type JsonObject, type JsonValue, memberOf, setMember } from '../../../base/json.ts';

export function only(object: JsonObject, names: readonly string[]): JsonObject {
  return pick(object, (name) => names.includes(name));
}

export function without(object: JsonObject, names: readonly string[]): JsonObject {
  return names.length === 0 ? object : pick(object, (name) => !names.includes(name));
}

/** Drops members that are null: all, or only those in `names`. */
export function withoutNulls(object: JsonObject, names?: readonly string[]): JsonObject {
  return pick(object, (name) => memberOf(object, name) !== null || names?.includes(name) === false);
}

/** The members in `first` come first, in that order; the others follow alphabetically. */
export function ordered(object: JsonObject, first: readonly string[]): JsonObject {
  const compare = (a: string, b: string): number => rankIn(first, a) - rankIn(first, b) || compareStrings(a, b);
  const names = definedKeys(object);
  for (let index = 1; index < names.length; index += 1)
    if (compare(names[index - 1] as string, names[index] as string) > 0) return select(object, names.sort(compare));
  return object;
}

function rankIn(first: readonly string[], name: string): number {
  const rank = first.indexOf(name);
  return rank === -1 ? first.length : rank;
}

function pick(object: JsonObject, wanted: (name: string) => boolean): JsonObject {
  const isPicked = (name: string): boolean => object[name] !== undefined && wanted(name);
  const all = Object.keys(object);
  return all.every(isPicked) ? object : select(object, all.filter(isPicked));
}

function select(object: JsonObject, names: readonly string[]): JsonObject {
  const selected: Record<string, JsonValue> = {};
  for (const name of names) setMember(selected, name, memberOf(object, name) as JsonValue);
  return selected;
}

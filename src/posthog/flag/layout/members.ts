/** Selects and orders the members of an object by name. */

import { compareStrings } from '../../../base/compare-strings.ts';
import { definedKeys, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../../base/json.ts';

export function only(object: JsonObject, names: readonly string[]): JsonObject {
  return pick(object, (name) => names.includes(name));
}

export function without(object: JsonObject, names: readonly string[]): JsonObject {
  return pick(object, (name) => !names.includes(name));
}

/** Drops members that are null: all, or only those in `names`. */
export function withoutNulls(object: JsonObject, names?: readonly string[]): JsonObject {
  return pick(object, (name) => memberOf(object, name) !== null || names?.includes(name) === false);
}

/** The members in `first` come first, in that order; the others follow alphabetically. */
export function ordered(object: JsonObject, first: readonly string[]): JsonObject {
  const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);
  const names = definedKeys(object).toSorted((a, b) => rank(a) - rank(b) || compareStrings(a, b));
  return objectFrom(names.map((name) => [name, object[name] as JsonValue]));
}

function pick(object: JsonObject, wanted: (name: string) => boolean): JsonObject {
  const names = definedKeys(object).filter(wanted);
  if (names.length === Object.keys(object).length) return object;
  return objectFrom(names.map((name) => [name, object[name] as JsonValue]));
}

/** JSON values: their types and the functions on them that every module needs. For their text see `json-text.ts`. */

import { LongDecimal } from './exact-number.ts';

/** A bigint or a `LongDecimal` is a number that a double cannot hold; in JSON text it looks like any other number. */
export type JsonNumber = number | bigint | LongDecimal;
export type JsonPrimitive = string | JsonNumber | boolean | null;
export type JsonArray = readonly JsonValue[];
/** A JSON object. A member that is `undefined` counts as absent and is never written. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
export type JsonValue = JsonPrimitive | JsonArray | JsonObject;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongDecimal);
}

export function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/** The value itself if it is an array; else an empty one. */
export function arrayOrEmpty(value: JsonValue | undefined): JsonArray {
  return isJsonArray(value) ? value : [];
}

/** The value itself if it is an object; else an empty one. */
export function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof LongDecimal;
}

/** Deep equality. The order of members does not matter, the order of elements does. */
export function jsonEquals(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof LongDecimal) return b instanceof LongDecimal && a.equals(b);
  if (isJsonArray(a)) return isJsonArray(b) && arraysEqual(a, b);
  if (isJsonArray(b) || !isJsonObject(a) || !isJsonObject(b)) return false;
  let surplus = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !jsonEquals(a[key], b[key])) return false;
    surplus += 1;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) surplus -= 1;
  return surplus === 0;
}

function arraysEqual(a: JsonArray, b: JsonArray): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (!jsonEquals(a[index], b[index])) return false;
  return true;
}

/**
 * The member that the object itself has. A name that is data may be that of what every object inherits, such as `constructor`, so
 * no other code reads a member by such a name: `test/architecture/look-ups.test.ts`.
 */
export function memberOf<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Writes one in the same way: an assignment to `__proto__` would set the prototype. */
export function setMember<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** The names of the members that are not `undefined`, in their own order. */
export function definedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  return keys.every((key) => object[key] !== undefined) ? keys : keys.filter((key) => object[key] !== undefined);
}

/** Deeper than any flag, and shallow enough for every recursive function that handles a value. */
export const DEEPEST_NESTING = 500;

/** Whether no value is nested in more than `levels` arrays and objects. Deeper ones would exhaust the stack. */
export function nestsWithin(value: JsonValue | undefined, levels: number): boolean {
  if (!isJsonArray(value) && !isJsonObject(value)) return true;
  return levels > 0 && Object.values(value).every((member) => nestsWithin(member, levels - 1));
}

/** JSON pointer to a number that a double cannot hold, or `undefined` if there is none. */
export function longDecimalIn(value: JsonValue | undefined, path = ''): string | undefined {
  if (value instanceof LongDecimal) return path;
  if (!isJsonArray(value) && !isJsonObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = longDecimalIn(member, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An object from pairs, safe for keys such as `__proto__`, which become ordinary members. */
export function objectFrom(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  return Object.fromEntries(entries);
}

/** The members that are defined and hold; an object of which all do, as most do, is returned itself. */
export function pickMembers(object: JsonObject, holds: (name: string, value: JsonValue) => boolean): JsonObject {
  const isPicked = (name: string): boolean => object[name] !== undefined && holds(name, object[name]);
  const names = Object.keys(object);
  const picked = names.filter(isPicked);
  return picked.length === names.length ? object : objectFrom(picked.map((name) => [name, object[name] as JsonValue]));
}

export function without(object: JsonObject, names: readonly string[]): JsonObject {
  return names.length === 0 ? object : pickMembers(object, (name) => !names.includes(name));
}

/** The same text for all equal values: members sorted by name, no white space. Fingerprints are computed from it. */
export function canonicalText(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (value instanceof LongDecimal) return value.normal();
  if (!isJsonObject(value)) return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  const members = definedKeys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
}

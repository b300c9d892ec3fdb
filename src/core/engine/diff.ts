/**
 * The differences between two canonical values, by JSON pointer, and what remains of them after a write. Tolerances were applied before.
 */

import { type JsonPath, toPointer } from '../../base/json-pointer.ts';
import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  jsonEquals,
  type JsonValue,
  memberOf,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Change } from './change.ts';

export interface Difference {
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Differences in the member order of `after`; those of members only in `before` follow. Both values must be canonical. */
export function diff(before: JsonValue | undefined, after: JsonValue | undefined, path: JsonPath = []): Difference[] {
  if (jsonEquals(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = new Set([...definedKeys(after), ...definedKeys(before)]);
    return [...keys].flatMap((key) => diff(memberOf(before, key), memberOf(after, key), [...path, key]));
  }
  if (holdsObjects(before) && holdsObjects(after)) {
    // A common start and end are skipped, so that a condition added at the front is one addition. The index in a path is that of
    // `before` for a removed element and that of `after` for any other.
    if (keepTheirOrder(before, after)) return diffByKey(before, after, path);
    const start = commonStart(before, after);
    const end = commonEnd(before, after, start);
    const gone = before.slice(start, before.length - end);
    const come = after.slice(start, after.length - end);
    return Array.from({ length: Math.max(gone.length, come.length) }, (_, offset) =>
      diff(gone[offset], come[offset], [...path, start + offset]),
    ).flat();
  }
  return [difference(path, before, after)];
}

/** The index in `before` of the element that the differences compare with `after[index]`; `undefined` if it was added. */
export function earlierIndex(before: JsonArray, after: JsonArray, index: number): number | undefined {
  if (keepTheirOrder(before, after)) {
    const key = keyOf(after[index]);
    const found = before.findIndex((element) => keyOf(element) === key);
    return found === -1 ? undefined : found;
  }
  const start = commonStart(before, after);
  if (index < start) return index;
  const fromEnd = after.length - index;
  if (fromEnd <= commonEnd(before, after, start)) return before.length - fromEnd;
  return index < before.length - commonEnd(before, after, start) ? index : undefined;
}

/** Variants and properties have keys. While these keep their order, an added or removed one moves no other. */
function diffByKey(before: JsonArray, after: JsonArray, path: JsonPath): Difference[] {
  const afterKeys = new Set(after.map(keyOf));
  const beforeByKey = new Map(before.map((element) => [keyOf(element), element]));
  return [
    ...after.flatMap((element, index) => diff(beforeByKey.get(keyOf(element)), element, [...path, index])),
    ...before.flatMap((element, index) =>
      afterKeys.has(keyOf(element)) ? [] : diff(element, undefined, [...path, index]),
    ),
  ];
}

/** Whether every element has a unique key, and the keys in both lists have the same order: such lists are compared by key. */
export function keepTheirOrder(before: JsonArray, after: JsonArray): boolean {
  const [beforeKeys, afterKeys] = [before.map(keyOf), after.map(keyOf)];
  if ([beforeKeys, afterKeys].some((keys) => keys.includes(undefined) || new Set(keys).size < keys.length))
    return false;
  const stayed = beforeKeys.filter((key) => afterKeys.includes(key));
  const same = afterKeys.filter((key) => beforeKeys.includes(key));
  return stayed.length > 0 && stayed.every((key, index) => key === same[index]);
}

/** The key of a variant or property: identifies it among the others of its list. */
export function keyOf(element: JsonValue | undefined): string | undefined {
  const key = isJsonObject(element) ? element['key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

function commonStart(a: JsonArray, b: JsonArray): number {
  let count = 0;
  while (count < a.length && count < b.length && jsonEquals(a[count], b[count])) count += 1;
  return count;
}

function commonEnd(a: JsonArray, b: JsonArray, start: number): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) - start && jsonEquals(a.at(-1 - count), b.at(-1 - count))) count += 1;
  return count;
}

/** A list of plain values is compared as one value, so that a report shows the whole list. */
function holdsObjects(value: JsonValue | undefined): value is JsonArray {
  return isJsonArray(value) && value.length > 0 && value.every(isJsonObject);
}

function difference(path: JsonPath, before: JsonValue | undefined, after: JsonValue | undefined): Difference {
  return {
    path: toPointer(path),
    ...defined({ before, after }),
  };
}

/**
 * A difference that remains: the service changed or dropped the value. `changed_afterwards`: an earlier run or another
 * user wrote it, so anyone may have changed it since.
 */
export interface Remainder {
  readonly ref: string;
  readonly key: string;
  readonly path: string;
  readonly wanted?: JsonValue;
  readonly found?: JsonValue;
  readonly reason:
    'service_changed_value' | 'service_dropped_value' | 'service_ignores_field' | 'changed_afterwards' | 'not_found';
}

/** The remainder of a change at one path. */
export function remainderOf({ ref, key }: Pick<Change, 'ref' | 'key'>, { path, before, after }: Difference): Remainder {
  const reason = before === undefined ? 'service_dropped_value' : 'service_changed_value';
  return { ref, key, path, ...defined({ wanted: after, found: before }), reason };
}

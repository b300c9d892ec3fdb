/** JSON pointers (RFC 6901): how plans, results and diagnostics name a place in a value. */

import { isJsonArray, isJsonObject, type JsonValue } from './json.ts';

/** The segments of a pointer: member names and array indices, outermost first. */
export type JsonPath = readonly (string | number)[];

export function toPointer(path: JsonPath): string {
  return path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The segments of a pointer as strings: whether `0` is an index depends on the value. */
export function fromPointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer, or `undefined` if there is none. */
export function valueAt(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  return fromPointer(pointer).reduce(childAt, value);
}

/** The member of an object, or the element of an array. */
export function childAt(value: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (isJsonArray(value)) return value[Number(segment)];
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

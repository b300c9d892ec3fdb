/**
 * Finds where a value of one state was in an earlier state, and whether the step between the two set or removed it. Elements of lists are
 * matched as in differences (`diff.ts`), so a value is followed even if elements before it are added or removed.
 */

import { childAt } from '../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, jsonEquals, type JsonArray, type JsonValue } from '../../base/json.ts';
import { earlierIndex, keyOf } from './diff.ts';

/** The segments of a JSON pointer. */
export type Segments = readonly string[];

export type Descent =
  /** The value was the same, at `path` of the earlier state. */
  | { readonly kind: 'same'; readonly path: Segments }
  /** The step gave the value. */
  | { readonly kind: 'set' }
  /** The step changed a part of it; the rest was at `path` of the earlier state. */
  | { readonly kind: 'partly'; readonly path: Segments };

/** Follows the value at `path` of `after` back to `before`. */
export function traceValue(before: JsonValue | undefined, after: JsonValue | undefined, path: Segments): Descent {
  if (before === undefined) return { kind: 'set' };
  if (jsonEquals(before, after)) return { kind: 'same', path };
  const [segment, ...rest] = path;
  if (segment === undefined) return isAlike(before, after) ? { kind: 'partly', path: [] } : { kind: 'set' };
  const earlier = earlierSegment(before, after, segment);
  if (earlier === undefined) return { kind: 'set' };
  const below = traceValue(childAt(before, earlier), childAt(after, segment), rest);
  return below.kind === 'set' ? below : { ...below, path: [earlier, ...below.path] };
}

export type Absence =
  /** The value was absent before too; `path` names its place in the earlier state. */
  | { readonly kind: 'absent'; readonly path: Segments }
  | { readonly kind: 'removed' }
  /** The step removed elements of its list, perhaps including this one. */
  | { readonly kind: 'unsure'; readonly path: Segments };

/** Follows a value that `after` lacks at `path` back to `before`. `wanted`: the missing value. */
export function traceAbsence(
  states: { readonly before: JsonValue | undefined; readonly after: JsonValue | undefined },
  path: Segments,
  wanted: JsonValue | undefined,
): Absence {
  const { before, after } = states;
  const [segment, ...rest] = path;
  if (before === undefined || jsonEquals(before, after)) return { kind: 'absent', path };
  if (segment === undefined || after === undefined) return { kind: 'removed' };
  if (rest.length === 0 && isJsonArray(after)) return traceElement(before, after, { path, wanted });
  const earlier = childAt(after, segment) === undefined ? segment : earlierSegment(before, after, segment);
  // A new element of a list never had it; a new member of an object has replaced nothing that had it.
  if (earlier === undefined) return isJsonArray(after) ? { kind: 'removed' } : { kind: 'absent', path };
  const below = traceAbsence({ before: childAt(before, earlier), after: childAt(after, segment) }, rest, wanted);
  return below.kind === 'removed' ? below : { ...below, path: [earlier, ...below.path] };
}

interface Missed {
  readonly path: Segments;
  readonly wanted: JsonValue | undefined;
}

/**
 * The index of a missing element is that of the wanted list, so the element is recognized by its key or its value, even if another one took
 * its place.
 */
function traceElement(before: JsonValue, after: JsonArray, { path, wanted }: Missed): Absence {
  if (!isJsonArray(before)) return { kind: 'absent', path };
  const key = keyOf(wanted);
  const isIt = (element: JsonValue): boolean =>
    key === undefined ? jsonEquals(element, wanted) : keyOf(element) === key;
  if (before.filter(isIt).length > after.filter(isIt).length) return { kind: 'removed' };
  if (key !== undefined) return { kind: 'absent', path };
  const kept = new Set(after.map((_element, index) => earlierIndex(before, after, index)));
  return { kind: before.every((_element, index) => kept.has(index)) ? 'absent' : 'unsure', path };
}

/** Whether a part of the value can have changed. */
function isAlike(before: JsonValue, after: JsonValue | undefined): boolean {
  if (isJsonArray(before) && isJsonArray(after)) return [before, after].every(holdsObjects);
  return isJsonObject(before) && isJsonObject(after);
}

function holdsObjects(list: JsonArray): boolean {
  return list.length > 0 && list.every(isJsonObject);
}

function earlierSegment(before: JsonValue, after: JsonValue | undefined, segment: string): string | undefined {
  if (isJsonArray(before) && isJsonArray(after)) {
    const index = earlierIndex(before, after, Number(segment));
    // An element with another key is another element, although a difference compares the two.
    return index === undefined || keyOf(before[index]) !== keyOf(after[Number(segment)]) ? undefined : index.toString();
  }
  return isJsonObject(before) && isJsonObject(after) && Object.hasOwn(before, segment) ? segment : undefined;
}

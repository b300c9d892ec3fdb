/** Keeps what people wrote where it means the same as what is wished, so that only what differs is edited. */

import {
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  objectFrom,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { without } from '../posthog/flag/layout/members.ts';
import { valueIn, withMember } from './members.ts';

/** Whether a value means what is wished. */
export type Means = (candidate: JsonValue) => boolean;

/** The wished value, which must mean what is wished, with the parts of the written one that mean the same. */
export function reconcile(written: JsonValue | undefined, wished: JsonValue, means: Means): JsonValue {
  if (written === undefined) return wished;
  if (jsonEquals(written, wished) || means(written)) return written;
  if (isJsonObject(written) && isJsonObject(wished)) return reconcileMembers(written, wished, means);
  return isJsonArray(written) && isJsonArray(wished) ? reconcileElements(written, wished, means) : wished;
}

function reconcileMembers(written: JsonObject, wished: JsonObject, means: Means): JsonObject {
  let current = wished;
  for (const name of new Set([...definedKeys(written), ...definedKeys(wished)])) {
    const [before, after] = [valueIn(written, [name]), valueIn(current, [name])];
    if (jsonEquals(before, after)) continue;
    const kept = before === undefined ? without(current, [name]) : withMember(current, name, before);
    if (means(kept)) current = kept;
    else if (before !== undefined && after !== undefined) {
      const around = current;
      current = withMember(
        around,
        name,
        reconcile(before, after, (value) => means(withMember(around, name, value))),
      );
    }
  }
  const names = new Set([...definedKeys(written), ...definedKeys(current)]);
  return objectFrom(
    [...names].flatMap((name) => {
      const value = valueIn(current, [name]);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function reconcileElements(written: JsonArray, wished: JsonArray, means: Means): JsonArray {
  let current: readonly JsonValue[] = wished;
  const same = sameElements(written, wished, means);
  for (const [to, from] of same) current = current.with(to, written[from] as JsonValue);
  const inWrittenOrder = [
    ...[...same].toSorted(([, a], [, b]) => a - b).map(([to]) => current[to] as JsonValue),
    ...current.filter((_, index) => !same.has(index)),
  ];
  if (!jsonEquals(inWrittenOrder, current) && means(inWrittenOrder)) return inWrittenOrder;
  for (const [to, from] of changedElements(written, wished, same)) {
    const around = current;
    const element = reconcile(written[from], around[to] as JsonValue, (value) => means(around.with(to, value)));
    current = around.with(to, element);
  }
  return current;
}

/** The index of a written element for each index of a wished one that means the same. */
function sameElements(written: JsonArray, wished: JsonArray, means: Means): Map<number, number> {
  const same = new Map<number, number>();
  const free = new Map<string, number[]>();
  for (const [index, element] of written.entries()) {
    const text = canonicalText(element);
    free.set(text, [...(free.get(text) ?? []), index]);
  }
  for (const [index, element] of wished.entries()) {
    const equal = free.get(canonicalText(element))?.shift();
    if (equal !== undefined) same.set(index, equal);
  }
  const left = [...free.values()].flat().sort((a, b) => a - b);
  const open = [...wished.keys()].filter((index) => !same.has(index));
  if (left.length * open.length > MOST_COMPARISONS) return same;
  for (const to of open) {
    const from = left.find((index) => means(wished.with(to, written[index] as JsonValue)));
    if (from === undefined) continue;
    same.set(to, from);
    left.splice(left.indexOf(from), 1);
  }
  return same;
}

/** Beyond it, elements that are not equal as written count as different. */
const MOST_COMPARISONS = 400;

/** Elements that changed: with the same key, otherwise those that are left, in their order. */
function changedElements(
  written: JsonArray,
  wished: JsonArray,
  same: ReadonlyMap<number, number>,
): (readonly [to: number, from: number])[] {
  const used = new Set(same.values());
  const left = [...written.keys()].filter((index) => !used.has(index));
  const open = [...wished.keys()].filter((index) => !same.has(index));
  const take = (at: number): number | undefined => (at === -1 ? undefined : left.splice(at, 1)[0]);
  const byKey = open.map((to): readonly [number, number | undefined] => {
    const key = keyOf(wished[to]);
    return [to, key === undefined ? undefined : take(left.findIndex((from) => jsonEquals(keyOf(written[from]), key)))];
  });
  return byKey.flatMap(([to, known]) => {
    const from = known ?? (keyOf(wished[to]) === undefined ? left.shift() : undefined);
    return from === undefined ? [] : [[to, from] as const];
  });
}

function keyOf(element: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(element) ? element['key'] : undefined;
}

/** Keeps what people wrote if it means the same as the wanted value, so that only differences are edited. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  objectFrom,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { alignElements } from '../base/yaml/editing/align.ts';
import { without } from '../posthog/flag/layout/members.ts';
import { valueIn, withMember } from './members.ts';

/** Whether a value means what is wanted. */
export type ElementTest = (candidate: JsonValue) => boolean;

/** The wanted value, which must mean what is wanted, with the parts of the written one that mean the same. */
export function reconcile(written: JsonValue | undefined, wanted: JsonValue, means: ElementTest): JsonValue {
  if (written === undefined) return wanted;
  if (jsonEquals(written, wanted) || means(written)) return written;
  if (isJsonObject(written) && isJsonObject(wanted)) return reconcileMembers(written, wanted, means);
  return isJsonArray(written) && isJsonArray(wanted) ? reconcileElements(written, wanted, means) : wanted;
}

function reconcileMembers(written: JsonObject, wanted: JsonObject, means: ElementTest): JsonObject {
  let current = wanted;
  for (const name of new Set([...definedKeys(written), ...definedKeys(wanted)])) {
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

function reconcileElements(written: JsonArray, wanted: JsonArray, means: ElementTest): JsonArray {
  const meansSame = remembered((from, to) => means(wanted.with(to, written[from] as JsonValue)));
  const pairs = alignElements(
    written,
    wanted,
    written.length * wanted.length > MOST_COMPARISONS ? undefined : meansSame,
  )
    .map((from, to) => ({ from, to }))
    .filter((pair): pair is IndexPair => pair.from !== undefined);
  let current: readonly JsonValue[] = wanted;
  for (const { from, to } of pairs) {
    const around = current;
    const element = reconcile(written[from], around[to] as JsonValue, (value) => means(around.with(to, value)));
    current = around.with(to, element);
  }
  const paired = new Set(pairs.map(({ to }) => to));
  const inWrittenOrder = [
    ...pairs.toSorted((a, b) => a.from - b.from).map(({ to }) => current[to] as JsonValue),
    ...current.filter((_, index) => !paired.has(index)),
  ];
  return !jsonEquals(inWrittenOrder, current) && means(inWrittenOrder) ? inWrittenOrder : current;
}

interface IndexPair {
  readonly from: number;
  readonly to: number;
}

/** The limit beyond which elements that are not equal as written count as different. */
const MOST_COMPARISONS = 400;

function remembered(holds: (from: number, to: number) => boolean): (from: number, to: number) => boolean {
  const known = new Map<string, boolean>();
  return (from, to) => {
    const name = `${from} ${to}`;
    const found = known.get(name) ?? holds(from, to);
    known.set(name, found);
    return found;
  };
}

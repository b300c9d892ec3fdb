/** Reads, sets and removes members of a declaration's value, and finds the edits and the JSON Merge Patch (RFC 7396) between two values. */

import {
  without,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
  type JsonArray,
} from '../base/json.ts';
import type { YamlEdit } from '../base/yaml/editing/edits.ts';
import { alignElements } from '../base/yaml/editing/align.ts';

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

/**
 * Wanted fields with the live value at some places: what git does not decide is equal on both sides of the comparison, so that
 * it is neither a difference nor written with another value. One function for comparing and for writing.
 */

import {
  isJsonArray,
  isJsonObject,
  objectFrom,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { fromPointer, valueAt } from '../../base/json-pointer.ts';
import { keepTheirOrder, type Difference } from '../../engine/diff.ts';

/**
 * The wanted fields with the live value at each pointer. `live`: as it would be written back (`writableFields`). Pointers are
 * into the wanted fields. An element of a list means the live one with the same key, where the keys of both lists have the same
 * order, and else with the same index; without one it is left out.
 */
export function withLiveAt(wanted: JsonObject, live: JsonObject, pointers: readonly string[]): JsonObject {
  const tree = emptyNode();
  for (const pointer of pointers) nodeAt(tree, pointer).leaf = 'live';
  return mix(wanted, live, tree) as JsonObject;
}

/** The wanted fields without some of their differences from the live ones: a comparison finds the others only. */
export function withoutDifferences(
  wanted: JsonObject,
  live: JsonObject,
  differences: readonly Difference[],
): JsonObject {
  const tree = emptyNode();
  for (const { path, before, after } of differences) {
    const list = path.slice(0, path.lastIndexOf('/'));
    const index = Number(path.slice(list.length + 1));
    // The index of an element that only one side has is that of its side.
    if (after === undefined && isJsonArray(valueAt(live, list))) nodeAt(tree, list).restored.push(index);
    else nodeAt(tree, path).leaf = before === undefined && isJsonArray(valueAt(wanted, list)) ? 'none' : 'live';
  }
  return mix(wanted, live, tree) as JsonObject;
}

/** Where values are taken from: below a place without a leaf, wanted values stay. */
interface Node {
  leaf?: 'live' | 'none';
  readonly children: Map<string, Node>;
  /** Indices of elements of the live list that the wanted one lacks, and that are kept. */
  readonly restored: number[];
}

function emptyNode(): Node {
  return { children: new Map(), restored: [] };
}

function nodeAt(tree: Node, pointer: string): Node {
  let node = tree;
  for (const segment of fromPointer(pointer)) {
    const next = node.children.get(segment) ?? emptyNode();
    node.children.set(segment, next);
    node = next;
  }
  return node;
}

function mix(wanted: JsonValue | undefined, live: JsonValue | undefined, node: Node): JsonValue | undefined {
  if (node.leaf !== undefined) return node.leaf === 'live' ? live : undefined;
  if (isJsonArray(wanted) || isJsonArray(live)) return mixLists(asList(wanted), asList(live), node);
  if (isJsonObject(wanted) || isJsonObject(live)) return mixMembers(asObject(wanted), asObject(live), node);
  return wanted;
}

function mixMembers(wanted: JsonObject, live: JsonObject, { children }: Node): JsonObject {
  const names = [...new Set([...Object.keys(wanted), ...children.keys()])];
  return objectFrom(
    names.flatMap((name): [string, JsonValue][] => {
      const child = children.get(name);
      const [ours, theirs] = [memberOf(wanted, name), memberOf(live, name)];
      const value = child === undefined ? ours : mix(ours, theirs, child);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function mixLists(wanted: JsonArray, live: JsonArray, { children, restored }: Node): JsonArray {
  const pairOf = pairing(wanted, live);
  const mixed = wanted.flatMap((element, index): JsonValue[] => {
    const child = children.get(String(index));
    if (child === undefined) return [element];
    const other = pairOf(element, index);
    // Without a live element nothing in it was decided elsewhere.
    if (other === undefined && child.leaf === undefined) return [element];
    const value = mix(element, other, child);
    return value === undefined ? [] : [value];
  });
  for (const index of restored.toSorted((a, b) => a - b)) mixed.splice(index, 0, live[index] as JsonValue);
  return mixed;
}

/** As the comparison pairs them. */
function pairing(wanted: JsonArray, live: JsonArray): (element: JsonValue, index: number) => JsonValue | undefined {
  if (!keepTheirOrder(live, wanted)) return (_, index) => live[index];
  const byKey = new Map(live.map((element) => [keyOf(element), element]));
  return (element) => byKey.get(keyOf(element));
}

function keyOf(element: JsonValue): string | undefined {
  const key = isJsonObject(element) ? element['key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function asList(value: JsonValue | undefined): JsonArray {
  return isJsonArray(value) ? value : [];
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

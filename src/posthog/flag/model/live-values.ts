/**
 * Replaces the declared value with the live one wherever git does not decide, so that it causes neither a difference nor a
 * write. One function serves comparison and writing.
 */

import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonArray,
  type JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { fromPointer, toPointer, valueAt, type JsonPath } from '../../../base/json-pointer.ts';
import { keyOf, keepTheirOrder, type Difference } from '../../../core/engine/diff.ts';
import type { Between } from '../../../core/engine/ownership.ts';

/**
 * The wanted fields with the live value at each pointer. `live`: as it would be written back (`writableFields`). Pointers are into the
 * wanted fields. An element of a list stands for the live one with the same key, if the keys of both lists have the same order, or else
 * with the same index; if there is none, it is left out.
 */
export function withLiveAt(wanted: JsonObject, live: JsonObject, pointers: readonly string[]): JsonObject {
  const tree = emptyNode();
  for (const pointer of pointers) nodeAt(tree, pointer).source = 'live';
  return mixFields(wanted, live, { tree, pair: pairAsCompared });
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
    else nodeAt(tree, path).source = before === undefined && isJsonArray(valueAt(wanted, list)) ? 'none' : 'live';
  }
  return mixFields(wanted, live, { tree, pair: pairAsCompared });
}

/** The source of a value. `Between`: the live number if it is inside the bounds, or else the nearest bound. */
export type ValueSource = 'wanted' | 'live' | 'none' | Between;

/** The sources at a place and below it. A place without a source has that of the place around it. */
export interface SourceNode {
  source?: ValueSource;
  readonly children: Map<string, SourceNode>;
  /** Indices of live elements that the wanted list lacks and that are kept. */
  readonly restored: number[];
}

export function emptyNode(): SourceNode {
  return { children: new Map(), restored: [] };
}

/** The place at a pointer of the wanted fields. */
export function nodeAt(tree: SourceNode, pointer: string): SourceNode {
  let node = tree;
  for (const segment of fromPointer(pointer)) {
    const next = node.children.get(segment) ?? emptyNode();
    node.children.set(segment, next);
    node = next;
  }
  return node;
}

/** The index of the live element to which each wanted element corresponds. */
export type Pairing = readonly (number | undefined)[];

export interface Mixing {
  readonly tree: SourceNode;
  readonly pair: (lists: Spot<JsonArray>, node: SourceNode) => Pairing;
  /** Called for each place whose value is not the wanted one, or may differ from it. */
  readonly onLive?: (spot: Spot, source: 'live' | Between) => void;
  /**
   * Called for each place in the result that others decide, in a wanted element without a live counterpart. If present, such an element
   * stays; otherwise it counts as not live.
   */
  readonly onNew?: (at: string, source: 'live' | Between) => void;
  /** The live number at a place, which may be implied. */
  readonly numberAt?: (liveAt: string) => JsonValue | undefined;
  /** The choice for a number outside its bounds; absent: the nearest bound. */
  readonly outside?: 'wanted';
}

/** A value on both sides, with its path on each and in the combined result. */
interface Spot<Value extends JsonValue | undefined = JsonValue | undefined> {
  readonly wanted: Value;
  readonly live: Value;
  readonly wantedAt: JsonPath;
  readonly liveAt: JsonPath;
  readonly at: JsonPath;
}

export function mixFields(wanted: JsonObject, live: JsonObject, mixing: Mixing): JsonObject {
  const spot = { wanted, live, wantedAt: [], liveAt: [], at: [] };
  return (mix(spot, mixing.tree, { mixing, around: 'wanted' }) ?? {}) as JsonObject;
}

interface MixingWalk {
  readonly mixing: Mixing;
  /** The source of the place around. */
  readonly around: ValueSource;
}

function mix(spot: Spot, node: SourceNode, { mixing, around }: MixingWalk): JsonValue | undefined {
  const { wanted, live } = spot;
  const source = node.source ?? around;
  const isLeaf = node.children.size === 0 && node.restored.length === 0;
  if (isLeaf || source === 'none') return take(spot, source, mixing);
  const walk = { mixing, around: source };
  if (isJsonArray(wanted) && isJsonArray(live)) return mixLists({ ...spot, wanted, live }, node, walk);
  // A missing live list has no elements that others decide.
  if (isJsonArray(wanted)) return wanted;
  if (isJsonArray(live)) return mixLists({ ...spot, wanted: [], live }, node, walk);
  if (!isJsonObject(wanted) && !isJsonObject(live)) return take(spot, source, mixing);
  return mixMembers({ ...spot, wanted: objectOrEmpty(wanted), live: objectOrEmpty(live) }, node, walk);
}

function take(spot: Spot, source: ValueSource, mixing: Mixing): JsonValue | undefined {
  if (source === 'none') return undefined;
  if (source === 'wanted') return spot.wanted;
  if (source === 'live') {
    mixing.onLive?.(spot, source);
    return spot.live;
  }
  const number = mixing.numberAt?.(toPointer(spot.liveAt)) ?? spot.live;
  const wanted = spot.wanted ?? number;
  if (!isJsonNumber(number) || !isJsonNumber(wanted)) return spot.wanted;
  // A value that is left as it is live is not brought into its bounds.
  if (jsonEquals(number, wanted) && !isWithin(number, source)) return spot.live;
  if (mixing.outside === 'wanted' && !isWithin(number, source)) return spot.wanted;
  mixing.onLive?.(spot, source);
  return isWithin(number, source) ? spot.live : nearestBound(number, source);
}

export function isWithin(number: JsonNumber, { between: [low, high] }: Between): boolean {
  return Number(number) >= low && Number(number) <= high;
}

function nearestBound(number: JsonNumber, { between: [low, high] }: Between): number {
  return Number(number) < low ? low : high;
}

function mixMembers(spot: Spot<JsonObject>, { children }: SourceNode, walk: MixingWalk): JsonObject {
  const { wanted, live } = spot;
  const given = walk.around === 'live' ? live : wanted;
  const names = [...new Set([...Object.keys(given), ...children.keys()])];
  return objectFrom(
    names.flatMap((name): [string, JsonValue][] => {
      const inner = {
        wanted: memberOf(wanted, name),
        live: memberOf(live, name),
        wantedAt: [...spot.wantedAt, name],
        liveAt: [...spot.liveAt, name],
        at: [...spot.at, name],
      };
      const value = mix(inner, children.get(name) ?? emptyNode(), walk);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** An element of the mixed list: of a wanted one, of a live one, or of both. */
interface PairedElement {
  readonly wantedIndex?: number;
  readonly liveIndex?: number;
  readonly node: SourceNode;
}

function mixLists(spot: Spot<JsonArray>, node: SourceNode, walk: MixingWalk): JsonArray {
  const pairing = walk.mixing.pair(spot, node);
  const elements = walk.around === 'live' ? liveElements(spot, node, pairing) : wantedElements(spot, node, pairing);
  const mixed: JsonValue[] = [];
  for (const element of elements) {
    const value = mixElement(element, { ...spot, at: [...spot.at, mixed.length] }, walk);
    if (value !== undefined) mixed.push(value);
  }
  for (const index of node.restored.toSorted((a, b) => a - b)) mixed.splice(index, 0, spot.live[index] as JsonValue);
  return mixed;
}

function wantedElements({ wanted }: Spot<JsonArray>, { children }: SourceNode, pairing: Pairing): PairedElement[] {
  return wanted.map((_, wantedIndex) => {
    const liveIndex = pairing[wantedIndex];
    const node = children.get(String(wantedIndex)) ?? { ...emptyNode(), source: 'wanted' };
    return { wantedIndex, ...(liveIndex === undefined ? {} : { liveIndex }), node };
  });
}

/** The live list, except for the elements that git decides. */
function liveElements({ live }: Spot<JsonArray>, { children }: SourceNode, pairing: Pairing): PairedElement[] {
  const elements = live.map((_, liveIndex): PairedElement => {
    const wantedIndex = pairing.indexOf(liveIndex);
    if (wantedIndex < 0) return { liveIndex, node: emptyNode() };
    return { liveIndex, wantedIndex, node: children.get(String(wantedIndex)) ?? emptyNode() };
  });
  for (const [segment, node] of children) {
    const wantedIndex = Number(segment);
    if (node.source !== 'wanted' || pairing[wantedIndex] !== undefined) continue;
    elements.splice(wantedIndex, 0, { wantedIndex, node });
  }
  return elements;
}

/** `outer`: the list, and the path to the element in the result. */
function mixElement(
  { wantedIndex, liveIndex, node }: PairedElement,
  outer: Spot<JsonArray>,
  walk: MixingWalk,
): JsonValue | undefined {
  const { wanted, live, wantedAt, liveAt, at } = outer;
  const spot: Spot = {
    wanted: wantedIndex === undefined ? undefined : wanted[wantedIndex],
    live: liveIndex === undefined ? undefined : live[liveIndex],
    wantedAt: [...wantedAt, wantedIndex ?? -1],
    liveAt: [...liveAt, liveIndex ?? -1],
    at,
  };
  if (liveIndex !== undefined || node.source === 'none') return mix(spot, node, walk);
  const { onNew } = walk.mixing;
  if (onNew !== undefined) reportNewPlaces({ node, at, around: walk.around }, onNew);
  return node.source === 'live' && onNew === undefined ? undefined : spot.wanted;
}

/** The places in a new value that others decide. */
export function reportNewPlaces(
  { node, at, around }: { readonly node: SourceNode; readonly at: JsonPath; readonly around: ValueSource },
  onNew: NonNullable<Mixing['onNew']>,
): void {
  const source = node.source ?? around;
  const isOthers = source !== 'wanted' && source !== 'none';
  if (isOthers && node.children.size === 0) onNew(toPointer(at), source);
  for (const [segment, child] of node.children)
    reportNewPlaces({ node: child, at: [...at, segment], around: source }, onNew);
}

function pairAsCompared({ wanted, live }: Spot<JsonArray>): Pairing {
  if (!keepTheirOrder(live, wanted)) return wanted.map((_, index) => (index < live.length ? index : undefined));
  const byKey = new Map(live.map((element, index) => [keyOf(element), index]));
  return wanted.map((element) => byKey.get(keyOf(element)));
}

/** The wanted fields of a flag, with the live value wherever git does not decide. */

import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  jsonEquals,
  type JsonArray,
  type JsonNumber,
  type JsonObject,
} from '../../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { diff } from '../../core/engine/diff.ts';
import type { Between, ObservedValue, OutsideBounds, Ownership } from '../../core/engine/ownership.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { FlagWarning, ValueOfOthers } from './change.ts';
import { comparableFields, writableFields } from './comparison.ts';
import { hasEncryptedPayloads, withKeptPayloads } from './model/encrypted-payloads.ts';
import { pointersOf } from '../../core/engine/field-path.ts';
import type { Flag } from './model/flag.ts';
import {
  emptyNode,
  isWithin,
  mixFields,
  nodeAt,
  reportNewPlaces,
  type ValueSource,
  type SourceNode,
  type Spot,
} from './model/live-values.ts';
import { hasOpaque } from './model/view.ts';
import { fieldOf, findOwnership, partsOfOthers, type OwnershipRule } from './model/fields.ts';
import { pairElements } from './pair-elements.ts';
import type { FlagSnapshot } from './snapshot.ts';

export interface OwnedFields {
  readonly wanted: JsonObject;
  /** The places that a write leaves as they are live. */
  readonly valuesOfOthers: readonly ValueOfOthers[];
  /** Differences there, to show. */
  readonly observed: readonly ObservedValue[];
  /** The values that are the nearest bound instead of the declared value, by their pointers into `wanted`. */
  readonly outside: ReadonlyMap<string, Outside>;
  readonly warnings: readonly FlagWarning[];
}

interface Outside {
  readonly live: JsonNumber;
  readonly bounds: OutsideBounds;
}

interface OwnershipInput {
  readonly desired: DeclaredFlag;
  /** The wanted values if git decided everything. */
  readonly wanted: JsonObject;
  readonly live: Flag;
  /** See `Mixing`. */
  readonly outside?: 'wanted';
}

export const NOTHING_OF_OTHERS: Omit<OwnedFields, 'wanted'> = {
  valuesOfOthers: [],
  observed: [],
  outside: new Map(),
  warnings: [],
};

/** The same object where git decides about everything. */
export function withOwnership({ desired, wanted, live, outside }: OwnershipInput, flags: FlagSnapshot): OwnedFields {
  const rules = desired.ownership ?? [];
  const tree = treeOf(rules, wanted, live);
  if (tree.children.size === 0) return { wanted, ...NOTHING_OF_OTHERS };
  const canonical = { live: flags.comparable(live), wanted: comparableFields(wanted, flags.comparable(live), flags) };
  const kept: Kept[] = [];
  const added: ValueOfOthers[] = [];
  const unpaired: string[] = [];
  const former = writableFields(live, [...tree.children.keys()], flags);
  const mixed = mixFields(wanted, former, {
    tree,
    onNew: (path, source) => added.push(toNew(path, source)),
    pair: (lists, node) => pairInFlag(lists, node, { canonical, unpaired }),
    numberAt: (at) => valueAt(canonical.live, at),
    onLive: (spot, source) => kept.push(toKept(spot, source)),
    ...defined({ outside }),
  });
  return {
    wanted: hasEncryptedPayloads(live) ? withKeptPayloads(mixed, () => true) : mixed,
    valuesOfOthers: [...kept.map(toValueOfOthers), ...added],
    observed: kept.flatMap((one) => observe(one, { desired, wanted, canonical })),
    outside: new Map(kept.flatMap((one) => findOutside(one, mixed, canonical))),
    warnings: unpaired.map((path) => ({ code: 'ownership_unpaired', key: desired.key, path })),
  };
}

/** The places of a new flag that others decide about once it exists. */
export function newValuesOfOthers({ ownership, fields }: DeclaredFlag): readonly ValueOfOthers[] {
  const valuesOfOthers: ValueOfOthers[] = [];
  const node = treeOf(ownership ?? [], fields, undefined);
  reportNewPlaces({ node, at: [], around: 'wanted' }, (path, source) => valuesOfOthers.push(toNew(path, source)));
  return valuesOfOthers;
}

/** The decision for each place of the wanted fields. A later rule replaces earlier ones at and below its place. */
function treeOf(rules: readonly OwnershipRule[], wanted: JsonObject, live: Flag | undefined): SourceNode {
  const tree = emptyNode();
  for (const { path, ownership } of rules) {
    const field = fieldOf(path);
    if (field !== undefined && !Object.hasOwn(wanted, field)) continue;
    for (const pointer of pointersOf(path, wanted)) {
      const node = nodeAt(tree, pointer);
      node.source = sourceOf(ownership);
      node.children.clear();
    }
  }
  const { filters } = wanted;
  if (!isJsonObject(filters) || !isJsonObject(live?.filters)) return tree;
  if (hasOpaque(filters, live.filters)) tree.children.get('filters')?.children.clear();
  else for (const part of partsOfOthers(filters, live.filters)) setUnlessRuled(tree, part);
  return tree;
}

function sourceOf(ownership: Ownership): ValueSource {
  if (typeof ownership === 'object') return ownership;
  return ownership === 'managed' ? 'wanted' : 'live';
}

function setUnlessRuled(tree: SourceNode, part: string): void {
  const node = nodeAt(tree, toPointer(['filters', part]));
  if (node.source === undefined && node.children.size === 0) node.source = 'live';
}

interface CanonicalSides {
  readonly wanted: JsonObject;
  readonly live: JsonObject;
}

interface PairingContext {
  readonly canonical: CanonicalSides;
  /** Pointers to declared elements without a live counterpart, although a live element is left. */
  readonly unpaired: string[];
}

function pairInFlag(
  lists: Spot<JsonArray>,
  { children }: SourceNode,
  { canonical, unpaired }: PairingContext,
): ReturnType<typeof pairElements> {
  const wanted = formedList(lists.wanted, valueAt(canonical.wanted, toPointer(lists.wantedAt)));
  const live = formedList(lists.live, valueAt(canonical.live, toPointer(lists.liveAt)));
  const pairs = pairElements({ wanted, live, nodes: children });
  const isLeft = pairs.filter((other) => other !== undefined).length < live.length;
  for (const segment of isLeft ? children.keys() : []) {
    const index = Number(segment);
    if (index < pairs.length && pairs[index] === undefined) unpaired.push(toPointer([...lists.wantedAt, index]));
  }
  return pairs;
}

/** The canonical form of a list keeps every element at its index, unless the whole list means nothing. */
function formedList(written: JsonArray, formed: unknown): JsonArray {
  return isJsonArray(formed) && formed.length === written.length ? formed : written;
}

/** A place whose value others decide: in the wanted, the live and the combined fields. */
interface Kept {
  readonly wanted: string;
  readonly live: string;
  readonly path: string;
  readonly between?: Between['between'];
}

function toKept({ wantedAt, liveAt, at }: Spot, source: 'live' | Between): Kept {
  const pointers = { wanted: toPointer(wantedAt), live: toPointer(liveAt), path: toPointer(at) };
  return source === 'live' ? pointers : { ...pointers, between: source.between };
}

function toValueOfOthers({ path, live, between }: Kept): ValueOfOthers {
  return { path, ...(live === path ? {} : { live }), ...defined({ between }) };
}

function toNew(path: string, source: 'live' | Between): ValueOfOthers {
  return source === 'live' ? { path, new: true } : { path, between: source.between, new: true };
}

interface Observing {
  readonly desired: DeclaredFlag;
  readonly wanted: JsonObject;
  readonly canonical: CanonicalSides;
}

/** The differences at a place that others decide. A value outside its bounds is a difference of the plan. */
function observe({ wanted: at, live, path }: Kept, { desired, wanted, canonical }: Observing): ObservedValue[] {
  // A live element that is not declared follows the rule of its list.
  const declaredAt = at.includes('/-1') ? at.slice(0, at.indexOf('/-1')) : at;
  const ownership = findOwnership(desired.ownership ?? [], declaredAt, wanted);
  if (ownership === undefined || ownership === 'managed' || ownership === 'initial') return [];
  const now = valueAt(canonical.live, live);
  if (typeof ownership === 'object' && (!isJsonNumber(now) || !isWithin(now, ownership))) return [];
  const declared = declaredAt === at ? valueAt(canonical.wanted, at) : undefined;
  return diff(now, declared, fromPointer(path)).map(({ path: pointer, before, after }) => ({
    key: desired.key,
    path: pointer,
    ownership,
    ...defined({ declared: after, live: before }),
    source: placeAt(desired.places, declaredAt),
  }));
}

function findOutside(
  { wanted: at, live, path, between }: Kept,
  mixed: JsonObject,
  canonical: CanonicalSides,
): [string, Outside][] {
  if (between === undefined) return [];
  const [now, declared] = [valueAt(canonical.live, live), valueAt(canonical.wanted, at)];
  if (!isJsonNumber(now) || isWithin(now, { between })) return [];
  if (declared === undefined || jsonEquals(declared, valueAt(mixed, path))) return [];
  return [[path, { live: now, bounds: { between, declared } }]];
}

/** The wanted fields of a flag, with the live value wherever git does not decide. */

import {
  definedKeys,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  jsonEquals,
  type JsonArray,
  type JsonNumber,
  type JsonObject,
  canonicalText,
  objectFrom,
  type JsonValue,
} from '../../base/json.ts';
import {
  type Mixing,
  emptyNode,
  isWithin,
  mixFields,
  nodeAt,
  reportNewPlaces,
  type SourceNode,
  type Pairing,
} from './model/live-values.ts';
import { fromPointer, toPointer, valueAt } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { diff, keyOf } from '../../core/engine/diff.ts';
import type { Between, ObservedValue, OutsideBounds } from '../../core/engine/ownership.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { FlagWarning, ValueOfOthers } from './change.ts';
import { comparableFields, writableFields } from './comparison.ts';
import { hasEncryptedPayloads, withKeptPayloads } from './model/encrypted-payloads.ts';
import { pointersOf } from '../../core/engine/field-path.ts';
import { type Flag, hasOpaque } from './model/flag.ts';
import { fieldOf, findOwnership, partsOfOthers, type OwnershipRule } from './model/fields.ts';
import type { FlagSnapshot } from './snapshot.ts';

export interface OwnedFields {
  readonly wanted: JsonObject;
  /** The places that a write leaves as they are live. */
  readonly valuesOfOthers: readonly ValueOfOthers[];
  /** Differences there, to show. */
  readonly observed: readonly ObservedValue[];
  /** The values that are the nearest bound instead of the declared value, by their pointers into `wanted`. */
  readonly outside: ReadonlyMap<string, { readonly live: JsonNumber; readonly bounds: OutsideBounds }>;
  readonly warnings: readonly FlagWarning[];
}

export const NOTHING_OF_OTHERS: Omit<OwnedFields, 'wanted'> = {
  valuesOfOthers: [],
  observed: [],
  outside: new Map(),
  warnings: [],
};

/** `wanted`: the values if git decided everything; the same object where it does. `outside`: see `Mixing`. */
export function withOwnership(
  {
    desired,
    wanted,
    live,
    outside,
  }: {
    readonly desired: DeclaredFlag;
    readonly wanted: JsonObject;
    readonly live: Flag;
    readonly outside?: 'wanted';
  },
  flags: FlagSnapshot,
): OwnedFields {
  const tree = treeOf(desired.ownership ?? [], wanted, live);
  if (tree.children.size === 0) return { wanted, ...NOTHING_OF_OTHERS };
  const canonical = { live: flags.comparable(live), wanted: comparableFields(wanted, flags.comparable(live), flags) };
  const kept: Kept[] = [];
  const added: ValueOfOthers[] = [];
  // Declared elements without a live counterpart, although a live element is left.
  const unpaired: string[] = [];
  const pair: Mixing['pair'] = (lists, { children }) => {
    // The canonical form of a list keeps every element at its index, unless the whole list means nothing.
    const formed = (side: 'wanted' | 'live'): JsonArray => {
      const form = valueAt(canonical[side], toPointer(lists[`${side}At`]));
      return isJsonArray(form) && form.length === lists[side].length ? form : lists[side];
    };
    const pairs = pairElements(formed('wanted'), formed('live'), children);
    const isLeft = pairs.filter((other) => other !== undefined).length < lists.live.length;
    for (const segment of isLeft ? children.keys() : []) {
      const index = Number(segment);
      if (index < pairs.length && pairs[index] === undefined) unpaired.push(toPointer([...lists.wantedAt, index]));
    }
    return pairs;
  };
  const former = writableFields(live, [...tree.children.keys()], flags);
  const mixed = mixFields(wanted, former, {
    tree,
    onNew: (path, source) => added.push(toNew(path, source)),
    pair,
    numberAt: (at) => valueAt(canonical.live, at),
    onLive: ({ wantedAt, liveAt, at }, source) => {
      const pointers = { wanted: toPointer(wantedAt), live: toPointer(liveAt), path: toPointer(at) };
      kept.push(source === 'live' ? pointers : { ...pointers, between: source.between });
    },
    ...defined({ outside }),
  });
  return {
    wanted: hasEncryptedPayloads(live) ? withKeptPayloads(mixed, () => true) : mixed,
    valuesOfOthers: [
      ...kept.map(({ path, live: at, between }) => ({
        path,
        ...(at === path ? {} : { live: at }),
        ...defined({ between }),
      })),
      ...added,
    ],
    observed: kept.flatMap((one) => observe(one, desired, { wanted, canonical })),
    outside: new Map(
      kept.flatMap(({ wanted: at, live: liveAt, path, between }) => {
        const [now, declared] = [valueAt(canonical.live, liveAt), valueAt(canonical.wanted, at)];
        if (between === undefined || !isJsonNumber(now) || isWithin(now, { between })) return [];
        const isAsDeclared = declared === undefined || jsonEquals(declared, valueAt(mixed, path));
        return isAsDeclared ? [] : [[path, { live: now, bounds: { between, declared } }] as const];
      }),
    ),
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
      node.source = ownership === 'managed' ? 'wanted' : typeof ownership === 'object' ? ownership : 'live';
      node.children.clear();
    }
  }
  const { filters } = wanted;
  if (!isJsonObject(filters) || !isJsonObject(live?.filters)) return tree;
  if (hasOpaque(filters, live.filters)) tree.children.get('filters')?.children.clear();
  else
    for (const part of partsOfOthers(filters, live.filters)) {
      const node = nodeAt(tree, toPointer(['filters', part]));
      if (node.source === undefined && node.children.size === 0) node.source = 'live';
    }
  return tree;
}

/** A place whose value others decide: in the wanted, the live and the combined fields. */
interface Kept {
  readonly wanted: string;
  readonly live: string;
  readonly path: string;
  readonly between?: Between['between'];
}

function toNew(path: string, source: 'live' | Between): ValueOfOthers {
  return source === 'live' ? { path, new: true } : { path, between: source.between, new: true };
}

/** The differences at a place that others decide. A value outside its bounds is a difference of the plan. */
function observe(
  { wanted: at, live, path }: Kept,
  desired: DeclaredFlag,
  {
    wanted,
    canonical,
  }: { readonly wanted: JsonObject; readonly canonical: { readonly wanted: JsonObject; readonly live: JsonObject } },
): ObservedValue[] {
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

/**
 * Pairs elements that have keys by key. Conditions have none: each is paired with the one of the same description, else with one that is
 * equal in what git decides, else with one for the same people, else, in lists of the same length, with the one at the same index or the
 * next that is left. Each is used once. Both lists are in canonical form. `nodes`: the parts of each wanted element that git does not decide and
 * that may differ.
 */
export function pairElements(wanted: JsonArray, live: JsonArray, nodes: ReadonlyMap<string, SourceNode>): Pairing {
  const pairs = new ElementPairs(wanted.length, live.length);
  if ([...wanted, ...live].every((element) => keyOf(element) !== undefined)) {
    pairs.match(wanted.map(keyOf), live.map(keyOf));
    return pairs.found;
  }
  pairs.matchUnique(wanted.map(descriptionOf), live.map(descriptionOf));
  // Git decides all of most elements. Their texts are made once, since each may be compared with all others.
  const whole = live.map(canonicalText);
  for (const [index, element] of wanted.entries()) {
    const node = nodes.get(String(index));
    const own = managedPart(element, node);
    const textAt = (other: number): string | undefined =>
      node === undefined ? whole[other] : canonicalText(managedPart(live[other] as JsonValue, node) ?? null);
    // An element of which git decides nothing would be equal to every other.
    if (own === undefined) continue;
    const text = canonicalText(own);
    pairs.take(index, (other) => textAt(other) === text);
  }
  pairs.matchUnique(wanted.map(peopleOf), live.map(peopleOf));
  if (wanted.length !== live.length) return pairs.found;
  for (const index of wanted.keys()) pairs.take(index, (other) => other === index);
  for (const index of wanted.keys()) pairs.take(index, () => true);
  return pairs.found;
}

class ElementPairs {
  readonly found: (number | undefined)[];
  private readonly free: Set<number>;

  constructor(wanted: number, live: number) {
    this.found = Array.from({ length: wanted }, () => undefined);
    this.free = new Set(Array.from({ length: live }, (_, index) => index));
  }

  /** The free element at the same place is preferred. */
  take(index: number, fits: (other: number) => boolean): void {
    if (this.found[index] !== undefined) return;
    const other = [index, ...this.free].find((candidate) => this.free.has(candidate) && fits(candidate));
    if (other === undefined) return;
    this.found[index] = other;
    this.free.delete(other);
  }

  match(wanted: readonly (string | undefined)[], live: readonly (string | undefined)[]): void {
    for (const [index, name] of wanted.entries()) {
      if (name !== undefined) this.take(index, (other) => live[other] === name);
    }
  }

  /** Matches only names that one free element of each list has. */
  matchUnique(wanted: readonly (string | undefined)[], live: readonly (string | undefined)[]): void {
    const ours = wanted.map((name, index) => (this.found[index] === undefined ? name : undefined));
    const theirs = live.map((name, index) => (this.free.has(index) ? name : undefined));
    const isUnique = (name: string | undefined): boolean =>
      [ours, theirs].every((names) => names.filter((other) => other === name).length === 1);
    this.match(
      ours.map((name) => (isUnique(name) ? name : undefined)),
      theirs,
    );
  }
}

function descriptionOf(element: JsonValue): string | undefined {
  const description = isJsonObject(element) ? element['description'] : undefined;
  return typeof description === 'string' && description !== '' ? description : undefined;
}

/** What a condition asks of people, without its percentage. */
function peopleOf(element: JsonValue): string | undefined {
  if (!isJsonObject(element)) return undefined;
  const { properties = [], aggregation_group_type_index: group = null } = element;
  return canonicalText([properties, group]);
}

/** The value without the parts that git does not decide. */
function managedPart(value: JsonValue, node: SourceNode | undefined): JsonValue | undefined {
  if (node === undefined) return value;
  if (node.source !== undefined && node.source !== 'wanted') return undefined;
  if (isJsonArray(value)) {
    return value.flatMap((element, index) => managedPart(element, node.children.get(String(index))) ?? []);
  }
  if (!isJsonObject(value)) return value;
  return objectFrom(
    definedKeys(value).flatMap((name): [string, JsonValue][] => {
      const kept = managedPart(value[name] as JsonValue, node.children.get(name));
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

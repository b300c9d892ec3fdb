/** Pairs declared list elements with the live elements that they correspond to, also after both lists changed. */

import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  objectFrom,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import type { Pairing, SourceNode } from './model/live-values.ts';
import { keyOf } from '../../core/engine/diff.ts';

/** Both lists in canonical form. `nodes`: the parts of each wanted element that git does not decide and that may differ. */
export interface ElementLists {
  readonly wanted: JsonArray;
  readonly live: JsonArray;
  readonly nodes: ReadonlyMap<string, SourceNode>;
}

/**
 * Pairs elements that have keys by key. Conditions have none: each is paired with the one of the same description, else with one that is
 * equal in what git decides, else with one for the same people, else, in lists of the same length, with the one at the same index or the
 * next that is left. Each is used once.
 */
export function pairElements({ wanted, live, nodes }: ElementLists): Pairing {
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
  return isJsonObject(value) ? managedMembers(value, node) : value;
}

function managedMembers(object: JsonObject, { children }: SourceNode): JsonObject {
  return objectFrom(
    Object.entries(object).flatMap(([name, member]): [string, JsonValue][] => {
      const kept = member === undefined ? undefined : managedPart(member, children.get(name));
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

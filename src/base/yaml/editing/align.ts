/** Finds which elements of a list are the elements of an earlier list: equal ones, then those that changed a little. */

import { canonicalText, isJsonArray, isJsonObject, type JsonValue } from '../../json.ts';

/** Elements that are compared with each other for similarity; in longer lists only position and `key` count. */
const MOST_COMPARISONS = 2500;
/** How much of two elements must agree, from 0 to 1, to count as one element that changed. */
const SIMILAR = 0.4;

/** For each element of `after`, the index of the element of `before` that it was; `undefined` for a new one. */
export function alignElements(before: readonly JsonValue[], after: readonly JsonValue[]): (number | undefined)[] {
  const pairing = new Pairing(before, after);
  pairEqual(pairing, canonicalText);
  pairEqual(pairing, keyOf);
  pairSimilar(pairing);
  pairByPosition(pairing);
  return pairing.former;
}

class Pairing {
  readonly before: readonly JsonValue[];
  readonly after: readonly JsonValue[];
  readonly former: (number | undefined)[];
  readonly #taken = new Set<number>();

  constructor(before: readonly JsonValue[], after: readonly JsonValue[]) {
    this.before = before;
    this.after = after;
    this.former = after.map(() => undefined);
  }

  pair(before: number, after: number): void {
    this.former[after] = before;
    this.#taken.add(before);
  }

  isOpenBefore(index: number): boolean {
    return !this.#taken.has(index);
  }

  openBefore(): number[] {
    return [...this.before.keys()].filter((index) => this.isOpenBefore(index));
  }

  openAfter(): number[] {
    return [...this.after.keys()].filter((index) => this.former[index] === undefined);
  }
}

/** Pairs elements with the same name, in their order; elements without one are left. */
function pairEqual(pairing: Pairing, nameOf: (value: JsonValue) => string | undefined): void {
  const byName = new Map<string, number[]>();
  for (const index of pairing.openBefore().toReversed()) {
    const name = nameOf(pairing.before[index] as JsonValue);
    if (name === undefined) continue;
    const held = byName.get(name);
    if (held === undefined) byName.set(name, [index]);
    else held.push(index);
  }
  for (const index of pairing.openAfter()) {
    const name = nameOf(pairing.after[index] as JsonValue);
    const found = name === undefined ? undefined : byName.get(name)?.pop();
    if (found !== undefined) pairing.pair(found, index);
  }
}

function keyOf(value: JsonValue): string | undefined {
  const key = isJsonObject(value) && Object.hasOwn(value, 'key') ? value['key'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

function pairSimilar(pairing: Pairing): void {
  const before = pairing.openBefore();
  const after = pairing.openAfter();
  if (before.length * after.length > MOST_COMPARISONS) return;
  const [partsBefore, partsAfter] = [
    new Map(before.map((index) => [index, partsOf(pairing.before[index] as JsonValue)])),
    new Map(after.map((index) => [index, partsOf(pairing.after[index] as JsonValue)])),
  ];
  const candidates = before.flatMap((from) =>
    after.map((to) => ({ from, to, score: similarity(partsBefore.get(from), partsAfter.get(to)) })),
  );
  const sorted = candidates
    .filter(({ score }) => score >= SIMILAR)
    .toSorted((a, b) => b.score - a.score || Math.abs(a.from - a.to) - Math.abs(b.from - b.to));
  for (const { from, to } of sorted) {
    if (pairing.isOpenBefore(from) && pairing.former[to] === undefined) pairing.pair(from, to);
  }
}

/** The values in a mapping or list by their paths; `undefined` for a single value, which is equal or another one. */
function partsOf(value: JsonValue): ReadonlyMap<string, string> | undefined {
  if (!isJsonArray(value) && !isJsonObject(value)) return undefined;
  const parts = new Map<string, string>();
  collectParts(value, '', parts);
  return parts;
}

function collectParts(value: JsonValue | undefined, path: string, parts: Map<string, string>): void {
  if (isJsonArray(value) || isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) collectParts(member, `${path}/${name}`, parts);
  } else if (value !== undefined) parts.set(path, canonicalText(value));
}

/** The share of paths that both have, and of those with the same value. */
function similarity(a: ReadonlyMap<string, string> | undefined, b: typeof a): number {
  if (a === undefined || b === undefined) return 0;
  const shared = [...a.keys()].filter((path) => b.has(path));
  const equal = shared.filter((path) => a.get(path) === b.get(path));
  const all = a.size + b.size - shared.length;
  return all === 0 ? 0 : (shared.length + equal.length) / (2 * all);
}

/** Single values that replace as many others between the same neighbours are the same elements with new values. */
function pairByPosition(pairing: Pairing): void {
  for (const gap of gapsOf(pairing)) {
    if (gap.before.length !== gap.after.length) continue;
    for (const [at, from] of gap.before.entries()) {
      const to = gap.after[at] ?? 0;
      if (isSingle(pairing.before[from]) && isSingle(pairing.after[to])) pairing.pair(from, to);
    }
  }
}

interface Gap {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** The open elements between two neighbours that are pairs of neighbours in both lists. */
function gapsOf({ before, after, former }: Pairing): Gap[] {
  const taken = new Set(former);
  const gaps: Gap[] = [];
  let open: number[] = [];
  let last = -1;
  for (let index = 0; index <= after.length; index += 1) {
    const from = index === after.length ? before.length : former[index];
    if (from === undefined) {
      open.push(index);
      continue;
    }
    const between = Array.from({ length: Math.max(from - last - 1, 0) }, (_, step) => last + 1 + step);
    if (between.every((one) => !taken.has(one))) gaps.push({ before: between, after: open });
    open = [];
    last = from;
  }
  return gaps;
}

function isSingle(value: JsonValue | undefined): boolean {
  return !isJsonArray(value) && !isJsonObject(value);
}

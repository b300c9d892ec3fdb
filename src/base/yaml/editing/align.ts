/** Finds which elements of a list are the elements of an earlier list: those that make the fewest changes of all. */

import { canonicalText, isJsonArray, isJsonObject, memberOf, type JsonValue } from '../../json.ts';
import { groupBy } from '../../group.ts';
import { keptInOrder } from '../../longest-increasing-subsequence.ts';

/** The index in the earlier list of each element of the later one; `undefined` for a new element. */
export type Alignment = readonly (number | undefined)[];

/** Pairs of elements that are compared; in longer lists an element that is not equal counts as another one. */
const MOST_COMPARISONS = 2500;
/** The share of two elements that must agree, from 0 to 1, to count as one element that both moved and changed. */
const SIMILAR = 0.4;
/** The cost of moving an element, and of adding or removing one, besides its values. */
const MOVE = 1;
const WHOLE = 1;

/** `isEqual`, by indices: whether elements that are not equal as values need no change either. */
export function alignElements(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  isEqual: (from: number, to: number) => boolean = () => false,
): Alignment {
  const [former, later] = [before, after].map((values) => values.map(toElement)) as [
    AlignedElement[],
    AlignedElement[],
  ];
  const start = countEqual(former, later);
  const end = countEqual(former.slice(start).toReversed(), later.slice(start).toReversed());
  const [left, right] = [former.slice(start, former.length - end), later.slice(start, later.length - end)];
  const between =
    left.length * right.length > MOST_COMPARISONS
      ? alignNames(left, right)
      : alignCheapest(new AlignedLists(left, right, (from, to) => isEqual(from + start, to + start)));
  return [
    ...later.slice(0, start).keys(),
    ...between.map((from) => (from === undefined ? undefined : from + start)),
    ...Array.from({ length: end }, (_, index) => former.length - end + index),
  ];
}

/** Most lists change in few places. */
function countEqual(before: readonly AlignedElement[], after: readonly AlignedElement[]): number {
  const differing = before.findIndex(({ text }, index) => text !== after[index]?.text);
  return differing === -1 ? before.length : differing;
}

/** Aligns long lists: equal elements, then those with the same key, in their order. */
function alignNames(before: readonly AlignedElement[], after: readonly AlignedElement[]): (number | undefined)[] {
  const former: (number | undefined)[] = after.map(() => undefined);
  for (const nameOf of [({ text }: AlignedElement) => text, ({ key }: AlignedElement) => key]) {
    const taken = new Set(former);
    const untaken = [...before.keys()].filter((from) => !taken.has(from));
    const free = new Map<string | undefined, number[]>();
    for (const [name, indices] of groupBy(untaken, (from) => nameOf(before[from] as AlignedElement)))
      free.set(name, indices.toReversed());
    for (const [to, element] of after.entries()) {
      const name = nameOf(element);
      if (former[to] === undefined && name !== undefined) former[to] = free.get(name)?.pop();
    }
  }
  return former;
}

/** Prefers `equalFirst` at equal cost: an element that moved keeps its value. */
function alignCheapest(lists: AlignedLists): Alignment {
  const align = (isEqualFirst: boolean): Alignment => {
    const former = alignInOrder(lists, isEqualFirst);
    pairMoved(lists, former);
    return former;
  };
  const [equalFirst, inOrder] = [align(true), align(false)];
  return costOf(lists, inOrder) < costOf(lists, equalFirst) ? inOrder : equalFirst;
}

/** Both lists, with what changing one element into another one costs. */
class AlignedLists {
  readonly before: readonly AlignedElement[];
  readonly after: readonly AlignedElement[];
  /** The indices of elements that are equal to one in the other list. */
  readonly inBoth: { readonly before: ReadonlySet<number>; readonly after: ReadonlySet<number> };
  readonly #isEqual: (from: number, to: number) => boolean;

  constructor(
    before: readonly AlignedElement[],
    after: readonly AlignedElement[],
    isEqual: (from: number, to: number) => boolean,
  ) {
    this.before = before;
    this.after = after;
    this.#isEqual = isEqual;
    const pairs = [...before.keys()].flatMap((from) =>
      [...after.keys()].flatMap((to) => (this.isEqual(from, to) ? [[from, to] as const] : [])),
    );
    this.inBoth = { before: new Set(pairs.map(([from]) => from)), after: new Set(pairs.map(([, to]) => to)) };
  }

  isEqual(from: number, to: number): boolean {
    return this.before[from]?.text === this.after[to]?.text || this.#isEqual(from, to);
  }

  /** The number of values that differ; `undefined` if one cannot have become the other. */
  changeCost(from: number, to: number): number | undefined {
    const [one, other] = [this.before[from], this.after[to]];
    if (one === undefined || other === undefined) return undefined;
    if (this.isEqual(from, to)) return 0;
    if (one.kind !== other.kind || this.#areOthers(one, other)) return undefined;
    if (one.kind === 'single' && (this.inBoth.before.has(from) || this.inBoth.after.has(to))) return undefined;
    return Math.max(distanceOf(one.values, other.values), 1);
  }

  /** Elements with different keys of which one is in the other list too. */
  #areOthers({ key }: AlignedElement, { key: other }: AlignedElement): boolean {
    if (key === other) return false;
    const isHeld = (name: string | undefined, elements: readonly AlignedElement[]): boolean =>
      name !== undefined && elements.some((element) => element.key === name);
    return isHeld(key, this.after) || isHeld(other, this.before);
  }
}

interface AlignedElement {
  readonly kind: 'single' | 'list' | 'mapping';
  readonly text: string;
  /** The name of a variant or of the property of a filter. */
  readonly key: string | undefined;
  /** The number of times that each value occurs at each path, ignoring indices. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly size: number;
}

function toElement(value: JsonValue): AlignedElement {
  const values = new Map<string, Map<string, number>>();
  const size = collect(value, '', values);
  const kind = isJsonArray(value) ? 'list' : isJsonObject(value) ? 'mapping' : 'single';
  const key = isJsonObject(value) ? memberOf(value, 'key') : undefined;
  return { kind, text: canonicalText(value), key: typeof key === 'string' ? key : undefined, values, size };
}

function collect(value: JsonValue | undefined, path: string, values: Map<string, Map<string, number>>): number {
  if (value === undefined) return 0;
  if (isJsonArray(value) && value.length > 0) return sum(value.map((element) => collect(element, `${path}/*`, values)));
  if (isJsonObject(value) && Object.keys(value).length > 0)
    return sum(Object.entries(value).map(([name, member]) => collect(member, `${path}/${name}`, values)));
  const text = canonicalText(value);
  const counts = values.get(path) ?? new Map<string, number>();
  values.set(path, counts.set(text, (counts.get(text) ?? 0) + 1));
  return 1;
}

function distanceOf(one: AlignedElement['values'], other: AlignedElement['values']): number {
  const paths = new Set([...one.keys(), ...other.keys()]);
  return sum(
    [...paths].map((path) =>
      Math.max(surplusOf(one.get(path), other.get(path)), surplusOf(other.get(path), one.get(path))),
    ),
  );
}

/** How many values of one place are not in the other. */
function surplusOf(
  one: ReadonlyMap<string, number> = new Map(),
  other: ReadonlyMap<string, number> = new Map(),
): number {
  return sum([...one].map(([text, count]) => Math.max(count - (other.get(text) ?? 0), 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The cheapest pairs that keep their order. `isEqualFirst`: an element that is in both lists has no other partner, so that what
 * moved is left.
 */
function alignInOrder(lists: AlignedLists, isEqualFirst: boolean): (number | undefined)[] {
  const { before, after } = lists;
  const costs = tableOf(lists, isEqualFirst);
  const former: (number | undefined)[] = after.map(() => undefined);
  let [from, to] = [0, 0];
  while (from < before.length && to < after.length) {
    const step = costs[from]?.[to]?.step;
    if (step === 'pair') former[to] = from;
    if (step !== 'come') from += 1;
    if (step !== 'go') to += 1;
  }
  return former;
}

interface Cell {
  readonly cost: number;
  readonly step: 'pair' | 'go' | 'come';
}

/** The cost of changing the rest of both lists from two indices, and the first of those changes. */
function tableOf(lists: AlignedLists, isEqualFirst: boolean): Cell[][] {
  const { before, after } = lists;
  const isInBoth = isEqualFirst ? lists.inBoth : undefined;
  const table: Cell[][] = Array.from({ length: before.length + 1 }, () => []);
  const costAt = (from: number, to: number): number => table[from]?.[to]?.cost ?? 0;
  for (let from = before.length; from >= 0; from -= 1) {
    for (let to = after.length; to >= 0; to -= 1) {
      const [one, other] = [before[from], after[to]];
      const cells: Cell[] = [];
      const change = lists.changeCost(from, to);
      const isAllowed =
        change === 0 || isInBoth === undefined || !(isInBoth.before.has(from) || isInBoth.after.has(to));
      if (change !== undefined && isAllowed) cells.push({ cost: change + costAt(from + 1, to + 1), step: 'pair' });
      if (one !== undefined) cells.push({ cost: one.size + WHOLE + costAt(from + 1, to), step: 'go' });
      if (other !== undefined) cells.push({ cost: other.size + WHOLE + costAt(from, to + 1), step: 'come' });
      const [first = { cost: 0, step: 'pair' as const }, ...others] = cells;
      (table[from] as Cell[])[to] = others.reduce((least, cell) => (cell.cost < least.cost ? cell : least), first);
    }
  }
  return table;
}

/** Pairs the remaining elements: equal ones first, then those with the same key, then similar ones. */
function pairMoved(lists: AlignedLists, former: (number | undefined)[]): void {
  const isOpen = (from: number): boolean => !former.includes(from);
  const open = (): [from: number, to: number][] =>
    lists.after.flatMap((_, to) =>
      former[to] === undefined
        ? [...lists.before.keys()].filter(isOpen).map((from): [number, number] => [from, to])
        : [],
    );
  const scored = open().flatMap(([from, to]) => {
    const score = likeness(lists, from, to);
    return score === undefined ? [] : [{ from, to, score }];
  });
  const sorted = scored.toSorted((a, b) => b.score - a.score || Math.abs(a.from - a.to) - Math.abs(b.from - b.to));
  for (const { from, to } of sorted) if (former[to] === undefined && isOpen(from)) former[to] = from;
}

/** A number up to 1 for similar elements, more for those that are certainly the same; `undefined` for others. */
function likeness(lists: AlignedLists, from: number, to: number): number | undefined {
  const change = lists.changeCost(from, to);
  if (change === undefined) return undefined;
  if (change === 0) return 3;
  const [one, other] = [lists.before[from], lists.after[to]];
  if (one?.key !== undefined || other?.key !== undefined) return one?.key === other?.key ? 2 : undefined;
  const size = Math.max(one?.size ?? 0, other?.size ?? 0, 1);
  const score = 1 - change / size;
  return score >= SIMILAR ? score : undefined;
}

function costOf(lists: AlignedLists, former: Alignment): number {
  const { before, after } = lists;
  const kept = keptInOrder(former);
  const taken = new Set(former);
  const changes = former.map((from, to) => {
    if (from === undefined) return (after[to]?.size ?? 0) + WHOLE;
    return (lists.changeCost(from, to) ?? 0) + (kept.has(from) ? 0 : MOVE);
  });
  return sum(changes) + sum(before.map(({ size }, from) => (taken.has(from) ? 0 : size + WHOLE)));
}

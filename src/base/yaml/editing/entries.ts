/** Mappings and lists as rows of entries, each with the offsets of its parts: what an edit of the text works on. */

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Scalar,
  type CST,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
  visit,
  type Alias,
  type Document,
} from 'yaml';
import { readKey } from '../build.ts';
import { columnOf } from './splice.ts';

/** A member of a mapping, or an element of a list. */
export interface CollectionEntry {
  /** Where its indicator, key or value begins, whichever is first. */
  readonly start: number;
  /** Where its value ends, without the comments after it. */
  readonly end: number;
  /** Where a value on the line of its indicator goes: after `:` or `-`, and after anchors and tags. */
  readonly valueAt: number;
  /** `undefined` for a key without a colon. */
  readonly indicator: ':' | '-' | '' | undefined;
  readonly tag: string | undefined;
  readonly node: Node | null;
  /** The name of a member; `merge` for `<<`. Neither for an element. */
  readonly name?: string;
  readonly merge?: true;
}

export interface Collection {
  readonly kind: 'mapping' | 'list';
  readonly flow: boolean;
  /** Where it begins and ends; for a flow collection, the offsets of its brackets. */
  readonly range: readonly [number, number];
  /** Where its entries begin in their lines. */
  readonly column: number;
  readonly entries: readonly CollectionEntry[];
}

export function isFlow(node: Node): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true;
}

/** Whether nothing is written for a value. */
export function isEmptyNode(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.range?.[0] === node.range?.[1] && node.type === Scalar.PLAIN);
}

/** `undefined` if a list has a member without braces, `[a: 1]`, as an element. */
export function entriesOf(
  text: string,
  node: YAMLMap | YAMLSeq,
  valueOfAnchor: (anchor: string) => string | undefined,
): Collection | undefined {
  if (node.srcToken === undefined) return undefined;
  const entries = isMap(node)
    ? node.items.map((pair) => memberEntry(pair, valueOfAnchor))
    : elementItems(node).map((item, index) => elementEntry(item, node.items[index] as Node | null));
  const [start = 0, end = 0] = node.range ?? [];
  const first = entries[0]?.start ?? start;
  return {
    kind: isMap(node) ? 'mapping' : 'list',
    flow: node.flow === true,
    range: [start, end],
    column: columnOf(text, first),
    entries,
  };
}

function memberEntry(pair: Pair, valueOfAnchor: (anchor: string) => string | undefined): CollectionEntry {
  const node = pair.value as Node | null;
  const item = pair.srcToken as CST.CollectionItem | undefined;
  const key = readKey(pair.key, valueOfAnchor);
  const keyEnd = keyEndOf(item, pair);
  const start = propertyIn(item?.start, STARTS)?.offset ?? (pair.key as Node | null)?.range?.[0] ?? keyEnd;
  return {
    start,
    ...valueParts(item?.sep, { node, from: keyEnd, indicator: ':' }),
    ...(key?.merge === true ? { merge: true } : key === undefined ? {} : { name: key.text }),
  };
}

function elementEntry(item: CST.CollectionItem, node: Node | null): CollectionEntry {
  const isBlock = item.start.some(({ type }) => type === 'seq-item-ind');
  const start = propertyIn(item.start, STARTS)?.offset ?? node?.range?.[0] ?? 0;
  return { start, ...valueParts(item.start, { node, from: start, indicator: isBlock ? '-' : '' }) };
}

/** The offsets of a value, from the tokens before it. */
function valueParts(
  tokens: readonly CST.SourceToken[] | undefined,
  { node, from, indicator }: { readonly node: Node | null; readonly from: number; readonly indicator: ':' | '-' | '' },
): Pick<CollectionEntry, 'end' | 'valueAt' | 'indicator' | 'tag' | 'node'> {
  const last = tokens?.findLast(({ type }) => INDICATORS.has(type) || PROPERTIES.has(type));
  const valueAt = last === undefined ? from : last.offset + last.source.length;
  const hasIndicator = indicator === '' || tokens?.some(({ type }) => INDICATORS.has(type)) === true;
  return {
    node,
    valueAt,
    end: Math.max(valueAt, isEmptyNode(node) || node === null ? 0 : endOf(node)),
    indicator: hasIndicator ? indicator : undefined,
    tag: tokens?.find(({ type }) => type === 'tag')?.source,
  };
}

/** Where the text of a value ends, without the comments and empty lines after it. */
export function endOf(node: Node): number {
  if (isFlow(node) || !(isMap(node) || isSeq(node))) return node.range?.[1] ?? 0;
  if (isMap(node)) {
    const last = node.items.at(-1);
    return last === undefined ? 0 : memberEntry(last, () => undefined).end;
  }
  const items = elementItems(node);
  const last = items.at(-1);
  return last === undefined ? 0 : elementEntry(last, node.items[items.length - 1] as Node | null).end;
}

function keyEndOf(item: CST.CollectionItem | undefined, { key }: Pair): number {
  const mark = propertyIn(item?.start, STARTS);
  return (key as Node | null)?.range?.[1] ?? (mark === undefined ? 0 : mark.offset + mark.source.length);
}

/** The items of a list's syntax that have an element: comments at its end make items too. */
function elementItems({ srcToken }: YAMLSeq): CST.CollectionItem[] {
  const items: CST.CollectionItem[] = srcToken !== undefined && 'items' in srcToken ? srcToken.items : [];
  if (srcToken?.type === 'block-seq') return items.filter(({ start }) => propertyIn(start, INDICATORS) !== undefined);
  return items.filter(
    ({ start, key, sep, value }) => key || sep || value || propertyIn(start, PROPERTIES) !== undefined,
  );
}

function propertyIn(
  tokens: readonly CST.SourceToken[] | undefined,
  types: ReadonlySet<string>,
): CST.SourceToken | undefined {
  return tokens?.find(({ type }) => types.has(type));
}

const INDICATORS: ReadonlySet<string> = new Set(['map-value-ind', 'seq-item-ind']);
const PROPERTIES: ReadonlySet<string> = new Set(['anchor', 'tag']);
const STARTS: ReadonlySet<string> = new Set(['explicit-key-ind', 'seq-item-ind', 'anchor', 'tag']);

/** Whether the last text in a value is a block scalar that keeps the empty lines after it (`|+`). */
export function keepsBlankLines(text: string, node: Node | null): boolean {
  if (node === null || isAlias(node) || isFlow(node)) return false;
  if (isMap(node)) return keepsBlankLines(text, (node.items.at(-1)?.value ?? null) as Node | null);
  if (isSeq(node)) return keepsBlankLines(text, (node.items.at(-1) ?? null) as Node | null);
  const [start = 0] = node.range ?? [];
  return isScalar(node) && isBlockScalar(node) && /^.[\d+-]*\+/.test(text.slice(start, start + 3));
}

export function isBlockScalar({ type }: Scalar): boolean {
  return type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
}

export interface Anchors {
  /** Whether an alias stands for the node. */
  readonly isUsed: (node: Node | null) => boolean;
  /** Whether something between two offsets is used by an alias elsewhere. */
  readonly isUsedOutside: (start: number, end: number) => boolean;
  /** The string that an alias stands for, as the key of a member. */
  readonly textOf: (anchor: string) => string | undefined;
  /** Whether a merge key of the mapping provides a member. */
  readonly isMerged: (map: YAMLMap, name: string) => boolean;
}

export function findAnchors(text: string, document: Document.Parsed | undefined): Anchors {
  const targets = new Map<Alias, Node>();
  const named = new Map<string, Node>();
  // Looking for anchors takes as long as parsing, and few files have one.
  if (document !== undefined && text.includes('&')) {
    visit(document, {
      Node: (_key, node) => {
        if (!isAlias(node) && 'anchor' in node && typeof node.anchor === 'string') named.set(node.anchor, node);
      },
      Alias: (_key, alias) => {
        const target = named.get(alias.source);
        if (target !== undefined) targets.set(alias, target);
      },
    });
  }
  const used = new Set(targets.values());
  return {
    isUsed: (node) => node !== null && used.has(node),
    isUsedOutside: (start, end) =>
      [...targets].some(([alias, target]) => isWithin(target, start, end) && !isWithin(alias, start, end)),
    textOf: (anchor) => {
      const node = named.get(anchor);
      return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
    },
    isMerged: (map, name) => map.items.some((pair) => isMergeOf(pair, name, targets)),
  };
}

/** Compares where the node begins: the end of a block collection is after the comments and empty lines below it. */
function isWithin({ range }: Node, start: number, end: number): boolean {
  if (range === undefined || range === null || range[0] < start) return false;
  return range[0] < end || (range[0] === end && range[1] === end);
}

function isMergeOf(pair: Pair, name: string, targets: ReadonlyMap<Alias, Node>): boolean {
  return readKey(pair.key, () => undefined)?.merge === true && provides(pair.value as Node | null, name, targets);
}

/** Whether a value that is merged into a mapping has a member. */
function provides(node: Node | null | undefined, name: string, targets: ReadonlyMap<Alias, Node>): boolean {
  if (node === null || node === undefined) return false;
  if (isAlias(node)) return provides(targets.get(node), name, targets);
  if (isSeq(node)) return node.items.some((item) => provides(item as Node | null, name, targets));
  if (!isMap(node)) return false;
  return node.items.some((pair) => readKey(pair.key, () => undefined)?.text === name || isMergeOf(pair, name, targets));
}

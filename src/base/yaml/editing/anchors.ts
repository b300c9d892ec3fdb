/** Finds what the aliases of a document refer to, and so which values are written once and used several times. */

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  visit,
  type Alias,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { readKey } from '../scalar.ts';

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

/** Walks the syntax tree of a YAML document once and builds its value and the places of all that is in it. */

import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { Diagnostic } from '../diagnostic.ts';
import { toPointer } from '../json-pointer.ts';
import type { JsonValue } from '../json.ts';
import type { PlaceTree } from '../place.ts';
import type { Placer } from './lines.ts';
import { MAX_NESTING } from './nesting.ts';
import { readKey, readScalar, type ScalarProblem } from './scalar.ts';

/** Values that the aliases of one file may stand for, before they count as an attack. */
const MAX_ALIASED_VALUES = 1_000_000;

export interface BuildOptions {
  readonly placer: Placer;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Values that aliases stood for so far; the documents of a file share it. */
  readonly aliased: { count: number };
}

export function buildDocument(
  document: Document.Parsed,
  options: BuildOptions,
): { value: JsonValue; places: PlaceTree } {
  const scope: Scope = { ...options, anchors: new Map(), open: new Set(), path: [] };
  const root = document.contents;
  const built = build(root, scope);
  return { value: built.value, places: placed(scope.placer(root?.range?.[0] ?? document.range[0]), built) };
}

/** What is known half-way through a document. Aliases share what their anchor built, so they cost no memory. */
interface Scope extends BuildOptions {
  readonly anchors: Map<string, Built>;
  /** Anchors of the nodes around the one at hand: an alias to one of them would contain itself. */
  readonly open: Set<string>;
  readonly path: (string | number)[];
}

interface Built {
  readonly value: JsonValue;
  readonly children?: Record<string, PlaceTree>;
  /** Number of values in it, those behind aliases counted again. */
  readonly weight: number;
}

const NOTHING: Built = { value: null, weight: 1 };

function build(node: Node | null, scope: Scope): Built {
  if (node === null) return NOTHING;
  if (isAlias(node)) return buildAlias(node, scope);
  const anchor = 'anchor' in node && typeof node.anchor === 'string' ? node.anchor : undefined;
  if (anchor !== undefined) scope.open.add(anchor);
  const built = buildContent(node, scope);
  if (anchor !== undefined) {
    scope.open.delete(anchor);
    scope.anchors.set(anchor, built);
  }
  return built;
}

function buildContent(node: Node, scope: Scope): Built {
  if (isScalar(node)) return buildScalar(node, scope);
  if (scope.path.length >= MAX_NESTING) {
    report(scope, { code: 'yaml-too-deep', args: { limit: MAX_NESTING } }, node);
    return NOTHING;
  }
  if (isMap(node)) return buildMap(node, scope);
  return isSeq(node) ? buildList(node.items, scope) : NOTHING;
}

function buildAlias(node: Node & { readonly source: string }, scope: Scope): Built {
  const target = scope.anchors.get(node.source);
  if (target === undefined || scope.open.has(node.source)) {
    report(scope, { code: 'yaml-alias-unknown', args: { alias: node.source } }, node);
    return NOTHING;
  }
  const before = scope.aliased.count;
  scope.aliased.count += target.weight;
  if (scope.aliased.count <= MAX_ALIASED_VALUES) return target;
  if (before <= MAX_ALIASED_VALUES) {
    report(scope, { code: 'yaml-alias-bomb', args: { limit: MAX_ALIASED_VALUES } }, node);
  }
  return NOTHING;
}

function buildScalar(node: Scalar, scope: Scope): Built {
  const read = readScalar(node);
  if ('value' in read) return { value: read.value, weight: 1 };
  report(scope, read.problem, node);
  return NOTHING;
}

function buildList(items: readonly unknown[], scope: Scope): Built {
  const value: JsonValue[] = [];
  const children: Record<string, PlaceTree> = {};
  let weight = 1;
  for (const [index, item] of items.entries()) {
    const node = item as Node | null;
    scope.path.push(index);
    const built = build(node, scope);
    scope.path.pop();
    value.push(built.value);
    children[index] = placed(scope.placer(node?.range?.[0] ?? 0), built);
    weight += built.weight;
  }
  return { value, children, weight };
}

function buildMap(map: YAMLMap, scope: Scope): Built {
  const members = new Members();
  const merges: Pair[] = [];
  for (const pair of map.items) {
    const key = readKey(pair.key, (alias) => scope.anchors.get(alias)?.value);
    if (key === undefined)
      report(scope, { code: 'yaml-key-not-text', args: { found: kindOf(pair.key) } }, nodeOf(pair));
    else if (key.merge) merges.push(pair);
    else addMember(members, key.text, { pair, scope });
  }
  // What is written in the mapping itself wins over what is merged in, wherever `<<` stands.
  for (const pair of merges) mergeInto(members, pair, scope);
  return { value: members.value, children: members.children, weight: members.weight };
}

function addMember(members: Members, key: string, { pair, scope }: { pair: Pair; scope: Scope }): void {
  scope.path.push(key);
  if (members.has(key)) report(scope, { code: 'yaml-duplicate-key', args: { key } }, nodeOf(pair));
  else {
    const built = build(pair.value as Node | null, scope);
    members.add(key, { built, place: placed(scope.placer(nodeOf(pair)?.range?.[0] ?? 0), built) });
  }
  scope.path.pop();
}

// The value of `<<` is a mapping or a list of mappings, of which the first that has a key wins.
function mergeInto(members: Members, pair: Pair, scope: Scope): void {
  const node = pair.value as Node | null;
  for (const source of isSeq(node) ? node.items : [node]) {
    const { value, children, weight } = build(source as Node | null, scope);
    members.weight += weight;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report(scope, { code: 'yaml-merge-not-mapping', args: {} }, nodeOf(pair));
      continue;
    }
    for (const [key, member] of Object.entries(value)) {
      const place = children && Object.hasOwn(children, key) ? children[key] : undefined;
      if (member === undefined || place === undefined || members.has(key)) continue;
      members.add(key, { built: { value: member, weight: 0 }, place });
    }
  }
}

/** The members of a mapping while it is built; `__proto__` is a name like any other. */
class Members {
  readonly value: Record<string, JsonValue> = {};
  readonly children: Record<string, PlaceTree> = {};
  weight = 1;

  has(key: string): boolean {
    return Object.hasOwn(this.value, key);
  }

  add(key: string, { built, place }: { readonly built: Built; readonly place: PlaceTree }): void {
    define(this.value, key, built.value);
    define(this.children, key, place);
    this.weight += built.weight;
  }
}

function define<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

function placed(place: PlaceTree['place'], built: Built): PlaceTree {
  return built.children === undefined ? { place } : { place, children: built.children };
}

type Problem =
  | ScalarProblem
  | { readonly code: 'yaml-too-deep' | 'yaml-alias-bomb'; readonly args: { readonly limit: number } }
  | { readonly code: 'yaml-alias-unknown'; readonly args: { readonly alias: string } }
  | { readonly code: 'yaml-duplicate-key'; readonly args: { readonly key: string } }
  | { readonly code: 'yaml-key-not-text'; readonly args: { readonly found: string } }
  | { readonly code: 'yaml-merge-not-mapping'; readonly args: Record<string, never> };

function report(scope: Scope, problem: Problem, node: Node | undefined): void {
  const place = scope.placer(node?.range?.[0] ?? 0);
  scope.report({ ...problem, severity: 'error', place, path: toPointer(scope.path) } as Diagnostic);
}

function nodeOf(pair: Pair): Node | undefined {
  return (pair.key ?? pair.value ?? undefined) as Node | undefined;
}

function kindOf(key: unknown): string {
  return isMap(key) ? 'object' : isSeq(key) ? 'array' : 'null';
}

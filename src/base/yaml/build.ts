/** Builds the value of a YAML document and the places of everything in it, in one pass over its syntax tree. */

import { isAlias, isMap, isScalar, isSeq, type Document, type Node, Scalar, type YAMLMap } from 'yaml';
import type { ProblemOf } from '../diagnostic.ts';
import { toPointer } from '../json-pointer.ts';
import { isJsonArray, isJsonObject, memberOf, objectOrEmpty, setMember, type JsonValue } from '../json.ts';
import { defined } from '../optional.ts';
import type { PlaceTree, Placer } from '../place.ts';
import type { ValueProblems } from '../shape/problems.ts';
import type { YamlDiagnostic, YamlProblems } from './problems.ts';
import { exactNumber, LongDecimal } from '../exact-number.ts';
import { unstorableCharacter } from '../text.ts';

/** Levels of nesting that a file may have; manifests need about a dozen. */
export const MAX_NESTING = 100;

/** Values that the aliases of one file may expand to before they count as an attack. */
const MAX_ALIASED_VALUES = 1_000_000;

export interface DocumentOptions {
  readonly text: string;
  readonly placer: Placer;
  readonly report: (diagnostic: YamlDiagnostic) => void;
  /** Gets the names and list elements with nothing behind them, which YAML reads as null. */
  readonly reportMissing: (diagnostic: YamlDiagnostic) => void;
  /** Values that aliases have expanded to so far, in all documents of the file. */
  readonly aliased: { count: number };
}

interface Built {
  readonly value: JsonValue;
  readonly children?: Readonly<Record<string, PlaceTree>>;
  /** Number of values in it, counting aliased ones each time. */
  readonly weight: number;
}

export function buildDocument(
  document: Document.Parsed,
  options: DocumentOptions,
): { value: JsonValue; places: PlaceTree } {
  const scope: BuildScope = { ...options, anchors: new Map(), path: [] };
  const root = document.contents;
  const built = build(root, scope);
  return { value: built.value, places: placed(scope.placer(root?.range?.[0] ?? document.range[0]), built) };
}

/** The state of the walk. Aliases share what their anchor built, so they take no memory. */
interface BuildScope extends DocumentOptions {
  /** The last anchor of each name before the current node; `{}` while the anchor's own node is being built. */
  readonly anchors: Map<string, { built?: Built }>;
  readonly path: (string | number)[];
}

const NOTHING: Built = { value: null, weight: 1 };
/** Replaces a value about which a problem was reported. */
const UNREADABLE: Built = { ...NOTHING };

function build(node: Node | null, scope: BuildScope): Built {
  if (node === null) return NOTHING;
  if (isAlias(node)) return buildAlias(node, scope);
  const anchor: { built?: Built } = {};
  if ('anchor' in node && typeof node.anchor === 'string') scope.anchors.set(node.anchor, anchor);
  const built = buildContent(node, scope);
  anchor.built = built;
  return built;
}

function buildContent(node: Node, scope: BuildScope): Built {
  if (isScalar(node)) {
    const read = readScalar(node);
    if ('value' in read) return { value: read.value, weight: 1 };
    report(scope, read.problem, node);
    return UNREADABLE;
  }
  if (scope.path.length >= MAX_NESTING) {
    report(scope, { code: 'yaml-too-deep', args: { limit: MAX_NESTING } }, node);
    return UNREADABLE;
  }
  if (isMap(node)) return buildMap(node, scope);
  return isSeq(node) ? buildList(node.items, scope) : NOTHING;
}

function buildAlias(node: Node & { readonly source: string }, scope: BuildScope): Built {
  const target = scope.anchors.get(node.source)?.built;
  if (target === undefined) {
    report(scope, { code: 'yaml-alias-unknown', args: { alias: node.source } }, node);
    return UNREADABLE;
  }
  const before = scope.aliased.count;
  scope.aliased.count += target.weight;
  if (scope.aliased.count <= MAX_ALIASED_VALUES) return target;
  if (before <= MAX_ALIASED_VALUES) {
    report(scope, { code: 'yaml-alias-bomb', args: { limit: MAX_ALIASED_VALUES } }, node);
  }
  return UNREADABLE;
}

function buildList(items: readonly unknown[], scope: BuildScope): Built {
  const value: JsonValue[] = [];
  const children: Record<string, PlaceTree> = {};
  let weight = 1;
  for (const [index, item] of items.entries()) {
    const node = item as Node | null;
    scope.path.push(index);
    if (isNothing(node)) reportMissing(scope, '-', node);
    const built = build(node, scope);
    scope.path.pop();
    value.push(built.value);
    children[index] = placed(scope.placer(node?.range?.[0] ?? 0), built);
    weight += built.weight;
  }
  return { value, children, weight };
}

function buildMap(map: YAMLMap, scope: BuildScope): Built {
  const value: Record<string, JsonValue> = {};
  const children: Record<string, PlaceTree> = {};
  let weight = 1;
  const merges: { readonly at: Node | undefined; readonly built: Built }[] = [];
  for (const pair of map.items) {
    const at = (pair.key ?? pair.value ?? undefined) as Node | undefined;
    const node = pair.value as Node | null;
    const key = readKey(pair.key, (alias) => scope.anchors.get(alias)?.built?.value);
    if (key === undefined) report(scope, { code: 'yaml-key-not-text', args: { found: kindOf(pair.key) } }, at);
    if (isScalar(pair.key) && pair.key.anchor !== undefined) build(pair.key, scope);
    // Every value is built in its turn, even one that is dropped: later aliases may use its anchors.
    if (key === undefined || key.merge) {
      const built = build(node, scope);
      if (key !== undefined) merges.push({ at, built });
      continue;
    }
    const { text } = key;
    scope.path.push(text);
    const read = readText(text);
    if ('problem' in read) report(scope, read.problem, at);
    const isDuplicate = Object.hasOwn(value, text);
    if (isDuplicate) {
      const first = memberOf(children, text)?.place.line;
      report(scope, { code: 'yaml-duplicate-key', args: { key: text, ...defined({ first }) } }, at);
    }
    if (isNothing(node)) reportMissing(scope, text, at);
    const built = build(node, scope);
    if (!isDuplicate) {
      setMember(value, text, built.value);
      setMember(children, text, placed(scope.placer(at?.range?.[0] ?? 0), built));
      weight += built.weight;
    }
    scope.path.pop();
  }
  // The mapping's own members win over merged ones, whatever the position of `<<`. Of a list, the first mapping that has a key wins.
  for (const { at, built } of merges) {
    weight += built.weight;
    if (built === UNREADABLE) continue;
    const parts = isJsonArray(built.value)
      ? built.value.map((part, index) => ({ value: part, children: built.children?.[index]?.children }))
      : [built];
    for (const part of parts)
      if (!isJsonObject(part.value)) report(scope, { code: 'yaml-merge-not-mapping', args: {} }, at);
    const merged = parts.flatMap((part) =>
      Object.entries(objectOrEmpty(part.value)).map(
        ([key, member]) => [key, member, memberOf(part.children ?? {}, key)] as const,
      ),
    );
    for (const [key, member, place] of merged) {
      if (member === undefined || place === undefined || Object.hasOwn(value, key)) continue;
      setMember(value, key, member);
      setMember(children, key, place);
    }
  }
  return { value, children, weight };
}

function placed(place: PlaceTree['place'], built: Built): PlaceTree {
  return built.children === undefined ? { place } : { place, children: built.children };
}

function report(scope: BuildScope, problem: ProblemOf<YamlProblems & ValueProblems>, node: Node | undefined): void {
  const place = scope.placer(node?.range?.[0] ?? 0);
  scope.report({ ...problem, severity: 'error', place, path: toPointer(scope.path) } as YamlDiagnostic);
}

/** Whether not even `null` is written. */
function isNothing(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null && node.source === '');
}

function reportMissing(scope: BuildScope, name: string, node: Node | null | undefined): void {
  const [start = 0, end = 0] = node?.range ?? [];
  const [, comment] = /^[ \t]*:?[ \t]+#(.*)/.exec(scope.text.slice(end)) ?? [];
  const args = { name, ...defined({ comment }) };
  const place = scope.placer(start);
  scope.reportMissing({ code: 'value-missing', severity: 'error', place, path: toPointer(scope.path), args });
}

function kindOf(key: unknown): string {
  return isMap(key) ? 'object' : isSeq(key) ? 'array' : 'null';
}

type ScalarProblem = ProblemOf<ValueProblems>;

function readScalar(node: Scalar): { readonly value: JsonValue } | { readonly problem: ScalarProblem } {
  const { value } = node;
  if (typeof value === 'number') return readNumber(value, node.source);
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'boolean' || value === null) return { value };
  return { problem: { code: 'type-wrong', args: { expected: ['string'], found: typeof value } } };
}

function readText(value: string): { readonly value: string } | { readonly problem: ScalarProblem } {
  const character = unstorableCharacter(value);
  return character === undefined ? { value } : { problem: { code: 'character-forbidden', args: { character } } };
}

/** A key as a string (`1:` and `true:` are `1` and `true`); `undefined` for a list, a mapping or an empty key. */
export function readKey(
  key: unknown,
  valueOfAnchor: (anchor: string) => JsonValue | undefined,
): { readonly text: string; readonly merge: boolean } | undefined {
  if (isAlias(key)) {
    const value = valueOfAnchor(key.source);
    return typeof value === 'string' ? { text: value, merge: false } : undefined;
  }
  if (!isScalar(key)) return undefined;
  if (typeof key.value === 'string') return { text: key.value, merge: key.value === '<<' && key.type === Scalar.PLAIN };
  return key.source === undefined || key.source === '' ? undefined : { text: key.source, merge: false };
}

// A number that a double would round is reported, since it would change.
function readNumber(value: number, source = String(value)): ReturnType<typeof readScalar> {
  if (/nan|inf/i.test(source)) {
    return { problem: { code: 'type-wrong', args: { expected: ['number'], found: source } } };
  }
  const exact = exactNumber(/^0[xo]/.test(source) ? String(BigInt(source)) : source);
  if (exact instanceof LongDecimal) return { problem: { code: 'number-imprecise', args: { found: source } } };
  return { value: Object.is(exact, -0) ? 0 : exact };
}

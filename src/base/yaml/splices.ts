/** Finds where members are written in YAML text, and what to write there. */

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Node,
  type Pair,
  type YAMLMap,
  Document,
  visit,
} from 'yaml';
import { objectFrom, type JsonObject, type JsonValue } from '../json.ts';

/** Replaces the characters from `start` to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

/** The members to set, by name. */
export type Wanted = Map<string, { readonly value: JsonValue } | Wanted>;

/** Lays out the members of the mapping at a path in block style, in lines without the indentation of the path. */
export type LayOut = (members: JsonObject, path: readonly (string | number)[]) => string;

export interface Splicing {
  readonly text: string;
  readonly document: Document.Parsed | undefined;
  readonly wanted: Wanted;
  readonly layOut: LayOut;
}

/** `undefined` if a part of the path is something other than a mapping. */
export function findSplices({ text, document, wanted, layOut }: Splicing): Splice[] | undefined {
  const context: Context = { text, layOut, eol: text.includes('\r\n') ? '\r\n' : '\n' };
  const root = document?.contents ?? null;
  if (isNothing(root)) {
    const end = document?.range[1] ?? text.length;
    return [insertLines(context, lineEnd(text, end), indent(layOut(toObject(wanted), []), '', context))];
  }
  return isMap(root) ? setMembers(root, wanted, { ...context, path: [] }) : undefined;
}

interface Context {
  readonly text: string;
  readonly layOut: LayOut;
  readonly eol: string;
}

interface At extends Context {
  readonly path: readonly string[];
}

function setMembers(map: YAMLMap, wanted: Wanted, at: At): Splice[] | undefined {
  const splices: Splice[] = [];
  const missing: Wanted = new Map();
  for (const [name, member] of wanted) {
    const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (pair === undefined) {
      missing.set(name, member);
      continue;
    }
    const value = pair.value as Node | null;
    const found =
      member instanceof Map && isMap(value)
        ? setMembers(value, member, { ...at, path: [...at.path, name] })
        : member instanceof Map && !isNothing(value)
          ? undefined
          : [replaceValue({ map, pair, name, value: toValue(member) }, at)];
    if (found === undefined) return undefined;
    splices.push(...found);
  }
  return missing.size === 0 ? splices : [...splices, addMembers(map, toObject(missing), at)];
}

interface Replacement {
  readonly map: YAMLMap;
  readonly pair: Pair;
  readonly name: string;
  readonly value: JsonValue;
}

function replaceValue({ map, pair, name, value }: Replacement, at: At): Splice {
  const keyEnd = (pair.key as Node).range?.[1] ?? 0;
  const old = pair.value as Node | null;
  const colon = at.text.indexOf(':', keyEnd);
  const hasColon = colon !== -1 && colon <= (old?.range?.[0] ?? -1);
  const start = hasColon ? colon + 1 : keyEnd;
  const isEmpty = old === null || old.range?.[0] === old.range?.[1];
  const end = isEmpty ? start : Math.max(endOf(old), start);
  const written = map.flow === true ? ` ${flowText(value)}` : blockText({ [name]: value }, columnOf(map, at.text), at);
  return { start, end: beforeLineEnd(at.text, start, end), insert: (hasColon ? '' : ':') + written };
}

/** What is after the colon of a single member in a mapping that begins at a column. */
function blockText(member: JsonObject, column: number, at: At): string {
  const lines = at.layOut(member, at.path);
  const { contents } = parseDocument(lines);
  const key = isMap(contents) ? (contents.items[0]?.key as Node | undefined) : undefined;
  const value = lines.slice((key?.range?.[1] ?? 0) + 1);
  const spaces = ' '.repeat(column);
  // The value begins on the line of its key or on the next one.
  return value.startsWith('\n') ? at.eol + indent(value.slice(1), spaces, at) : indent(value, spaces, at).slice(column);
}

/** The value of a literal ends with its line; that end is kept. */
function beforeLineEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && (text[at - 1] === '\n' || text[at - 1] === '\r')) at -= 1;
  return at;
}

function addMembers(map: YAMLMap, members: JsonObject, at: At): Splice {
  const last = map.items.at(-1);
  const [start = 0, end = 0] = map.range ?? [];
  if (map.flow === true) {
    const inside = flowText(members).replace(/^\{\s*|\s*\}$/g, '');
    if (last === undefined) return { start: start + 1, end: end - 1, insert: ` ${inside} ` };
    const after = pairEnd(last);
    return { start: after, end: after, insert: `, ${inside}` };
  }
  const lines = indent(at.layOut(members, at.path), ' '.repeat(columnOf(map, at.text)), at);
  return insertLines(at, lineEnd(at.text, last === undefined ? end : pairEnd(last)), lines);
}

/** Inserts whole lines at the end of a line. */
function insertLines({ text, eol }: Context, at: number, lines: string): Splice {
  const startsLine = at === 0 || text[at - 1] === '\n';
  return { start: at, end: at, insert: (startsLine ? '' : eol) + lines + eol };
}

/** Where the line of a value's end ends, after its line break. A literal ends with its line. */
function lineEnd(text: string, end: number): number {
  if (end > 0 && text[end - 1] === '\n') return end;
  const at = text.indexOf('\n', end);
  return at === -1 ? text.length : at + 1;
}

function pairEnd({ key, value }: Pair): number {
  return Math.max(endOf(key as Node), value === null || value === undefined ? 0 : endOf(value as Node));
}

/** Where the text of a node ends, without the comments and empty lines after it. */
function endOf(node: Node): number {
  if ((isMap(node) || isSeq(node)) && node.flow !== true) {
    const last: unknown = node.items.at(-1);
    if (isMap(node) && last !== undefined) return pairEnd(last as Pair);
    if (last !== undefined && last !== null) return endOf(last as Node);
  }
  return node.range?.[1] ?? 0;
}

function columnOf(map: YAMLMap, text: string): number {
  const [start = 0] = (map.items[0]?.key as Node | undefined)?.range ?? map.range ?? [];
  const line = text.lastIndexOf('\n', start - 1) + 1;
  return start - line - (text.startsWith(BYTE_ORDER_MARK) && line === 0 ? 1 : 0);
}

const BYTE_ORDER_MARK = '\u{feff}';

function indent(lines: string, spaces: string, { eol }: Context): string {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : spaces + line))
    .join(eol);
}

/** On one line, `{ key: [a, b] }`: the library pads mappings and lists alike. */
function flowText(value: JsonValue): string {
  const document = new Document(value, { compat: 'yaml-1.1' });
  visit(document, {
    Map: (_key, map) => void (map.flow = true),
    Seq: (_key, seq) => {
      seq.flow = true;
      const write = seq.toString.bind(seq);
      seq.toString = (context, ...rest) => write(context && { ...context, flowCollectionPadding: '' }, ...rest);
    },
  });
  return document.toString({ lineWidth: 0, collectionStyle: 'flow' }).trimEnd();
}

function isNothing(node: Node | null | undefined): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null && !isAlias(node));
}

function toValue(wanted: { readonly value: JsonValue } | Wanted): JsonValue {
  return wanted instanceof Map ? toObject(wanted) : wanted.value;
}

function toObject(wanted: Wanted): JsonObject {
  return objectFrom([...wanted].map(([name, member]) => [name, toValue(member)] as const));
}

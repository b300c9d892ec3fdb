/** Writes a single value in the style of the one that it replaces, where that style can say it, and any value on one line, as within brackets. */

import { Document, Scalar, isMap, visit, isSeq, parseDocument, type CST, type Node } from 'yaml';
import {
  isJsonObject,
  jsonEquals,
  type JsonPrimitive,
  type JsonValue,
  definedKeys,
  type JsonObject,
} from '../../json.ts';
import { escapeInvisible, hasInvisible } from '../../text.ts';
import { readYaml } from '../read.ts';
import { isBlockScalar } from './entries.ts';
import { indentationAt, lineEnd, lineKind, columnOf } from './splice.ts';
import type { LayOut, LayOutStyle, YamlPath } from './edits.ts';

/** The text after an indicator: the rest of its line, and further lines with their indentation. */
export interface ValueText {
  readonly head: string;
  readonly body: readonly string[];
}

interface Replaced {
  readonly node: Scalar;
  readonly text: string;
  /** Whether it stands within brackets. */
  readonly flow: boolean;
  /** The column in which the entry begins. */
  readonly column: number;
  readonly tag: string | undefined;
}

/** Columns after which folded lines are broken, unless the lines before were longer. */
const USUAL_WIDTH = 80;

/** `undefined` if no style says the value, as below a tag of another type. */
export function writeScalar(value: JsonPrimitive, replaced: Replaced): ValueText | undefined {
  const candidates = [...stylesOf(value, replaced), inline(flowText(value, replaced))];
  return candidates.find((candidate) => readsAs(value, candidate, replaced));
}

function stylesOf(value: JsonPrimitive, replaced: Replaced): ValueText[] {
  const { type } = replaced.node;
  if (typeof value !== 'string') return [];
  if (isBlockScalar(replaced.node)) return hasInvisible(value) ? [] : blockScalars(value, replaced);
  if (type === Scalar.QUOTE_DOUBLE) return [inline(quoted(value, type))];
  if (type === Scalar.QUOTE_SINGLE && !/\n/.test(value) && !hasInvisible(value)) return [inline(quoted(value, type))];
  return [];
}

function inline(head: string): ValueText {
  return { head, body: [] };
}

function quoted(value: string, type: Scalar.Type): string {
  const scalar = new Scalar(value);
  scalar.type = type;
  const text = new Document(scalar).toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  return escapeInvisible(text.trimEnd());
}

/** Keeps the style, indentation and chomping of the former block scalar; a folded one that cannot express the value becomes a literal. */
function blockScalars(value: string, replaced: Replaced): ValueText[] {
  const { text, node, column } = replaced;
  const [start = 0, end = 0] = node.range ?? [];
  const header = /^[|>][\d+-]*/.exec(text.slice(start, start + 4))?.[0] ?? '|';
  const bodyStart = lineEnd(text, start);
  const lines = text.slice(bodyStart, end).split(/\r?\n/);
  const kept = /\d/.exec(header)?.[0] ?? '';
  const indentation = kept === '' ? (indentationOf(text, bodyStart, end) ?? column + 2) : column + Number(kept);
  const content = value.replace(/\n+$/, '');
  const trailing = value.length - content.length;
  if (content === '') return [];
  // The chomping indicator is the one before where it says how many line breaks are at the end.
  const chomping = trailing === 0 ? '-' : trailing > 1 || header.includes('+') ? '+' : '';
  // A block with `+` would include the empty lines after it, also those left by a removed entry.
  const isNew = !header.includes('+');
  if (chomping === '+' && (isNew || (end < text.length && lineKind(text, end) === 'blank'))) return [];
  const write = (style: string, written: readonly string[]): ValueText => ({
    head: style + kept + chomping,
    body: [...written, ...Array.from({ length: Math.max(trailing - 1, 0) }, () => '')].map((line) =>
      line === '' ? '' : ' '.repeat(indentation) + line,
    ),
  });
  const literal = write('|', content.split('\n'));
  const width = Math.max(...lines.map((line) => line.length), USUAL_WIDTH) - indentation;
  return header.startsWith('>') ? [write('>', fold(content, width)), literal] : [literal];
}

/** Columns of the first line that is not empty. */
function indentationOf(text: string, from: number, end: number): number | undefined {
  for (let at = from; at < end; at = lineEnd(text, at + 1)) {
    if (lineKind(text, at) !== 'blank') return indentationAt(text, at);
  }
  return undefined;
}

/** Lines of a folded scalar: a single line break between two of them reads as a space. */
function fold(content: string, width: number): string[] {
  return content.split('\n').flatMap((line, index) => [...(index === 0 ? [] : ['']), ...wrap(line, width)]);
}

/** Breaks lines at single spaces between words. */
function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

/** Reads the text where it will stand: at its column, within brackets or not, and with its tag. */
function readsAs(value: JsonPrimitive, { head, body }: ValueText, { flow, column, tag }: Replaced): boolean {
  const tagged = tag === undefined ? head : `${tag} ${head}`;
  const line = `${' '.repeat(column)}k: ${flow ? `[${tagged}]` : tagged}`;
  const { documents, diagnostics } = readYaml('', [line, ...body, ''].join('\n'));
  const read = documents[0]?.value;
  const found = isJsonObject(read) ? read['k'] : undefined;
  return diagnostics.length === 0 && documents.length === 1 && jsonEquals(found, flow ? [value] : value);
}

interface FlowOptions {
  /** Whether it stands within brackets, where more strings need quotes. */
  readonly flow: boolean;
  /** Quotes all strings, as JSON does. */
  readonly json?: boolean;
}

/** `{ key: [a, b] }`. Strings that YAML 1.1 reads as another type are quoted: `yes`, `on`, `010`, 12:30. */
export function flowText(value: JsonValue, { flow, json = false }: FlowOptions): string {
  const document = new Document(flow ? [value] : value, { compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, scalar) => {
      const { value: held } = scalar;
      if (typeof held === 'string' && (held.includes('\n') || hasInvisible(held))) scalar.type = 'QUOTE_DOUBLE';
    },
    Collection: (_key, collection) => {
      collection.flow = true;
      // The library pads mappings and lists alike.
      const padding = isMap(collection) ? ' ' : '';
      const write = collection.toString.bind(collection);
      collection.toString = (context, ...rest) =>
        write(context && { ...context, flowCollectionPadding: padding }, ...rest);
    },
  });
  const text = document.toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    ...(json ? { defaultKeyType: 'QUOTE_DOUBLE', defaultStringType: 'QUOTE_DOUBLE' } : {}),
  });
  return escapeInvisible(flow ? text.trim().slice(1, -1) : text.trimEnd());
}

/** The members or elements of a collection without its brackets. */
export function flowItem(value: JsonValue, name: string | undefined, json: boolean): string {
  if (name === undefined) return flowText(value, { flow: true, json });
  return flowText({ [name]: value }, { flow: true, json }).replace(/^\{\s*|\s*\}$/g, '');
}

export interface Fresh {
  readonly layOut: LayOut;
  readonly style: LayOutStyle;
}

/** The column in which an entry of a block collection begins, and the path of the collection. */
export interface EntryAt {
  readonly path: YamlPath;
  readonly column: number;
}

/** The lines of a new member, with their indentation. */
export function memberLines(
  name: string,
  value: JsonValue,
  { path, column, layOut, style }: EntryAt & Fresh,
): string[] {
  return indented(layOut({ [name]: value }, path, style), column);
}

/** The lines of a new element, with their indentation. `path` is the list's, with the element's index. */
export function elementLines(value: JsonValue, at: EntryAt & Fresh): string[] {
  const { head, body } = elementText(value, at);
  return [`${' '.repeat(at.column)}-${head === '' ? '' : ` ${head}`}`, ...body];
}

/** The text after the indicator of an element: the first member of a mapping is on its line. */
export function elementText(value: JsonValue, at: EntryAt & Fresh): ValueText {
  if (isJsonObject(value) && definedKeys(value).length > 0) {
    const [first = '', ...rest] = indented(layOutAs(value, at), at.column + 2);
    return { head: first.trimStart(), body: rest };
  }
  // A list directly in a mapping may begin at the mapping's own column, but a list in a list may not.
  return memberText('value', value, { ...at, style: { ...at.style, indentSeq: true } });
}

/** The text after the colon of a member. */
export function memberText(name: string, value: JsonValue, at: EntryAt & Fresh): ValueText {
  const text = layOutAs({ [name]: value }, at);
  const { contents } = parseDocument(text, { keepSourceTokens: true });
  const item = isMap(contents) ? (contents.items[0]?.srcToken as CST.CollectionItem | undefined) : undefined;
  const colon = item?.sep?.find(({ type }) => type === 'map-value-ind')?.offset ?? -1;
  const [head = '', ...body] = lines(text.slice(colon + 1));
  return { head: head.trim(), body: body.map((line) => indentedLine(line, at.column)) };
}

// The `yaml` library indents strings that begin with a space wrongly if mappings are not indented by two columns.
function layOutAs(members: JsonObject, { layOut, path, style }: EntryAt & Fresh): string {
  const text = layOut(members, path, style);
  const reads = style.indent === 2 || jsonEquals(readYaml('', text).documents[0]?.value, members);
  return reads ? text : layOut(members, path, { ...style, indent: 2 });
}

function indented(text: string, column: number): string[] {
  return lines(text).map((line) => indentedLine(line, column));
}

function indentedLine(line: string, column: number): string {
  return line === '' ? line : ' '.repeat(column) + line;
}

function lines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** The indentation of a document: that of its first mapping, and of its first list within a mapping. */
export function styleOf(text: string, root: Node | null): LayOutStyle {
  const found: { indent?: number; indentSeq?: boolean } = {};
  search(text, root, found);
  return { indent: found.indent ?? 2, indentSeq: found.indentSeq ?? true };
}

function search(text: string, node: Node | null, found: { indent?: number; indentSeq?: boolean }): void {
  if (isSeq(node)) for (const item of node.items) search(text, item as Node | null, found);
  if (!isMap(node) || node.flow === true) return;
  const column = columnOf(text, node.range?.[0] ?? 0);
  for (const { value } of node.items) {
    if (found.indent !== undefined && found.indentSeq !== undefined) return;
    const below = columnOf(text, (value as Node | null)?.range?.[0] ?? 0) - column;
    if (isMap(value) && value.flow !== true && below > 0) found.indent ??= below;
    if (isSeq(value) && value.flow !== true) found.indentSeq ??= below > 0;
    search(text, value as Node | null, found);
  }
}

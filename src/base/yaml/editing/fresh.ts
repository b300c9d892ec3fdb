/** Lays out new values as the text around them is laid out. */

import { isMap, isSeq, parseDocument, type CST, type Node } from 'yaml';
import { definedKeys, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../json.ts';
import { readYaml } from '../read.ts';
import type { LayOut, LayOutStyle, YamlPath } from './edits.ts';
import type { ValueText } from './value-text.ts';
import { columnOf } from './splice.ts';

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

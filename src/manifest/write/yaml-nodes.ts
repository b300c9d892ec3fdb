/** Values as nodes of the `yaml` package, which writes any text. */

import { Document, Pair, Scalar, YAMLMap, YAMLSeq, type Node, type ToStringOptions } from 'yaml';
import { LongDecimal } from '../../base/exact-number.ts';
import { definedKeys, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { hasInvisible } from '../../base/text.ts';
import { elementAt, isLongLine, isOnOneLine, memberAt, type Position, WIDTH } from './block-style.ts';

/** Writes a value as a whole document, with a line break at its end. `options`: of the package. */
export function yamlText(value: JsonValue, at: Position, options: ToStringOptions = {}): string {
  return textOf(toNode(value, at), options);
}

/** Writes a member of a mapping in block style; its first line is not indented. */
export function yamlMember(name: string, value: JsonValue, around: Position): string {
  return entryText(mappingOf([memberNode(name, value, around)]), around);
}

/** Writes an element of a list in block style; its first line is not indented. */
export function yamlElement(element: JsonValue, around: Position): string {
  return entryText(listOf([toNode(element, elementAt(around))]), around);
}

/** Writes the entry inside as many mappings as indent it, since the library folds lines by their column, and then cuts these off. */
function entryText(collection: Node, { indent }: Position): string {
  let node = collection;
  for (let column = indent; column > 0; column -= 2) node = mappingOf([new Pair(new Scalar('_'), node)]);
  const lines = textOf(node, {}).split('\n');
  return lines
    .slice(indent / 2, -1)
    .join('\n')
    .slice(indent);
}

function textOf(contents: Node, options: ToStringOptions): string {
  // `compat` quotes strings that YAML 1.1 reads as other types: `yes`, `on`, 12:30, 2026-01-31.
  const document = new Document(null, { compat: 'yaml-1.1' });
  document.contents = contents;
  return document.toString({ lineWidth: WIDTH, ...options });
}

function toNode(value: JsonValue, at: Position): Node {
  if (typeof value === 'string') return textNode(value, at.column);
  if (isJsonArray(value)) {
    const list = listOf(value.map((element) => toNode(element, elementAt(at))));
    list.flow = isOnOneLine(value, at);
    return list;
  }
  if (isJsonObject(value)) return mappingNode(value, at);
  // YAML has no decimal that long. Reading the manifest back finds that the number differs.
  return new Scalar(value instanceof LongDecimal ? Number(String(value)) : value);
}

function listOf(elements: Node[]): YAMLSeq {
  const list = new LaidOutList();
  list.items = elements;
  return list;
}

function mappingNode(object: JsonObject, at: Position): YAMLMap {
  const mapping = mappingOf(definedKeys(object).map((name) => memberNode(name, object[name] as JsonValue, at)));
  mapping.flow = isOnOneLine(object, at);
  mapping.isLine = isLongLine(object, at);
  return mapping;
}

function mappingOf(members: Pair<Scalar, Node>[]): LaidOutMapping {
  const mapping = new LaidOutMapping();
  mapping.items = members;
  return mapping;
}

function memberNode(name: string, value: JsonValue, around: Position): Pair<Scalar, Node> {
  return new Pair(keyNode(name), toNode(value, memberAt(name, around)));
}

function keyNode(name: string): Scalar {
  const node = new Scalar(name);
  if (hasInvisible(name) || name.includes('\n')) node.type = 'QUOTE_DOUBLE';
  return node;
}

function textNode(text: string, column: number): Scalar {
  const node = new Scalar(text);
  if (hasInvisible(text)) node.type = 'QUOTE_DOUBLE';
  else if (text.includes('\n')) node.type = isParagraph(text) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
  else if (text.includes('\\')) node.type = 'QUOTE_SINGLE';
  else if (column + text.length > WIDTH && isWords(text)) node.type = 'BLOCK_FOLDED';
  return node;
}

/** Whether a text is several words with one space between them. A pattern for whole words could exhaust the stack on megabytes of text. */
function isWords(text: string): boolean {
  return text.includes(' ') && !/[^\S ]|^ | $| {2}/.test(text);
}

/** Editors remove white space at the ends of lines, so only strings without it are written in literal style. */
function isParagraph(text: string): boolean {
  return /^\S/.test(text) && !/ (\n|$)|\n\n$/.test(text);
}

/** A list on one line without padding, `[a, b]`, beside `{ key: value }`. The library pads both or none. */
class LaidOutList extends YAMLSeq {
  override toString(...[context, ...rest]: Parameters<YAMLSeq['toString']>): string {
    return super.toString(context && { ...context, flowCollectionPadding: '' }, ...rest);
  }
}

class LaidOutMapping extends YAMLMap<Scalar, Node> {
  isLine = false;

  override toString(...[context, ...rest]: Parameters<YAMLMap['toString']>): string {
    if (context === undefined) return super.toString(context, ...rest);
    const options = this.isLine ? { ...context.options, lineWidth: 0 } : context.options;
    return super.toString({ ...context, options, flowCollectionPadding: ' ' }, ...rest);
  }
}

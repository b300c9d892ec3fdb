/** Writes a manifest as YAML: some parts in block style, the others on one line. */

import {
  definedKeys,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  isJsonArray,
  type JsonArray,
} from '../../../base/json.ts';
import { escapeInvisible, hasInvisible } from '../../../base/text.ts';
import type { LayOutStyle } from '../../../base/yaml/editing/edits.ts';
import { Document, Pair, Scalar, YAMLMap, YAMLSeq, type Node, type ToStringOptions } from 'yaml';
import { LongDecimal } from '../../../base/exact-number.ts';

interface Layout {
  /** The block style of a declaration in each section, by the section's name. */
  readonly blocks: Readonly<Record<string, Block>>;
  /** Path or address of the manifest schema, for editors. */
  readonly schemaPath?: string | undefined;
  /** A line above a declaration, by its key. */
  readonly comments?: ReadonlyMap<string, string>;
}

/** The text of one manifest file. Parsing it returns `manifest`. */
export function layOut(manifest: JsonObject, layout: Layout): string {
  const { blocks, schemaPath } = layout;
  const sections = definedKeys(manifest).map((name) => {
    const section = manifest[name] as JsonValue;
    const isSpaced = isJsonObject(section) && definedKeys(section).length > 0 && Object.hasOwn(blocks, name);
    return isSpaced ? sectionText(name, section, layout) : memberText(name, section, topOf(blocks));
  });
  const head = schemaPath === undefined ? [] : [`# yaml-language-server: $schema=${schemaPath}`];
  return escapeInvisible([...head, ...sections, ''].join('\n'));
}

/**
 * The text of members that are added to a mapping of a manifest, in lines without the mapping's indentation. `path`: where the
 * mapping is, such as `['flags', 'checkout', 'projects']`.
 */
export function layOutMembers(
  members: JsonObject,
  path: readonly string[],
  { blocks, style }: { readonly blocks: Layout['blocks']; readonly style?: LayOutStyle | undefined },
): string {
  const block = path.reduce<Block | undefined>((outer, name) => blockOf(name, outer), topOf(blocks).block) ?? {};
  const at = { block, column: path.length * 2, indent: path.length * 2 };
  return escapeInvisible(textOf(toNode(members, at), style ?? {}));
}

function topOf(blocks: Layout['blocks']): Position {
  const sections = Object.entries(blocks).map(([name, each]): [string, Block] => [name, { each }]);
  return { block: { members: Object.fromEntries(sections) }, column: 0, indent: 0 };
}

/** The section with an empty line between declarations. */
function sectionText(name: string, section: JsonObject, { blocks, comments }: Layout): string {
  const at = memberAt(name, topOf(blocks));
  const declarations = definedKeys(section).map((key) => {
    const text = memberText(key, section[key] as JsonValue, at);
    const comment = comments?.get(key);
    return comment === undefined ? `  ${text}` : `  # ${comment}\n  ${text}`;
  });
  return `${name}:\n${declarations.join('\n\n')}`;
}

/** One member of a mapping, in lines of which the first is without its indentation. */
export function memberText(name: string, value: JsonValue, around: Position): string {
  const key = scalarText(name, 0, false);
  const text = key === undefined ? undefined : valueText(value, memberAt(name, around), '\n');
  return text === undefined ? yamlMember(name, value, around) : `${key}:${text}`;
}

function elementText(element: JsonValue, around: Position): string {
  const text = valueText(element, elementAt(around), ' ');
  if (text !== undefined) return `-${text}`;
  return entryText(listOf([toNode(element, elementAt(around))]), around);
}

/** `before`: what separates a value in block style from its key or its hyphen. */
function valueText(value: JsonValue, at: Position, before: '\n' | ' '): string | undefined {
  if (isScalar(value) || isOnOneLine(value, at)) {
    const text = lineText(value, at, false);
    return text === undefined ? undefined : ` ${text}`;
  }
  const entries = isJsonArray(value)
    ? value.map((element) => elementText(element, at))
    : definedKeys(value).map((name) => memberText(name, value[name] as JsonValue, at));
  const indentation = ' '.repeat(at.indent);
  return `${before === '\n' ? `\n${indentation}` : before}${entries.join(`\n${indentation}`)}`;
}

function isScalar(value: JsonValue): value is Exclude<JsonValue, JsonArray | JsonObject> {
  return !isJsonArray(value) && !isJsonObject(value);
}

/** A value on one line; `undefined` if it is not simple. */
function lineText(value: JsonValue, at: Position, isInFlow: boolean): string | undefined {
  if (isScalar(value)) return scalarText(value, at.column, isInFlow);
  if (isJsonArray(value)) {
    const elements = value.map((element) => lineText(element, elementAt(at), true));
    return elements.includes(undefined) ? undefined : `[${elements.join(', ')}]`;
  }
  const members = definedKeys(value).map((name) => {
    const key = scalarText(name, 0, true);
    const text = lineText(value[name] as JsonValue, memberAt(name, at), true);
    return key === undefined || text === undefined ? undefined : `${key}: ${text}`;
  });
  if (members.includes(undefined)) return undefined;
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** `column`: where the scalar begins, at most. */
function scalarText(value: JsonValue, column: number, isInFlow: boolean): string | undefined {
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number')
    return DECIMAL.test(String(value)) && !Object.is(value, -0) ? String(value) : undefined;
  if (typeof value !== 'string' || column + value.length + 2 > WIDTH || !SIMPLE.test(value)) return undefined;
  if (MEANT.test(value) || (isInFlow && BRACKETS.test(value))) return `"${value}"`;
  return PLAIN.test(value) ? value : undefined;
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** No escape, quote or line end is in it, and no character that is not seen. */
const SIMPLE = /^[\w !#-&(-[\]-~\u00c0-\u024f]+$/;

/** Texts that mean something else without quotes: words and whole numbers, and those with a character that has a meaning where it is. */
const MEANT =
  /^(?:y|Y|[Yy]es|YES|n|N|[Nn]o|NO|[Oo]n|ON|[Oo]ff|OFF|[Tt]rue|TRUE|[Ff]alse|FALSE|[Nn]ull|NULL|[Ee][-+]?\d+|\d+)$|^[ ,[\]{}#&*!|>%@`]|: | #|[: ]$/;
const BRACKETS = /[,[\]{}]/;

/** It begins as no number does. */
const PLAIN = /^[a-z$_/(\u00c0-\u024f]/i;

/** Writes a member of a mapping in block style; its first line is not indented. */
export function yamlMember(name: string, value: JsonValue, around: Position): string {
  return entryText(mappingOf([memberNode(name, value, around)]), around);
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
  if (isJsonObject(value)) {
    const mapping = mappingOf(definedKeys(value).map((name) => memberNode(name, value[name] as JsonValue, at)));
    mapping.flow = isOnOneLine(value, at);
    mapping.isLine = isLongLine(value, at);
    return mapping;
  }
  // YAML has no decimal that long. Reading the manifest back finds that the number differs.
  return new Scalar(value instanceof LongDecimal ? Number(String(value)) : value);
}

function listOf(elements: Node[]): YAMLSeq {
  const list = new LaidOutList();
  list.items = elements;
  return list;
}

function mappingOf(members: Pair<Scalar, Node>[]): LaidOutMapping {
  const mapping = new LaidOutMapping();
  mapping.items = members;
  return mapping;
}

function memberNode(name: string, value: JsonValue, around: Position): Pair<Scalar, Node> {
  const key = new Scalar(name);
  if (hasInvisible(name) || name.includes('\n')) key.type = 'QUOTE_DOUBLE';
  return new Pair(key, toNode(value, memberAt(name, around)));
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

/** The columns of a line, unless a word is longer. */
const WIDTH = 100;

/** A part that is always in block style, with the parts in it that are too. All else is on one line if it fits. */
export interface Block {
  readonly members?: Readonly<Record<string, Block>>;
  readonly each?: Block;
  /** The part is on one line however long it is, unless one of `members` is in it. */
  readonly isLine?: true;
}

/** Where a value is. */
export interface Position {
  /** `undefined` for a part that is on one line if it fits. */
  readonly block: Block | undefined;
  /** Columns before the value on its first line, at most. */
  readonly column: number;
  /** Columns by which the members or elements of the value are indented. */
  readonly indent: number;
}

function memberAt(name: string, { block, indent }: Position): Position {
  return { block: blockOf(name, block), column: indent + name.length + 4, indent: indent + 2 };
}

function elementAt({ block, indent }: Position): Position {
  return { block: block?.each, column: indent + 2, indent: indent + 2 };
}

function blockOf(member: string, block: Block | undefined): Block | undefined {
  if (block?.each !== undefined) return block.each;
  return block?.members && Object.hasOwn(block.members, member) ? block.members[member] : undefined;
}

/** Whether a collection is on one line. */
function isOnOneLine(value: JsonArray | JsonObject, at: Position): boolean {
  const isEmpty = isJsonArray(value) ? value.length === 0 : definedKeys(value).length === 0;
  return isEmpty || isLongLine(value, at) || (at.block === undefined && at.column + flowWidth(value) <= WIDTH);
}

/** Whether a mapping is on one line however long it is. */
function isLongLine(value: JsonArray | JsonObject, { block }: Position): boolean {
  return (
    block?.isLine === true &&
    isJsonObject(value) &&
    definedKeys(value).every((name) => blockOf(name, block) === undefined)
  );
}

/** An upper limit of the columns that a value takes on one line; more than any line has if it needs several lines. */
function flowWidth(value: JsonValue): number {
  if (typeof value === 'string') return textWidth(value);
  if (isJsonArray(value)) return value.reduce<number>((total, element) => total + flowWidth(element) + 2, 2);
  if (!isJsonObject(value)) return String(value).length;
  return definedKeys(value).reduce(
    (total, name) => total + textWidth(name) + flowWidth(value[name] as JsonValue) + 4,
    2,
  );
}

function textWidth(text: string): number {
  if (text.includes('\n')) return WIDTH + 1;
  return /^[\w$][\w $./@-]*$/.test(text) ? text.length : JSON.stringify(text.replaceAll('\\', '_')).length;
}

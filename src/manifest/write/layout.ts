/** Writes a manifest as YAML: some parts in block style, the others on one line. */

import { Document, isMap, isScalar, Pair, Scalar, YAMLMap, YAMLSeq, type Node } from 'yaml';

import { LongDecimal } from '../../base/exact-number.ts';
import { definedKeys, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { escapeInvisible, hasInvisible } from '../../base/text.ts';
import type { LayOutStyle } from '../../base/yaml/editing/edits.ts';

const WIDTH = 100;

/** A part that is always in block style, with the parts in it that are too. All else is on one line if it fits. */
export interface Block {
  readonly members?: Readonly<Record<string, Block>>;
  readonly each?: Block;
  /** Separates the members with an empty line. */
  readonly spaced?: true;
  /** On one line however long it is, unless one of `members` is in it. */
  readonly isLine?: true;
}

export interface Layout {
  /** The block style of a declaration in each section, by the section's name. */
  readonly blocks: Readonly<Record<string, Block>>;
  /** Path or address of the manifest schema, for editors. */
  readonly schemaPath?: string | undefined;
  /** A line above a declaration, by its key. */
  readonly comments?: ReadonlyMap<string, string>;
}

/** The text of one manifest file. Parsing it returns `manifest`. */
export function layOut(manifest: JsonObject, { blocks, schemaPath, comments }: Layout): string {
  // `compat` quotes strings that YAML 1.1 reads as other types: `yes`, `on`, 12:30, 2026-01-31.
  const document = new Document(null, { compat: 'yaml-1.1' });
  const sections = Object.entries(blocks).map(([name, each]): [string, Block] => [name, { each, spaced: true }]);
  const block = { members: Object.fromEntries(sections) };
  document.contents = toNode(manifest, { block, column: 0, indent: 0 });
  for (const key of declaredKeys(document.contents)) {
    const comment = comments?.get(String(key.value));
    if (comment !== undefined) key.commentBefore = ` ${comment}`;
  }
  if (schemaPath !== undefined) document.contents.commentBefore = ` yaml-language-server: $schema=${schemaPath}`;
  return escapeInvisible(document.toString({ lineWidth: WIDTH, directives: false }));
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
  const document = new Document(null, { compat: 'yaml-1.1' });
  const around = { members: Object.fromEntries(Object.entries(blocks).map(([name, each]) => [name, { each }])) };
  const block = path.reduce<Block | undefined>((outer, name) => blockOf(name, outer), around) ?? {};
  document.contents = toNode(members, { block, column: path.length * 2, indent: path.length * 2 });
  return escapeInvisible(document.toString({ lineWidth: WIDTH, ...style }));
}

function declaredKeys(manifest: Node): Scalar[] {
  const sections = isMap(manifest) ? manifest.items.map(({ value }) => value) : [];
  return sections.flatMap((section) =>
    isMap(section) ? section.items.map(({ key }) => key).filter((key) => isScalar(key)) : [],
  );
}

interface Position {
  /** `undefined` for a part that is on one line if it fits. */
  readonly block: Block | undefined;
  /** Columns before the value on its first line. */
  readonly column: number;
  /** Columns by which the collection around it is indented. */
  readonly indent: number;
}

function toNode(value: JsonValue, at: Position): Node {
  if (typeof value === 'string') return textNode(value, at.column);
  if (isJsonArray(value)) return seqNode(value, at);
  if (isJsonObject(value)) return mapNode(value, at);
  // YAML has no decimal that long. Reading the manifest back finds that the number differs.
  return new Scalar(value instanceof LongDecimal ? Number(String(value)) : value);
}

function seqNode(elements: readonly JsonValue[], { block, column, indent }: Position): YAMLSeq {
  const seq = new LaidOutList();
  seq.flow = elements.length === 0 || (block === undefined && column + flowWidth(elements) <= WIDTH);
  const position = { block: block?.each, column: indent + 2, indent: indent + 2 };
  seq.items = elements.map((element) => toNode(element, position));
  return seq;
}

function mapNode(object: JsonObject, { block, column, indent }: Position): YAMLMap {
  const map = new LaidOutMapping();
  const names = definedKeys(object);
  map.isLine = block?.isLine === true && names.every((name) => blockOf(name, block) === undefined);
  map.flow = names.length === 0 || map.isLine || (block === undefined && column + flowWidth(object) <= WIDTH);
  map.items = names.map((name, index) => {
    const key = keyNode(name);
    key.spaceBefore = block?.spaced === true && index > 0;
    const position = { block: blockOf(name, block), column: indent + name.length + 4, indent: indent + 2 };
    return new Pair(key, toNode(object[name] as JsonValue, position));
  });
  return map;
}

function blockOf(member: string, block: Block | undefined): Block | undefined {
  if (block?.each !== undefined) return block.each;
  return block?.members && Object.hasOwn(block.members, member) ? block.members[member] : undefined;
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
  else if (column + text.length > WIDTH && /^\S+( \S+)+$/.test(text)) node.type = 'BLOCK_FOLDED';
  return node;
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

class LaidOutMapping extends YAMLMap {
  isLine = false;

  override toString(...[context, ...rest]: Parameters<YAMLMap['toString']>): string {
    if (context === undefined) return super.toString(context, ...rest);
    const options = this.isLine ? { ...context.options, lineWidth: 0 } : context.options;
    return super.toString({ ...context, options, flowCollectionPadding: ' ' }, ...rest);
  }
}

/** An upper limit of the columns that a value takes on one line; more than any line has if it needs several lines. */
function flowWidth(value: JsonValue): number {
  if (typeof value === 'string') return textWidth(value);
  if (isJsonArray(value)) return 2 + sum(value.map((element) => flowWidth(element) + 2));
  if (!isJsonObject(value)) return String(value).length;
  return 2 + sum(definedKeys(value).map((name) => textWidth(name) + flowWidth(value[name] as JsonValue) + 4));
}

function textWidth(text: string): number {
  if (text.includes('\n')) return WIDTH + 1;
  return /^[\w$][\w $./@-]*$/.test(text) ? text.length : JSON.stringify(text.replaceAll('\\', '_')).length;
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

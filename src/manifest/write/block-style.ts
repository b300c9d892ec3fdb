/** Which parts of a manifest are in block style, and where each value begins. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';

/** The columns of a line, unless a word is longer. */
export const WIDTH = 100;

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

export function memberAt(name: string, { block, indent }: Position): Position {
  return { block: blockOf(name, block), column: indent + name.length + 4, indent: indent + 2 };
}

export function elementAt({ block, indent }: Position): Position {
  return { block: block?.each, column: indent + 2, indent: indent + 2 };
}

export function blockOf(member: string, block: Block | undefined): Block | undefined {
  if (block?.each !== undefined) return block.each;
  return block?.members && Object.hasOwn(block.members, member) ? block.members[member] : undefined;
}

/** Whether a collection is on one line. */
export function isOnOneLine(value: JsonArray | JsonObject, at: Position): boolean {
  const isEmpty = isJsonArray(value) ? value.length === 0 : definedKeys(value).length === 0;
  return isEmpty || isLongLine(value, at) || (at.block === undefined && at.column + flowWidth(value) <= WIDTH);
}

/** Whether a mapping is on one line however long it is. */
export function isLongLine(value: JsonArray | JsonObject, { block }: Position): boolean {
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

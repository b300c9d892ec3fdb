/** Replaces one value by another, and keeps what is around it: the key, anchors, tags and the comment on its line. */

import { type Node, isMap, isScalar, isSeq, type Scalar } from 'yaml';
import { type JsonValue, isJsonArray, isJsonObject } from '../../json.ts';
import { type Anchors, type CollectionEntry, endOf, isBlockScalar, isEmptyNode, isFlow } from './entries.ts';
import type { EditRefusal, YamlEdit, YamlPath } from './edits.ts';
import { flowText, writeScalar, type ValueText, type Fresh, elementText, memberText } from './value-text.ts';
import { withDeeperComments } from './rows.ts';
import { beforeLineBreak, lineBreakNear, lineEnd, lineStart, spliceLines, type Splice } from './splice.ts';

/** The place of one value in the text: what an edit replaces, or goes into. */
export interface Slot {
  readonly node: Node | null;
  /** Aliases and merge keys are resolved. */
  readonly value: JsonValue;
  readonly path: YamlPath;
  readonly around: 'document' | 'block' | 'flow';
  /** The column in which the entry begins. */
  readonly column: number;
  readonly entry: CollectionEntry;
}

/** One document while its changes are found. */
export interface TextEditing extends Fresh {
  readonly text: string;
  readonly anchors: Anchors;
  readonly refuse: (edits: readonly YamlEdit[], reason: EditRefusal, offset: number) => void;
  /** Called for what goes together with its comments: no other comment may go. */
  readonly release: (start: number, end: number) => void;
}

export function offsetOf({ node, entry }: Slot): number {
  return node?.range?.[0] ?? entry.start;
}

/** `undefined` if the tag of the value rules out the new one. */
export function replaceValue(slot: Slot, value: JsonValue, editing: TextEditing): Splice[] | undefined {
  const written = textOf(slot, value, editing);
  if (written === undefined) return undefined;
  const { node, entry } = slot;
  if (node === null || isEmptyNode(node)) return putAt(slot, [entry.valueAt, entry.valueAt], { ...written, editing });
  if (isScalar(node) && isBlockScalar(node)) return replaceBlockScalar(node, written, editing);
  const isBlock = (isMap(node) || isSeq(node)) && !isFlow(node);
  if (!isBlock) editing.release(...offsetsOf(node));
  return isBlock
    ? replaceBlock(slot, node, { ...written, editing })
    : replaceInline(slot, node, { ...written, editing });
}

/** `undefined` if no text of the value goes with the tag. */
function textOf(slot: Slot, value: JsonValue, editing: TextEditing): ValueText | undefined {
  const { node, entry, around, column } = slot;
  const flow = around === 'flow';
  const isSingle = !isJsonArray(value) && !isJsonObject(value);
  if (isSingle && isScalar(node) && !isEmptyNode(node)) {
    return writeScalar(value, { node: node as Scalar, text: editing.text, flow, column, tag: entry.tag });
  }
  if (entry.tag !== undefined) return undefined;
  const isInBrackets = node !== null && isFlow(node) && !isEmptyBrackets(node) && !isSingle;
  if (flow || isInBrackets) return { head: flowText(value, { flow }), body: [] };
  const at = { ...editing, column, path: slot.path.slice(0, -1) };
  if (entry.indicator !== '-') return memberText(String(slot.path.at(-1)), value, at);
  // An anchor before the first member of a mapping is that of its key.
  const hasProperties = entry.valueAt > entry.start + 1;
  const inList = { ...at, style: { ...at.style, indentSeq: true } };
  return hasProperties ? memberText('value', value, inList) : elementText(value, { ...at, path: slot.path });
}

function offsetsOf({ range }: Node): [start: number, end: number] {
  return [range?.[0] ?? 0, range?.[1] ?? 0];
}

export function isEmptyBrackets(node: Node): boolean {
  return isFlow(node) && (isMap(node) || isSeq(node)) && node.items.length === 0;
}

interface Written extends ValueText {
  readonly editing: TextEditing;
}

/** Puts the value on the line of the indicator. */
function putAt(slot: Slot, [start, end]: readonly [number, number], { head, body, editing }: Written): Splice[] {
  const { entry, around, column } = slot;
  const { text } = editing;
  const below = lineEnd(text, end);
  if (entry.indicator === undefined && around === 'block') {
    // The colon of `? key` begins a line.
    return [spliceLines(text, [below, below], [`${' '.repeat(column)}: ${head}`.trimEnd(), ...body])];
  }
  // A space may exist already after a bracket, or after an indicator without a value.
  const space = head === '' || /[\s[{]/.test(text[start - 1] ?? ' ') ? '' : ' ';
  const inline = { start, end, insert: (entry.indicator === undefined ? ':' : '') + space + head };
  return body.length === 0 ? [inline] : [inline, spliceLines(text, [below, below], body)];
}

/** A single value, an alias or a collection in brackets. */
function replaceInline(slot: Slot, node: Node, written: Written): Splice[] {
  const { head, body, editing } = written;
  const { text } = editing;
  const { valueAt } = slot.entry;
  const [start, end] = offsetsOf(node);
  const below = lineEnd(text, end);
  const isOnLine = !text.slice(valueAt, start).includes('\n');
  if (head !== '' && (isOnLine || body.length === 0)) {
    const lines = body.length === 0 ? [] : [spliceLines(text, [below, below], body)];
    return [{ start, end, insert: head }, ...lines];
  }
  if (isOnLine) return putAt(slot, [valueAt, end], written);
  // The comment on the line of the value stays on the last line.
  if (head === '') return [{ start: lineStart(text, start), end, insert: body.join(lineBreakNear(text, start)) }];
  const from = lineEnd(text, valueAt);
  return [...putAt(slot, [valueAt, valueAt], { ...written, body: [] }), spliceLines(text, [from, below], body)];
}

/** The comment after the header of the block scalar stays. */
function replaceBlockScalar(node: Scalar, { head, body }: ValueText, { text }: TextEditing): Splice[] {
  const [start, end] = offsetsOf(node);
  const header = /^[|>][\d+-]*/.exec(text.slice(start, start + 4))?.[0] ?? '';
  const below = lineEnd(text, start);
  return [{ start, end: start + header.length, insert: head }, spliceLines(text, [below, end], body)];
}

/** The comments in the mapping or list belong to its entries, so they are removed. */
function replaceBlock(slot: Slot, node: Node, written: Written): Splice[] {
  const { head, body, editing } = written;
  const { text } = editing;
  const { valueAt } = slot.entry;
  const end = withDeeperComments(text, lineEnd(text, endOf(node)), slot.column);
  editing.release(valueAt, end);
  const below = lineEnd(text, valueAt);
  const isOnLine = below > (node.range?.[0] ?? 0);
  if (!isOnLine)
    return [...putAt(slot, [valueAt, valueAt], { ...written, body: [] }), spliceLines(text, [below, end], body)];
  const eol = lineBreakNear(text, valueAt);
  const [inline] = putAt(slot, [valueAt, beforeLineBreak(text, end)], { head, body: [], editing });
  return inline === undefined ? [] : [{ ...inline, insert: [inline.insert, ...body].join(eol) }];
}

/**
 * Changes a mapping or list in block style: whole lines are added and removed, with the comments that belong to them.
 */

import { keepsBlankLines, type Collection } from './entries.ts';
import {
  applySplices,
  beforeLineBreak,
  indentationAt,
  lineBreakNear,
  lineEnd,
  lineKind,
  lineStart,
  spacesBefore,
  spliceLines,
  type Splice,
} from './splice.ts';
import type { JsonValue } from '../../json.ts';

/**
 * The lines of an entry. The comment lines directly above it belong to it, and the comment lines below it that are indented
 * more than it is. An empty line ends both.
 */
interface EntryRow {
  readonly from: number;
  readonly to: number;
  /** Whether nothing is before the entry in its line. The first entry of a mapping in a list is after `- `. */
  readonly isOwn: boolean;
}

export interface EntryRows {
  readonly text: string;
  readonly collection: Collection;
  readonly rows: readonly EntryRow[];
  /** The earliest offset at which the lines of the first entry may begin. */
  readonly top: number;
  /** Whether an empty line is between all entries. */
  readonly isSpaced: boolean;
}

/** `top`: where the comments above the first entry may begin. */
export function blockRows(text: string, collection: Collection, top: number): EntryRows {
  const rows: EntryRow[] = [];
  for (const { start, end } of collection.entries) {
    const to = withDeeperComments(text, lineEnd(text, end), collection.column);
    rows.push({ ...rowStart(text, start, rows.at(-1)?.to ?? top), to });
  }
  const isApart = ({ from }: EntryRow, index: number): boolean =>
    index === 0 || blanksBefore(text, from, rows[index - 1]?.to ?? 0) < from;
  return { text, collection, rows, top, isSpaced: rows.length > 1 && rows.every(isApart) };
}

/** Where the lines of a value that ends before an offset end: after the comments below it that are indented more. */
export function withDeeperComments(text: string, from: number, column: number): number {
  let end = from;
  for (let at = from; at < text.length; at = lineEnd(text, at + 1)) {
    const kind = lineKind(text, at);
    if (kind === 'other' || (kind === 'comment' && indentationAt(text, at) <= column)) break;
    if (kind === 'comment') end = lineEnd(text, at + 1);
  }
  return end;
}

export function rowStart(text: string, start: number, top: number): Pick<EntryRow, 'from' | 'isOwn'> {
  let from = lineStart(text, start);
  if (indentationAt(text, from) < start - from) return { from: start, isOwn: false };
  while (from > top) {
    const above = lineStart(text, from - 1);
    if (above < top || lineKind(text, above) !== 'comment') break;
    from = above;
  }
  return { from, isOwn: true };
}

/** Lines of a new entry, with their indentation. */
export type FreshLines = (insertion: Extract<Insertion, { value: unknown }>) => readonly string[];

export function changeRows(rows: EntryRows, change: EntryChanges, fresh: FreshLines): Splice[] {
  return gapsOf(rows.collection.entries.length, change).flatMap((gap) =>
    gapSplices(
      rows,
      gap,
      gap.inserted.map((insertion) => ('value' in insertion ? fresh(insertion) : movedLines(rows, insertion))),
    ),
  );
}

function movedLines(
  { text, collection, rows }: EntryRows,
  { moved, splices }: Extract<Insertion, { moved: number }>,
): readonly string[] {
  const { from = 0, to = 0, isOwn } = rows[moved] ?? {};
  const lines = applySplices(text, splices, [from, to]);
  return `${isOwn === true ? '' : ' '.repeat(collection.column)}${lines}`.replace(/\r?\n$/, '').split(/\r?\n/);
}

type Blocks = readonly (readonly string[])[];

function gapSplices(rows: EntryRows, gap: EntryGap, blocks: Blocks): Splice[] {
  const { text } = rows;
  const isFirstGone = gap.removed[0] === 0 && rows.rows[0]?.isOwn === false;
  if (isFirstGone) return replaceFirst(rows, gap, blocks);
  if (gap.removed.length === 0) return [insertBetween(rows, gap, blocks)];
  return segmentsOf(rows, gap.removed).map((segment, index, segments) => {
    const lines = index === 0 ? joinBlocks(rows, blocks) : [];
    const isLast = index === segments.length - 1;
    const range = lines.length > 0 ? segment : withBlankLines(rows, segment, { gap, isFirst: index === 0, isLast });
    return spliceLines(text, range, lines);
  });
}

function insertBetween(rows: EntryRows, { after, before }: EntryGap, blocks: Blocks): Splice {
  const { text, collection } = rows;
  const previous = rows.rows[after];
  const lines = joinBlocks(rows, blocks);
  if (previous !== undefined) {
    const isApart = rows.isSpaced && !keepsBlankLines(text, collection.entries[after]?.node ?? null);
    return spliceLines(text, [previous.to, previous.to], isApart ? ['', ...lines] : lines);
  }
  const next = rows.rows[before];
  const at = next?.from ?? rows.top;
  if (next?.isOwn !== false) return spliceLines(text, [at, at], rows.isSpaced ? [...lines, ''] : lines);
  const eol = lineBreakNear(text, at);
  return { start: at, end: at, insert: lines.join(eol).trimStart() + eol + ' '.repeat(collection.column) };
}

/** New entries are as far apart as the others. */
function joinBlocks(rows: EntryRows, blocks: Blocks): string[] {
  return blocks.flatMap((block, index) => (rows.isSpaced && index > 0 ? ['', ...block] : block));
}

/** The first entry is after an indicator of the list around it, where the next one takes its place. */
function replaceFirst(rows: EntryRows, { before, removed }: EntryGap, blocks: Blocks): Splice[] {
  const { text, collection, rows: all } = rows;
  const [segment, ...others] = segmentsOf(rows, removed);
  const start = collection.entries[0]?.start ?? 0;
  const end = segment?.[1] ?? start;
  const next = collection.entries[before];
  const eol = lineBreakNear(text, start);
  const rest = others.map((range) => spliceLines(text, range, []));
  if (blocks.length > 0) return [{ start, end, insert: blocks.flat().join(eol).trimStart() + eol }, ...rest];
  const isDirect =
    next !== undefined && text.slice(all[before - 1]?.to, next.start).trim() === '' && others.length === 0;
  if (isDirect) return [{ start, end: next.start, insert: '' }];
  return [{ start: start - spacesBefore(text, start), end: beforeLineBreak(text, end), insert: '' }, ...rest];
}

type RowRange = readonly [number, number];

/** The lines of entries that go; one range for those between which there are only empty lines. */
function segmentsOf({ text, rows }: EntryRows, removed: readonly number[]): RowRange[] {
  const segments: RowRange[] = [];
  for (const index of removed) {
    const { from = 0, to = 0 } = rows[index] ?? {};
    const last = segments.at(-1);
    if (last !== undefined && text.slice(last[1], from).trim() === '') segments[segments.length - 1] = [last[0], to];
    else segments.push([from, to]);
  }
  return segments;
}

/** Removed lines take one of the groups of empty lines around them along, so that the others are as far apart as before. */
function withBlankLines(
  rows: EntryRows,
  [start, end]: RowRange,
  { gap, isFirst, isLast }: { readonly gap: EntryGap; readonly isFirst: boolean; readonly isLast: boolean },
): RowRange {
  const { text, collection } = rows;
  const above = blanksBefore(text, start, rows.rows[gap.after]?.to ?? rows.top);
  const below = blanksAfter(text, end);
  const isAtEnd = isLast && gap.before === collection.entries.length;
  const isAtTop = isFirst && gap.after === -1;
  // Empty lines directly below such a scalar would become a part of it.
  const keeps = isFirst && keepsBlankLines(text, collection.entries[gap.after]?.node ?? null);
  if (keeps || (isAtTop && !isAtEnd && above === start)) return [start, below];
  return below > end || isAtEnd ? [above, end] : [start, end];
}

function blanksBefore(text: string, from: number, top: number): number {
  let at = from;
  while (at > top) {
    const above = lineStart(text, at - 1);
    if (above < top || lineKind(text, above) !== 'blank') break;
    at = above;
  }
  return at;
}

function blanksAfter(text: string, from: number): number {
  let at = from;
  while (at < text.length && lineKind(text, at) === 'blank') at = lineEnd(text, at + 1);
  return at;
}

export interface EntryChanges {
  /** The indices of entries that go, or are moved. */
  readonly removed: ReadonlySet<number>;
  /** The key is the index of the entry before them; -1 for the beginning. That entry is not removed. */
  readonly inserted: ReadonlyMap<number, readonly Insertion[]>;
}

/** A new entry, with the name of a member; or the text of an entry that moves, with its own changes. */
export type Insertion =
  | { readonly name: string | undefined; readonly value: JsonValue }
  | { readonly moved: number; readonly splices: readonly Splice[] };

/** The entries between two that stay, where something goes or comes. */
export interface EntryGap {
  /** -1 at the beginning. */
  readonly after: number;
  /** The number of entries at the end. */
  readonly before: number;
  readonly removed: readonly number[];
  readonly inserted: readonly Insertion[];
}

export function gapsOf(count: number, { removed, inserted }: EntryChanges): EntryGap[] {
  const gaps: EntryGap[] = [];
  let after = -1;
  let gone: number[] = [];
  for (let index = 0; index <= count; index += 1) {
    if (removed.has(index)) {
      gone.push(index);
      continue;
    }
    const coming = inserted.get(after) ?? [];
    if (gone.length > 0 || coming.length > 0) gaps.push({ after, before: index, removed: gone, inserted: coming });
    after = index;
    gone = [];
  }
  return gaps;
}

export function isEmptied(count: number, { removed, inserted }: EntryChanges): boolean {
  return count > 0 && removed.size === count && inserted.size === 0;
}

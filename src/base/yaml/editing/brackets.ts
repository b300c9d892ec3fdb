/**
 * Changes a mapping or list in brackets. Entries that share lines are one row. The comment lines directly above a row and the comment at its
 * end belong to its entries together: they go when all of these go.
 */

import { parseJson } from '../../json-text.ts';
import { gapsOf, isEmptied, type EntryChanges, type EntryGap, type Insertion, rowStart } from './rows.ts';
import type { Collection } from './entries.ts';
import {
  applySplices,
  beforeLineBreak,
  columnOf,
  indentationAt,
  lineEnd,
  lineStart,
  spacesBefore,
  spliceLines,
  type Splice,
} from './splice.ts';
import { flowItem } from './value-text.ts';

interface BracketRow {
  readonly first: number;
  readonly last: number;
  /** Where its comment lines begin, if it begins a line. */
  readonly from: number;
  readonly start: number;
  /** The offset behind the comma of its last entry. */
  readonly to: number;
  /** Whether nothing is before it in its line. */
  readonly isStart: boolean;
  /** Whether nothing but a comment is behind it in its line. */
  readonly isEnd: boolean;
}

interface Brackets {
  readonly text: string;
  readonly collection: Collection;
  readonly rows: readonly BracketRow[];
  /** The offset of the comma after each entry. */
  readonly commas: readonly (number | undefined)[];
  readonly change: EntryChanges;
}

/** Entries that go, with their comments. */
type ReleaseEntries = (start: number, end: number) => void;

export function changeBrackets(
  text: string,
  collection: Collection,
  { change, release }: { readonly change: EntryChanges; readonly release: ReleaseEntries },
): Splice[] {
  const { entries, range } = collection;
  const brackets = readBrackets(text, collection, change);
  if (entries.length === 0) return fill(brackets);
  const gaps = gapsOf(entries.length, change);
  const splices = [
    ...brackets.rows.flatMap((row) => removeFrom(brackets, row, release)),
    ...gaps.flatMap((gap) => insertIn(brackets, gap)),
    ...fixLastComma(brackets, gaps.at(-1)),
  ];
  const [start, end] = [range[0] + 1, range[1] - 1];
  if (!isEmptied(entries.length, change)) return splices;
  return applySplices(text, splices, [start, end]).trim() === '' ? [{ start, end, insert: '' }] : splices;
}

function readBrackets(text: string, collection: Collection, change: EntryChanges): Brackets {
  const { entries, range } = collection;
  const commas = entries.map(({ end }, index) => commaAfter(text, end, entries[index + 1]?.start ?? range[1] - 1));
  const rows: BracketRow[] = [];
  let top = lineEnd(text, range[0] + 1);
  for (let first = 0; first < entries.length; first = (rows.at(-1)?.last ?? first) + 1) {
    let last = first;
    const behind = (index: number): number => (commas[index] ?? (entries[index]?.end ?? 0) - 1) + 1;
    while (last + 1 < entries.length && !text.slice(behind(last), entries[last + 1]?.start).includes('\n')) last += 1;
    const [start, to] = [entries[first]?.start ?? 0, behind(last)];
    const { from, isOwn } = rowStart(text, start, top);
    const isEnd = /^[ \t]*(?:#[^\n]*)?\r?\n$/.test(text.slice(to, lineEnd(text, to)));
    rows.push({ first, last, from, start, to, isStart: isOwn, isEnd });
    top = lineEnd(text, to);
  }
  return { text, collection, rows, commas, change };
}

/** The comma between two offsets, between which there are only comments and white space besides. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') return at;
    if (text[at] === '#') at = text.indexOf('\n', at);
    if (at === -1) return undefined;
  }
  return undefined;
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Whether the lines of a row go, with their comments. */
function isGone(brackets: Brackets, { first, last }: BracketRow): boolean {
  const { removed, inserted } = brackets.change;
  const stays = (index: number): boolean => {
    const isMoved = [...inserted.values()].flat().some((one) => 'moved' in one && one.moved === index);
    return !removed.has(index) || (isMoved && !isCarried(brackets, index));
  };
  return !range(first, last).some(stays);
}

/** Whether an entry that moves takes its lines along. */
function isCarried(brackets: Brackets, index: number): boolean {
  const gap = gapsOf(brackets.collection.entries.length, brackets.change).find(({ inserted }) =>
    inserted.some((one) => 'moved' in one && one.moved === index),
  );
  const row = rowOf(brackets, index);
  return gap !== undefined && row.isStart && row.isEnd && row.first === row.last && siteOf(brackets, gap).isOwnLine;
}

function rowOf({ rows }: Brackets, index: number): BracketRow {
  const row = rows.find(({ first, last }) => first <= index && index <= last);
  if (row === undefined) throw new TypeError(`The entry ${index} is in no row.`);
  return row;
}

function removeFrom(brackets: Brackets, row: BracketRow, release: ReleaseEntries): Splice[] {
  const { text, collection, rows, commas, change } = brackets;
  const { entries } = collection;
  const going = range(row.first, row.last).filter((index) => change.removed.has(index));
  if (going.length === 0) return [];
  const close = collection.range[1] - 1;
  const isReplaced = gapsOf(entries.length, change).some(
    ({ removed, inserted }) => inserted.length > 0 && removed.some((index) => going.includes(index)),
  );
  if (isGone(brackets, row)) {
    // The comment on the line of the opening bracket may be about all entries.
    if (row.isStart) release(row.from, row.isEnd ? lineEnd(text, row.to) : row.to);
    if (row.isStart && row.isEnd) return [{ start: row.from, end: lineEnd(text, row.to), insert: '' }];
    if (row.isStart && !isReplaced) {
      const isBelow = rows.at(-1) === row && isJoinable(brackets, row);
      const start = isBelow ? beforeLineBreak(text, row.from) : row.from;
      const insert = isBelow ? (collection.kind === 'mapping' ? ' ' : '') : ' '.repeat(columnOf(text, row.start));
      return [{ start, end: close, insert }];
    }
  }
  return runsOf(going).map(([first, last]): Splice => {
    const [start, end] = [entries[first]?.start ?? 0, entries[last]?.end ?? 0];
    release(start, end);
    const next = last < row.last ? entries[last + 1] : undefined;
    if (next !== undefined) return { start, end: next.start, insert: '' };
    const comma = commas[first - 1];
    const isTail = first > row.first && comma !== undefined && !isReplacedAt(brackets, first);
    const behind = (commas[last] ?? end - 1) + 1;
    if (isTail) return { start: comma + 1, end: behind, insert: '' };
    const isLineEnd = row.isEnd && text.slice(behind, lineEnd(text, behind)).trim() === '';
    const isBare = isLineEnd && !isReplacedAt(brackets, first);
    return { start: isBare ? start - spacesBefore(text, start) : start, end: behind, insert: '' };
  });
}

/** Whether the closing bracket can follow what is above a row that goes: not where that ends with a comment, or goes too. */
function isJoinable(brackets: Brackets, { first, from }: BracketRow): boolean {
  const { text, collection, commas, change } = brackets;
  if (change.removed.has(first - 1)) return false;
  const above = first === 0 ? collection.range[0] + 1 : (commas[first - 1] ?? 0) + 1;
  return !text.slice(above, from).includes('#');
}

function isReplacedAt({ collection, change }: Brackets, index: number): boolean {
  return gapsOf(collection.entries.length, change).some(
    ({ removed, inserted }) => inserted.length > 0 && removed[0] === index,
  );
}

function runsOf(indices: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const index of indices) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

interface Site {
  readonly at: number;
  /** Whether entries get lines of their own here. */
  readonly isOwnLine: boolean;
  /** `before`: new entries are followed by a comma; `after`: they follow one; `between`: neither. */
  readonly comma: 'before' | 'after' | 'between';
}

/** Where the new entries of a gap are written: in place of the first one that goes, else after the one before. */
function siteOf(brackets: Brackets, { after, removed }: EntryGap): Site {
  const { text, rows, change } = brackets;
  const { entries } = brackets.collection;
  const [first] = removed;
  if (first !== undefined) {
    const row = rowOf(brackets, first);
    const going = range(row.first, row.last).every((index) => change.removed.has(index));
    if (going && row.isStart && row.isEnd) return { at: row.from, isOwnLine: true, comma: 'before' };
    const isInside = range(first, row.last).some((index) => !change.removed.has(index));
    return { at: entries[first]?.start ?? 0, isOwnLine: false, comma: isInside ? 'before' : 'between' };
  }
  if (after === -1) {
    const [row] = rows;
    if (row?.isStart === true) return { at: row.from, isOwnLine: true, comma: 'before' };
    return { at: row?.start ?? 0, isOwnLine: false, comma: 'before' };
  }
  const row = rowOf(brackets, after);
  if (row.last === after && row.isEnd) return { at: lineEnd(text, row.to), isOwnLine: true, comma: 'before' };
  return { at: entries[after]?.end ?? 0, isOwnLine: false, comma: 'after' };
}

function insertIn(brackets: Brackets, gap: EntryGap): Splice[] {
  if (gap.inserted.length === 0) return [];
  const { text, collection, commas } = brackets;
  const count = collection.entries.length;
  const { at, isOwnLine, comma } = siteOf(brackets, gap);
  const needsComma = gap.before < count || commas.at(-1) !== undefined;
  if (isOwnLine) {
    const lines = gap.inserted.map((insertion, index) =>
      ownLine(brackets, insertion, { at, hasComma: needsComma || index < gap.inserted.length - 1 }),
    );
    return [spliceLines(text, [at, at], lines)];
  }
  const items = gap.inserted.map((insertion) => itemText(text, collection, insertion));
  if (comma === 'after') return [{ start: at, end: at, insert: items.map((item) => `, ${item}`).join('') }];
  const end = comma === 'before' ? ', ' : needsComma ? ',' : '';
  return [{ start: at, end: at, insert: items.join(', ') + end }];
}

function ownLine(
  brackets: Brackets,
  insertion: Insertion,
  { at, hasComma }: { readonly at: number; readonly hasComma: boolean },
): string {
  const { text, collection, rows, commas } = brackets;
  const comma = hasComma ? ',' : '';
  if ('moved' in insertion && isCarried(brackets, insertion.moved)) {
    const { moved, splices } = insertion;
    const { from, to } = rowOf(brackets, moved);
    const { end = 0 } = collection.entries[moved] ?? {};
    const known = commas[moved];
    const fix =
      known === undefined ? { start: end, end, insert: comma } : { start: known, end: known + 1, insert: comma };
    return applySplices(text, [...splices, fix], [from, beforeLineBreak(text, lineEnd(text, to))]);
  }
  const near = rows.findLast(({ isStart, start }) => isStart && start < at) ?? rows.find(({ isStart }) => isStart);
  const open = lineStart(text, collection.range[0]);
  const column = near === undefined ? indentationAt(text, open) + 2 : columnOf(text, near.start);
  return ' '.repeat(column) + itemText(text, collection, insertion) + comma;
}

/** Where the last entry had no comma behind it, the new last one has none, and an entry that others follow has one. */
function fixLastComma(brackets: Brackets, gap: EntryGap | undefined): Splice[] {
  const { commas, collection } = brackets;
  const { entries } = collection;
  if (commas.at(-1) !== undefined || gap?.before !== entries.length || gap.after === -1) return [];
  const comma = commas[gap.after];
  if (gap.inserted.length === 0) return comma === undefined ? [] : [{ start: comma, end: comma + 1, insert: '' }];
  const { end = 0 } = entries[gap.after] ?? {};
  return comma === undefined && siteOf(brackets, gap).isOwnLine ? [{ start: end, end, insert: ',' }] : [];
}

/** Brackets with nothing in them. */
function fill({ text, collection, change }: Brackets): Splice[] {
  const items = [...change.inserted.values()].flat().map((insertion) => itemText(text, collection, insertion));
  const [start, end] = [collection.range[0] + 1, collection.range[1] - 1];
  if (!text.slice(start, end).includes('#')) {
    const padding = collection.kind === 'mapping' ? ' ' : '';
    return [{ start, end, insert: padding + items.join(', ') + padding }];
  }
  const at = lineStart(text, end);
  return [spliceLines(text, [at, at], [`${' '.repeat(columnOf(text, end) + 2)}${items.join(', ')}`])];
}

function itemText(text: string, { entries, range: [from, to] }: Collection, insertion: Insertion): string {
  if ('value' in insertion) return flowItem(insertion.value, insertion.name, isJson(text.slice(from, to)));
  const { start = 0, end = 0 } = entries[insertion.moved] ?? {};
  return applySplices(text, insertion.splices, [start, end]);
}

/** Whether a collection is written as JSON, with all strings in quotes. */
function isJson(text: string): boolean {
  try {
    parseJson(text);
    return /["[{]/.test(text.slice(1));
  } catch {
    return false;
  }
}

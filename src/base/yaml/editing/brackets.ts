/** Changes a mapping or list in brackets whose entries share lines. */

import { parseJson } from '../../json-text.ts';
import { gapsOf, isEmptied, type EntryChanges, type EntryGap, type Insertion } from './change.ts';
import type { Collection } from './entries.ts';
import { flowItem } from './value-text.ts';
import { applySplices, type Splice } from './splice.ts';

export function changeBrackets(text: string, collection: Collection, change: EntryChanges): Splice[] {
  const { entries, range } = collection;
  if (isEmptied(entries.length, change)) return [{ start: range[0] + 1, end: range[1] - 1, insert: '' }];
  return gapsOf(entries.length, change).flatMap((gap) => gapSplices(text, collection, gap));
}

function gapSplices(text: string, collection: Collection, { after, before, removed, inserted }: EntryGap): Splice[] {
  const { entries, range, kind } = collection;
  const items = inserted.map((insertion) => itemText(text, collection, insertion));
  const [previous, next] = [entries[after], entries[before]];
  const first = entries[removed[0] ?? -1];
  const last = entries[removed.at(-1) ?? -1];
  if (next !== undefined && (previous === undefined || first !== undefined)) {
    const start = first?.start ?? next.start;
    return [{ start, end: next.start, insert: items.map((item) => `${item}, `).join('') }];
  }
  if (previous !== undefined) {
    const insert = items.map((item) => `, ${item}`).join('');
    if (first === undefined || last === undefined) return [{ start: previous.end, end: previous.end, insert }];
    return [
      { start: previous.end, end: previous.end, insert },
      ...removeTail(text, previous.end, [first.start, last.end]),
    ];
  }
  const joined = items.join(', ');
  if (first !== undefined && last !== undefined) return [{ start: first.start, end: last.end, insert: joined }];
  const padding = kind === 'mapping' ? ' ' : '';
  return [{ start: range[0] + 1, end: range[1] - 1, insert: padding + joined + padding }];
}

/** Removes entries at the end with the comma before them. A comment between is that of the entry before, and stays. */
function removeTail(text: string, from: number, [start, end]: readonly [number, number]): Splice[] {
  const comma = commaAfter(text, from, start) ?? from;
  const isCommented = text.slice(from, comma).includes('#');
  if (!text.slice(comma, start).includes('#')) return [{ start: isCommented ? comma : from, end, insert: '' }];
  return [
    { start: comma, end: comma + 1, insert: '' },
    { start, end, insert: '' },
  ];
}

/** The comma between two offsets, between which there are only comments and white space besides. */
export function commaAfter(text: string, from: number, to: number): number | undefined {
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') return at;
    if (text[at] === '#') at = text.indexOf('\n', at);
    if (at === -1) return undefined;
  }
  return undefined;
}

export function itemText(text: string, { entries, range }: Collection, insertion: Insertion): string {
  if ('value' in insertion) return flowItem(insertion.value, insertion.name, isJson(text.slice(...range)));
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

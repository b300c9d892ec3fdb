/** The changes to the entries of a mapping or list: which are removed, and which are inserted where. */

import type { JsonValue } from '../../json.ts';
import type { Splice } from './splice.ts';

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

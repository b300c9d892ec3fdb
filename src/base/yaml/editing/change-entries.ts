/** Removes, adds and moves the entries of a mapping or list, in the form in which it is written. */

import { isMap, isSeq } from 'yaml';
import { isJsonArray, isJsonObject, objectFrom, type JsonValue } from '../../json.ts';
import { changeBrackets } from './brackets.ts';
import { isEmptied, type EntryChanges, type Insertion } from './change.ts';
import { commentsIn } from './comments.ts';
import { isFlow, type Collection, type CollectionEntry } from './entries.ts';
import { flowText } from './value-text.ts';
import { elementLines, memberLines, type EntryAt, type Fresh } from './fresh.ts';
import { replaceValue, type TextEditing, type Slot } from './replace.ts';
import { blockRows, changeRows, type FreshLines, type EntryRows } from './rows.ts';
import { beforeLineBreak, lineEnd, type Splice } from './splice.ts';

export interface CollectionAt {
  readonly slot: Slot;
  readonly collection: Collection;
}

export function changeEntries(
  { slot, collection }: CollectionAt,
  change: EntryChanges,
  editing: TextEditing,
): Splice[] {
  const { text } = editing;
  const { entries, flow, kind, column } = collection;
  if (change.removed.size === 0 && change.inserted.size === 0) return [];
  const formsOf = (name = ''): ReadonlySet<string> | undefined => editing.layOut.forms?.find((one) => one.has(name));
  // The member that takes the place of other forms of its value.
  const takers = new Map(
    [...change.inserted.values()].flat().map((one) => ['name' in one ? formsOf(one.name) : undefined, one]),
  );
  const takerOf = (name: string | undefined): Insertion | undefined => {
    const forms = formsOf(name);
    return forms && takers.get(forms);
  };
  const restated = entries.filter(({ name }, index) => change.removed.has(index) && takerOf(name) !== undefined);
  const release: TextEditing['release'] = (start, end) => {
    if (!restated.some((entry) => start <= entry.start && entry.end <= end)) editing.release(start, end);
  };
  const at = { ...editing, column, path: kind === 'list' ? [...slot.path, entries.length] : slot.path };
  const fresh: FreshLines = ({ name, value }) =>
    name === undefined ? freshElement(collection, value, at) : memberLines(name, value, at);
  if (flow) {
    const filled = entries.length === 0 ? fillBrackets({ slot, collection }, change, editing) : undefined;
    return filled ?? changeBrackets(text, collection, { change, release });
  }
  // Comments at the beginning of a document are about the file.
  const top = slot.around === 'document' ? slot.entry.start : lineEnd(text, slot.entry.valueAt);
  const rows = blockRows(text, collection, top);
  for (const index of change.removed) release(rows.rows[index]?.from ?? 0, rows.rows[index]?.to ?? 0);
  const commented: FreshLines = (insertion) => {
    const former = restated.filter(({ name }) => takerOf(name) === insertion);
    return [...commentsOf(former, rows), ...fresh(insertion)];
  };
  return isEmptied(entries.length, change) ? emptyBlock(slot, rows, change) : changeRows(rows, change, commented);
}

/** The comments of members, as lines above the one that takes their place. */
function commentsOf(members: readonly CollectionEntry[], { text, rows, collection }: EntryRows): string[] {
  const own = members.flatMap((one) => rows[collection.entries.indexOf(one)] ?? []);
  const found = own.flatMap(({ from, to }) => commentsIn(text.slice(from, to)));
  return found.map(({ source }) => ' '.repeat(collection.column) + source);
}

/** A new element is in brackets where all other mappings and lists in the list are. */
function freshElement({ entries }: Collection, value: JsonValue, at: EntryAt & Fresh): readonly string[] {
  const others = entries.flatMap(({ node }) => (isMap(node) || isSeq(node) ? node : []));
  const isInBrackets = others.length > 0 && others.every(isFlow) && (isJsonArray(value) || isJsonObject(value));
  return isInBrackets ? [`${' '.repeat(at.column)}- ${flowText(value, { flow: false })}`] : elementLines(value, at);
}

/** `{}` of a block collection becomes one, if the layout of its value is. `undefined` if brackets have to stay, as around a comment. */
function fillBrackets(
  { slot, collection }: CollectionAt,
  { inserted }: EntryChanges,
  editing: TextEditing,
): Splice[] | undefined {
  const hasComment = editing.text.slice(...collection.range).includes('#');
  if (slot.around === 'flow' || hasComment) return undefined;
  const fresh = [...inserted.values()].flat().flatMap((one) => ('value' in one ? one : []));
  const value =
    collection.kind === 'list'
      ? fresh.map((one) => one.value)
      : objectFrom(fresh.map((one) => [one.name ?? '', one.value] as const));
  return replaceValue(slot, value, editing);
}

/** An empty block collection is written with brackets. Comments that belong to no entry stay. */
function emptyBlock({ around, entry }: Slot, rows: EntryRows, change: EntryChanges): Splice[] {
  const { text, collection } = rows;
  const empty = collection.kind === 'mapping' ? '{}' : '[]';
  if (around === 'document') {
    const inserted = new Map([[-1, [{ name: undefined, value: {} }]]]);
    return changeRows(rows, { removed: change.removed, inserted }, () => [empty]);
  }
  if (rows.rows[0]?.isOwn === true) {
    const removal = changeRows(rows, change, () => []);
    return [{ start: entry.valueAt, end: entry.valueAt, insert: ` ${empty}` }, ...removal];
  }
  const start = collection.entries[0]?.start ?? 0;
  return [{ start, end: beforeLineBreak(text, rows.rows.at(-1)?.to ?? start), insert: empty }];
}

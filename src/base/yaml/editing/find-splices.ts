/** Finds the smallest changes of a document's text that give the wished values. */

import { CST, Lexer, isAlias, isMap, isScalar, isSeq, type Document, type YAMLMap, type YAMLSeq } from 'yaml';
import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonValue,
  objectFrom,
} from '../../json.ts';
import { keptInOrder } from '../../longest-increasing-subsequence.ts';
import { alignElements } from './align.ts';
import {
  type Insertion,
  isEmptied,
  type EntryChanges,
  blockRows,
  changeRows,
  type FreshLines,
  type EntryRows,
} from './rows.ts';
import { endOf, entriesOf, isEmptyNode, type CollectionEntry, isFlow, type Collection } from './entries.ts';
import { memberLines, elementLines, type EntryAt, type Fresh, flowText } from './value-text.ts';
import { isEmptyBrackets, replaceValue, offsetOf, type TextEditing, type Slot } from './replace.ts';
import {
  columnOf,
  isLineStart,
  lineBreakNear,
  lineEnd,
  spacesBefore,
  spliceLines,
  type Splice,
  beforeLineBreak,
} from './splice.ts';
import type { YamlEdit, YamlPath } from './edits.ts';
import { changeBrackets } from './brackets.ts';

/** `document`: absent in a text without one. */
export function findSplices(
  document: { readonly syntax: Document.Parsed; readonly value: JsonValue } | undefined,
  wanted: WantedParts,
  editing: TextEditing,
): Splice[] {
  const root = document?.syntax.contents ?? null;
  const value = document?.value ?? null;
  const start = root?.range?.[0] ?? 0;
  const entry: CollectionEntry = { start, end: start, valueAt: start, indicator: '', tag: undefined, node: root };
  const slot: Slot = { node: root, value, path: [], around: 'document', column: columnOf(editing.text, start), entry };
  const isVoid = root === null || isEmptyBrackets(root) || (isScalar(root) && root.value === null);
  if (!isVoid || editing.anchors.isUsed(root)) return changeSlot(slot, wanted, editing);
  return fillDocument(slot, wanted, { ...editing, end: document?.syntax.range[1] ?? editing.text.length });
}

/** A document with nothing in it gets its first members. */
function fillDocument(slot: Slot, wanted: WantedParts, editing: TextEditing & { readonly end: number }): Splice[] {
  const { text, end } = editing;
  const value = newValue(wanted, slot.entry.start, editing);
  if (!isJsonObject(value)) return [];
  const lines = definedKeys(value).flatMap((name) =>
    memberLines(name, value[name] as JsonValue, { ...editing, path: [], column: 0 }),
  );
  const below = lineEnd(text, end);
  if (slot.node === null || isEmptyNode(slot.node)) return [spliceLines(text, [below, below], lines)];
  const [start = 0, stop = 0] = slot.node.range ?? [];
  const eol = lineBreakNear(text, start);
  if (isLineStart(text, start)) return [{ start, end: stop, insert: lines.join(eol) }];
  return [{ start: start - spacesBefore(text, start), end: stop, insert: eol + lines.join(eol) }];
}

function changeSlot(slot: Slot, wanted: WantedNode, editing: TextEditing): Splice[] {
  if ('edits' in wanted && wanted.value !== undefined && jsonEquals(slot.value, wanted.value)) return [];
  const { node } = slot;
  const reason = isAlias(node) ? 'alias' : editing.anchors.isUsed(node) ? 'anchor' : undefined;
  if (reason !== undefined) {
    editing.refuse(editsIn(wanted), reason, offsetOf(slot));
    return [];
  }
  const collection = isMap(node) || isSeq(node) ? entriesOf(editing.text, node, editing.anchors.textOf) : undefined;
  if (collection !== undefined && isMap(node)) {
    const parts = partsOfMapping(slot.value, wanted);
    if (parts !== undefined) return changeMapping({ slot, node, collection }, parts, editing);
  }
  if (collection !== undefined && isSeq(node)) {
    const elements = elementsOf(slot.value, wanted);
    if (elements !== undefined) return changeList({ slot, node, collection, wanted }, elements, editing);
  }
  return changeWhole(slot, wanted, editing);
}

interface At<Syntax> extends CollectionAt {
  readonly node: Syntax;
}

/** The members that differ; `undefined` if the value becomes something other than a mapping. */
function partsOfMapping(before: JsonValue, wanted: WantedNode): WantedParts['parts'] | undefined {
  if (!('edits' in wanted))
    return [...wanted.parts.keys()].some((name) => typeof name === 'number') ? undefined : wanted.parts;
  const { value, edits } = wanted;
  if (!isJsonObject(value) || !isJsonObject(before)) return undefined;
  const names = [...new Set([...definedKeys(before), ...definedKeys(value)])];
  const differing = names.filter(
    (name) => !Object.hasOwn(before, name) || !jsonEquals(before[name], memberOf(value, name)),
  );
  return new Map(differing.map((name) => [name, { value: memberOf(value, name), edits }]));
}

function changeMapping(
  { slot, node, collection }: At<YAMLMap>,
  parts: WantedParts['parts'],
  editing: TextEditing,
): Splice[] {
  const { anchors, refuse } = editing;
  const byName = new Map(collection.entries.map(({ name }, index) => [name, index]));
  const merge = collection.entries.find((one) => one.merge);
  const removed = new Set<number>();
  const splices: Splice[] = [];
  const added: [string, JsonValue][] = [];
  for (const [key, wanted] of parts) {
    const name = String(key);
    const index = byName.get(name);
    const entry = collection.entries[index ?? -1];
    const value = isJsonObject(slot.value) ? memberOf(slot.value, name) : undefined;
    const goes = 'edits' in wanted && wanted.value === undefined;
    if (merge !== undefined && anchors.isMerged(node, name) && (entry === undefined || goes)) {
      refuse(editsIn(wanted), 'merge-key', merge.start);
    } else if (entry === undefined) {
      const fresh = newValue(wanted, offsetOf(slot), editing);
      if (fresh !== undefined) added.push([name, fresh]);
    } else if (goes && index !== undefined) {
      if (anchors.isUsedOutside(entry.start, entry.end)) refuse(editsIn(wanted), 'anchor', entry.start);
      else removed.add(index);
    } else
      splices.push(...changeSlot(slotAt({ slot, collection }, entry, { name, value: value ?? null }), wanted, editing));
  }
  const inserted = placeMembers({ slot, collection, removed }, added, editing);
  return [...splices, ...changeEntries({ slot, collection }, { removed, inserted }, editing)];
}

/** New members follow the member that usually is before them; without one they come last. */
function placeMembers(
  { slot, collection, removed }: CollectionAt & { readonly removed: ReadonlySet<number> },
  added: readonly (readonly [string, JsonValue])[],
  { layOut }: TextEditing,
): Map<number, Insertion[]> {
  const order = layOut.order?.(slot.path) ?? [];
  const rankOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : Infinity);
  const kept = [...collection.entries.keys()].filter((index) => !removed.has(index));
  const ranked =
    order.length === 0 ? [] : kept.map((index) => ({ index, rank: rankOf(collection.entries[index]?.name ?? '') }));
  const known = ranked.filter(({ rank }) => rank !== Infinity);
  const inserted = new Map<number, Insertion[]>();
  // Equal ranks, also unknown ones, keep their order.
  for (const [name, value] of added.toSorted(([a], [b]) => (rankOf(a) === rankOf(b) ? 0 : rankOf(a) - rankOf(b)))) {
    const isPlaced = known.length > 0 && rankOf(name) !== Infinity;
    const before = known.findLast(({ rank }) => rank < rankOf(name))?.index ?? -1;
    const after = isPlaced ? before : (kept.at(-1) ?? -1);
    inserted.set(after, [...(inserted.get(after) ?? []), { name, value }]);
  }
  return inserted;
}

interface WantedElement {
  /** The index before; `undefined` for a new element. */
  readonly former: number | undefined;
  readonly wanted: WantedNode | undefined;
  readonly value: JsonValue | undefined;
}

/** The elements afterwards; `undefined` if the value becomes something other than a list. */
function elementsOf(before: JsonValue, wanted: WantedNode): WantedElement[] | undefined {
  const values = isJsonArray(before) ? before : [];
  if ('edits' in wanted) {
    const { value, edits } = wanted;
    if (!isJsonArray(value)) return undefined;
    const former = alignElements(values, value);
    return value.map((one, index) => ({ former: former[index], wanted: { value: one, edits }, value: one }));
  }
  const indices = [...wanted.parts.keys()];
  if (indices.some((index) => typeof index !== 'number' || index < 0 || !Number.isInteger(index))) return undefined;
  const added = indices.map(Number).filter((index) => index >= values.length);
  return [...values.keys(), ...added.toSorted((a, b) => a - b)].flatMap((index): WantedElement[] => {
    const part = wanted.parts.get(index);
    const value = part === undefined ? values[index] : withWanted(values[index], part);
    return value === undefined ? [] : [{ former: index < values.length ? index : undefined, wanted: part, value }];
  });
}

function changeList(
  { slot, collection, wanted: list }: At<YAMLSeq> & { readonly wanted: WantedNode },
  elements: readonly WantedElement[],
  editing: TextEditing,
): Splice[] {
  const { anchors, refuse } = editing;
  const values = isJsonArray(slot.value) ? slot.value : [];
  const kept = keptInOrder(elements.map(({ former }) => former));
  const staying = new Set(elements.flatMap(({ former }) => former ?? []));
  const removed = new Set([...values.keys()].filter((index) => !kept.has(index)));
  for (const index of removed) {
    const { start = 0, end = 0 } = collection.entries[index] ?? {};
    const removal = 'edits' in list ? list : list.parts.get(index);
    if (removal !== undefined && !staying.has(index) && anchors.isUsedOutside(start, end)) {
      refuse(editsIn(removal), 'anchor', start);
    }
  }
  const splices: Splice[] = [];
  const inserted = new Map<number, Insertion[]>();
  let after = -1;
  for (const { former, wanted, value } of elements) {
    const entry = former === undefined ? undefined : collection.entries[former];
    const child =
      entry && slotAt({ slot, collection }, entry, { name: former ?? 0, value: values[former ?? 0] ?? null });
    const own = child === undefined || wanted === undefined ? [] : changeSlot(child, wanted, editing);
    if (former !== undefined && kept.has(former)) {
      splices.push(...own);
      after = former;
      continue;
    }
    const insertion =
      former === undefined ? { name: undefined, value: value ?? null } : { moved: former, splices: own };
    inserted.set(after, [...(inserted.get(after) ?? []), insertion]);
  }
  return [...splices, ...changeEntries({ slot, collection }, { removed, inserted }, editing)];
}

function slotAt(
  { slot, collection }: CollectionAt,
  entry: CollectionEntry,
  { name, value }: { readonly name: string | number; readonly value: JsonValue },
): Slot {
  const around = collection.flow ? 'flow' : 'block';
  return { node: entry.node, value, path: [...slot.path, name], around, column: collection.column, entry };
}

/** A value that replaces another one, or that is new. */
function changeWhole(slot: Slot, wanted: WantedNode, editing: TextEditing): Splice[] {
  const { node, value: before } = slot;
  const edits = editsIn(wanted);
  const hasMembers = before === null || (isMap(node) && isJsonObject(before));
  if (!('edits' in wanted) && !(hasMembers && namesOnly(wanted))) {
    editing.refuse(edits, 'no-mapping', offsetOf(slot));
    return [];
  }
  const value = withWanted(before, wanted);
  if (value === undefined || jsonEquals(value, before)) return [];
  const isUsed = node !== null && editing.anchors.isUsedOutside(offsetOf(slot), endOf(node));
  const splices = isUsed ? undefined : replaceValue(slot, value, editing);
  if (splices === undefined) editing.refuse(edits, isUsed ? 'anchor' : 'tag', offsetOf(slot));
  return splices ?? [];
}

/** The value of a member that is not there yet; `undefined` if there is nothing to add. */
function newValue(wanted: WantedNode, offset: number, editing: TextEditing): JsonValue | undefined {
  if (namesOnly(wanted)) return withWanted(undefined, wanted);
  editing.refuse(editsIn(wanted), 'no-mapping', offset);
  return undefined;
}

/** Whether no index leads to a list that is not there. */
function namesOnly(wanted: WantedNode): boolean {
  if ('edits' in wanted) return true;
  return [...wanted.parts].every(([name, part]) => typeof name === 'string' && namesOnly(part));
}

type WantedNode = WantedValue | WantedParts;

/** `undefined`: no value after the edits. */
interface WantedValue {
  readonly value: JsonValue | undefined;
  readonly edits: readonly YamlEdit[];
}

/** Keys are names of members or indices of elements before the edits. */
interface WantedParts {
  readonly parts: Map<string | number, WantedNode>;
}

/** `overlapping`: edits of a value of which an earlier edit writes a part, or all. */
export function collectWanted(edits: readonly YamlEdit[]): { wanted: WantedParts; overlapping: readonly YamlEdit[] } {
  const wanted: WantedParts = { parts: new Map() };
  return { wanted, overlapping: edits.filter((edit) => !addWanted(wanted, edit.path, edit)) };
}

function addWanted({ parts }: WantedParts, [first = '', ...rest]: YamlPath, edit: YamlEdit): boolean {
  const known = parts.get(first);
  if (rest.length > 0) {
    if (known !== undefined && 'edits' in known) return false;
    const below = known ?? { parts: new Map() };
    parts.set(first, below);
    return addWanted(below, rest, edit);
  }
  if (known !== undefined && (!('edits' in known) || !isSame(known.value, edit.value))) return false;
  parts.set(first, { value: edit.value, edits: [...(known?.edits ?? []), edit] });
  return true;
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : jsonEquals(a, b);
}

function editsIn(wanted: WantedNode): readonly YamlEdit[] {
  return 'edits' in wanted ? wanted.edits : [...wanted.parts.values()].flatMap(editsIn);
}

/** The value after the edits; `undefined` if it is removed or never existed. */
export function withWanted(value: JsonValue | undefined, wanted: WantedNode): JsonValue | undefined {
  if ('edits' in wanted) return wanted.value;
  return isJsonArray(value) ? withElements(value, wanted) : withMembers(value, wanted);
}

function withElements(value: readonly JsonValue[], { parts }: WantedParts): JsonValue {
  const added = [...parts.keys()].filter((index) => Number(index) >= value.length);
  const indices = [...value.keys(), ...added.map(Number).toSorted((a, b) => a - b)];
  return indices.flatMap((index) => {
    const part = parts.get(index);
    const after = part === undefined ? value[index] : withWanted(value[index], part);
    return after === undefined ? [] : [after];
  });
}

function withMembers(value: JsonValue | undefined, { parts }: WantedParts): JsonValue | undefined {
  const object = isJsonObject(value) ? value : {};
  const members = new Map(definedKeys(object).map((name) => [name, object[name] as JsonValue]));
  for (const [name, part] of parts) {
    const after = withWanted(members.get(String(name)), part);
    if (after === undefined) members.delete(String(name));
    else members.set(String(name), after);
  }
  // Removing what is not there adds no mapping.
  return isJsonObject(value) || members.size > 0 ? objectFrom(members) : value;
}

interface CollectionAt {
  readonly slot: Slot;
  readonly collection: Collection;
}

function changeEntries({ slot, collection }: CollectionAt, change: EntryChanges, editing: TextEditing): Splice[] {
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

interface Comment {
  readonly source: string;
  readonly offset: number;
}

/** Whether a comment is gone that is not within what was released. */
export function losesComment(
  before: string,
  after: string,
  released: readonly (readonly [start: number, end: number])[],
): boolean {
  const left = commentsIn(after).map(({ source }) => source);
  return commentsIn(before)
    .filter(({ offset }) => !released.some(([start, end]) => start <= offset && offset < end))
    .some(({ source }) => {
      const at = left.indexOf(source);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
}

function commentsIn(text: string): readonly Comment[] {
  const found: Comment[] = [];
  let offset = 0;
  let isScalar = false;
  for (const source of new Lexer().lex(text)) {
    if (source.startsWith('#') && !isScalar) found.push({ source: source.trimEnd(), offset });
    isScalar = source === CST.SCALAR;
    if (!MARKS.has(source)) offset += source.length;
  }
  return found;
}

/** Lexemes that stand for no text. */
const MARKS: ReadonlySet<string> = new Set([CST.SCALAR, CST.DOCUMENT, CST.FLOW_END]);

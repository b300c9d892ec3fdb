/** Writes values into YAML text. Every other character of the text, comments included, stays as it is. */

import { definedKeys, isJsonObject, jsonEquals, objectFrom, type JsonObject, type JsonValue } from '../json.ts';
import { parseText, readYaml } from './read.ts';
import { findSplices, type LayOut, type Splice, type Wanted } from './splices.ts';

/**
 * One value to write. The path leads from the top of the document through mappings (names) and lists (indices, as they are before
 * the edits). Mappings that are missing on the way are added; the index after the last one adds an element. `value` undefined removes
 * the member or element. `document`, counted from 0; absent: the first one that has most of the path.
 */
export interface YamlEdit {
  readonly path: readonly [string, ...(string | number)[]];
  readonly value: JsonValue | undefined;
  readonly document?: number;
}

/** An edit that sets a member and passes no list. */
export interface MemberEdit extends YamlEdit {
  readonly path: readonly [string, ...string[]];
  readonly value: JsonValue;
}

/**
 * Why an edit is not made. `unreadable`: the text has mistakes. `alias`, `merge-key`: the value comes from there. `anchor`: the value is
 * used elsewhere too. `tag`: the value has a tag that cannot say the new one. `no-mapping`: the path passes something other than a
 * mapping or a list, or misses an element. `overlapping`: another edit writes a part of the value. `unwritable`: YAML cannot say the value.
 * `reads-differently`: the edited text would not read as wished.
 */
export type EditRefusal =
  | 'unreadable'
  | 'alias'
  | 'merge-key'
  | 'anchor'
  | 'tag'
  | 'no-mapping'
  | 'overlapping'
  | 'unwritable'
  | 'reads-differently';

export interface RefusedEdit<Edit extends YamlEdit = YamlEdit> {
  readonly edit: Edit;
  readonly reason: EditRefusal;
  /** Where the value that cannot be edited is written, counted from 1. */
  readonly line: number;
  readonly column: number;
}

export interface EditedYaml<Edit extends YamlEdit = YamlEdit> {
  readonly text: string;
  /** Edits that the text cannot take without changing something else, such as one within an anchor. The text lacks them. */
  readonly refused: readonly RefusedEdit<Edit>[];
}

/** The edited text is read again: it must differ from the text before in the edited values and in nothing else. */
export function editYaml<Edit extends YamlEdit>(
  text: string,
  edits: readonly Edit[],
  layOut: LayOut,
): EditedYaml<Edit> {
  const refuse = (edit: Edit): RefusedEdit<Edit> => ({ edit, reason: 'reads-differently', line: 1, column: 1 });
  const needed = edits.filter((edit) => !isMemberEdit(edit) || !isSet(text, edit));
  const possible = needed.filter(isMemberEdit);
  const refused = needed.filter((edit) => !isMemberEdit(edit)).map(refuse);
  const together = tryEdits(text, possible, layOut);
  if (together !== undefined) return { text: together, refused };
  let current = text;
  for (const edit of possible) {
    const next = tryEdits(current, [edit], layOut);
    if (next === undefined) refused.push(refuse(edit));
    else current = next;
  }
  return { text: current, refused };
}

function isMemberEdit<Edit extends YamlEdit>(edit: Edit): edit is Edit & MemberEdit {
  return (
    edit.value !== undefined &&
    edit.document === undefined &&
    edit.path.every((name): name is string => typeof name === 'string')
  );
}

function isSet(text: string, { path, value }: MemberEdit): boolean {
  const documents = valuesOf(text) ?? [];
  return jsonEquals(memberAt(documents[chooseDocument(documents, path)], path), value);
}

/** `undefined` if the text would read differently than the edits say. */
function tryEdits(text: string, edits: readonly MemberEdit[], layOut: LayOut): string | undefined {
  const before = valuesOf(text);
  if (before === undefined) return undefined;
  const parsed = parseText(text) ?? [];
  const expected = [...before];
  const splices: Splice[] = [];
  for (const [index, wanted] of byDocument(before, edits)) {
    const found = findSplices({ text, document: parsed[index], wanted, layOut });
    if (found === undefined) return undefined;
    splices.push(...found);
    expected[index] = withMembers(before[index] ?? null, wanted);
  }
  const edited = applySplices(text, splices);
  return jsonEquals(valuesOf(edited), expected) ? edited : undefined;
}

/** The values of the documents; `undefined` if one of them cannot be read. */
function valuesOf(text: string): readonly JsonValue[] | undefined {
  const { documents, diagnostics } = readYaml('', text);
  return diagnostics.length > 0 ? undefined : documents.map(({ value }) => value);
}

function byDocument(documents: readonly JsonValue[], edits: readonly MemberEdit[]): Map<number, Wanted> {
  const wanted = new Map<number, Wanted>();
  for (const { path, value } of edits) {
    const index = chooseDocument(documents, path);
    const tree: Wanted = wanted.get(index) ?? new Map();
    wanted.set(index, tree);
    addWanted(tree, path, value);
  }
  return wanted;
}

function addWanted(tree: Wanted, [name, ...rest]: MemberEdit['path'], value: JsonValue): void {
  const [next, ...deeper] = rest;
  if (next === undefined) {
    tree.set(name, { value });
    return;
  }
  const known = tree.get(name);
  const below: Wanted = known instanceof Map ? known : new Map();
  tree.set(name, below);
  addWanted(below, [next, ...deeper], value);
}

function chooseDocument(documents: readonly JsonValue[], path: readonly string[]): number {
  const depths = documents.map((document) => depthOf(document, path));
  return Math.max(depths.indexOf(Math.max(...depths)), 0);
}

/** How many mappings of the path there are. */
function depthOf(value: JsonValue | undefined, path: readonly string[]): number {
  const [name, ...rest] = path;
  if (name === undefined || !isJsonObject(value) || !Object.hasOwn(value, name)) return 0;
  return 1 + depthOf(value[name], rest);
}

function memberAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (current, name) => (isJsonObject(current) && Object.hasOwn(current, name) ? current[name] : undefined),
    value,
  );
}

function withMembers(value: JsonValue, wanted: Wanted): JsonObject {
  const object = isJsonObject(value) ? value : {};
  const own = new Map(definedKeys(object).map((name) => [name, object[name] as JsonValue]));
  for (const [name, member] of wanted) {
    own.set(name, member instanceof Map ? withMembers(own.get(name) ?? null, member) : member.value);
  }
  return objectFrom(own);
}

function applySplices(text: string, splices: readonly Splice[]): string {
  // From the end, so that the places of the splices before stay right. At one place, the inner mapping comes first.
  return splices
    .toReversed()
    .toSorted((a, b) => b.start - a.start)
    .reduce((current, { start, end, insert }) => current.slice(0, start) + insert + current.slice(end), text);
}

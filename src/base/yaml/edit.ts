/** Sets members in YAML text. Every other character of the text, comments included, stays as it is. */

import { definedKeys, isJsonObject, jsonEquals, objectFrom, type JsonObject, type JsonValue } from '../json.ts';
import { parseText, readYaml } from './read.ts';
import { findSplices, type LayOut, type Splice, type Wanted } from './splices.ts';

export interface MemberEdit {
  /** From the top of the document to the member. Mappings that are missing on the way are added. */
  readonly path: readonly [string, ...string[]];
  readonly value: JsonValue;
}

export interface EditedYaml {
  readonly text: string;
  /** Edits that the text cannot take without changing something else, such as one within an anchor. The text lacks them. */
  readonly refused: readonly MemberEdit[];
}

/**
 * The edited text is read again: it must differ from the text before in the edited members and in nothing else. In a file of
 * several documents, the first one that has most of the path is edited.
 */
export function editYaml(text: string, edits: readonly MemberEdit[], layOut: LayOut): EditedYaml {
  const needed = edits.filter((edit) => !isSet(text, edit));
  const together = tryEdits(text, needed, layOut);
  if (together !== undefined) return { text: together, refused: [] };
  let current = text;
  const refused: MemberEdit[] = [];
  for (const edit of needed) {
    const next = tryEdits(current, [edit], layOut);
    if (next === undefined) refused.push(edit);
    else current = next;
  }
  return { text: current, refused };
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

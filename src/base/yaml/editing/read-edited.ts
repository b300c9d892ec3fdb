/**
 * Reads text for editing: its values, and the syntax of the parts that edits change. The parser of all YAML takes several times as long
 * as the reader of simple files, so it gets comments in place of the other parts.
 */

import type { Node } from 'yaml';
import { isJsonArray, isJsonObject, jsonEquals, memberOf, objectFrom, type JsonValue } from '../../json.ts';
import { readSyntax, type YamlDocument, type YamlFile, type YamlSyntax } from '../read.ts';
import type { YamlEdit, YamlPath } from './edits.ts';
import { hasListStyle } from './fresh.ts';

type SyntaxFile = ReturnType<typeof readSyntax>;

/** The edits come out as with the syntax of the whole text, which ends with a line break. */
export function readEdited(text: string, edits: readonly YamlEdit[], read: (text: string) => YamlFile): SyntaxFile {
  const document = readParts(text, edits, read);
  return document === undefined ? readWhole(text) : { documents: [document], diagnostics: [] };
}

function readWhole(text: string): SyntaxFile {
  return readSyntax('', text, { keepSourceTokens: true });
}

/** `undefined` if the edits may need more. */
function readParts(text: string, edits: readonly YamlEdit[], read: (text: string) => YamlFile): YamlSyntax | undefined {
  const { documents, isSimple } = read(text);
  const [whole] = documents;
  if (whole === undefined || !isSimple) return undefined;
  const sections = membersOf(whole, []).map((section) => ({ ...section, parts: membersOf(section, section.path) }));
  const edited = findEdited(sections, edits);
  if (edited === undefined) return undefined;
  const blocks = sections.flatMap(({ parts }) => parts.filter(isBelowKey));
  // A new list is indented like the first one.
  const model = edits.every(isScalarOfMember) ? undefined : blocks.find(({ value }) => hasList(value));
  const hidden = new Set(blocks.filter((part) => part !== model && !edited.has(part)));
  const [shown] = readWhole(hideParts(text, sections, hidden)).documents;
  if (shown === undefined || !jsonEquals(shown.value, valueWithout(hidden, sections))) return undefined;
  const isStyled = model === undefined || hasListStyle(text, shown.syntax.getIn(model.path, true) as Node);
  return isStyled ? { ...whole, syntax: shown.syntax } : undefined;
}

interface Member extends YamlDocument {
  readonly path: YamlPath;
}

/** A member at the top, with its own members. */
interface Section extends Member {
  readonly parts: readonly Member[];
}

/** Sorted as in the text. */
function membersOf({ value, places: { children = {} } }: YamlDocument, path: YamlPath): Member[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(children)
    .map(([name, places]) => ({ path: [...path, name], value: memberOf(value, name) ?? null, places }))
    .toSorted((a, b) => lineOf(a) - lineOf(b));
}

function lineOf({ places }: Member): number {
  return places.place.line;
}

/** `undefined` if an edit changes something else than what is in the parts. */
function findEdited(sections: readonly Section[], edits: readonly YamlEdit[]): ReadonlySet<Member> | undefined {
  const byName = new Map(
    sections.map(({ path, parts }) => [path[0], new Map(parts.map((part) => [part.path[1], part]))]),
  );
  const found = edits.map(({ path: [section, name, inner], document = 0 }) =>
    document > 0 || inner === undefined ? undefined : byName.get(section)?.get(name),
  );
  return found.includes(undefined) ? undefined : new Set(found as Member[]);
}

/** Whether the edit writes no list, and into none. */
function isScalarOfMember({ path, value }: YamlEdit): boolean {
  const isScalar = value !== undefined && !isJsonArray(value) && !isJsonObject(value);
  return isScalar && path.every((name) => typeof name === 'string');
}

/** Whether it is a mapping that begins in a line below its key. */
function isBelowKey(part: Member): boolean {
  const [first] = membersOf(part, []);
  return first !== undefined && lineOf(first) > lineOf(part);
}

function hasList(value: JsonValue): boolean {
  return isJsonArray(value) || (isJsonObject(value) && Object.values(value).some((one) => hasList(one ?? null)));
}

/** The text with comments of the same length in place of hidden parts. */
function hideParts(text: string, sections: readonly Section[], hidden: ReadonlySet<Member>): string {
  const keys = sections.flatMap((section) => [section, ...section.parts]);
  const isHiddenFrom = new Map(keys.map((key) => [lineOf(key), hidden.has(key)]));
  const shown: string[] = [];
  let isHidden = false;
  let length = 0;
  const endComment = (): void => {
    if (length > 0) shown.push('#'.repeat(length - 1));
    length = 0;
  };
  let number = 0;
  for (const line of text.slice(0, -1).split('\n')) {
    number += 1;
    isHidden = isHiddenFrom.get(number) ?? isHidden;
    if (isHidden) length += line.length + 1;
    else {
      endComment();
      shown.push(line);
    }
  }
  endComment();
  return `${shown.join('\n')}\n`;
}

function valueWithout(hidden: ReadonlySet<Member>, sections: readonly Section[]): JsonValue {
  return mappingOf(sections, ({ parts, value }) => {
    const shown = parts.filter((part) => !hidden.has(part));
    return shown.length === parts.length ? value : shown.length === 0 ? null : mappingOf(shown, (part) => part.value);
  });
}

function mappingOf<One extends Member>(members: readonly One[], valueOf: (one: One) => JsonValue): JsonValue {
  return objectFrom(members.map((one) => [String(one.path.at(-1)), valueOf(one)] as const));
}

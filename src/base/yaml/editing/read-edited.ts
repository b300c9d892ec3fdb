/**
 * Reads text for editing: its values, and the syntax of the parts that edits change. The parser for all YAML takes several times as long as
 * the reader of simple files, so comments replace the other parts before it reads them.
 */

import type { Node } from 'yaml';
import { isJsonArray, isJsonObject, jsonEquals, memberOf, objectFrom, type JsonValue } from '../../json.ts';
import { toPointer, valueAt } from '../../json-pointer.ts';
import { readSyntax, type YamlDocument, type YamlFile, type YamlSyntax } from '../read.ts';
import type { YamlEdit, YamlPath } from './edits.ts';
import { hasListStyle } from './fresh.ts';

type SyntaxFile = ReturnType<typeof readSyntax>;

/** The edits come out as with the syntax of the whole text, which ends with a line break. */
export function readEdited(text: string, edits: readonly YamlEdit[], read: (text: string) => YamlFile): SyntaxFile {
  const document = readParts(text, edits, read);
  if (document !== undefined) return { documents: [document], diagnostics: [], missing: [] };
  return readSyntax('', text, { keepSourceTokens: true });
}

/** `undefined` if the edits may need more. */
function readParts(text: string, edits: readonly YamlEdit[], read: (text: string) => YamlFile): YamlSyntax | undefined {
  const { documents, isSimple } = read(text);
  const [whole] = documents;
  if (whole === undefined || !isSimple) return undefined;
  const sections = membersOf(whole, []).map((section) => ({ section, parts: membersOf(section, section.path) }));
  const edited = groupByPart(sections, edits);
  if (edited === undefined) return undefined;
  // A new list is indented like the first one.
  const model = edits.every(isScalarOfMember)
    ? undefined
    : sections.flatMap(({ parts }) => parts).find((part) => isBelowKey(part) && hasList(part.value));
  const views = sections.map(({ section, parts }): MemberView => {
    const inside = parts.map((part) => viewPart(part, part === model ? [] : edited.get(part)));
    return { member: section, isHidden: false, inside };
  });
  const [shown] = readSyntax('', hideParts(text, views), { keepSourceTokens: true, isSimple: true }).documents;
  if (shown === undefined || !jsonEquals(shown.value, shownValue(whole.value, views))) return undefined;
  const isStyled = model === undefined || hasListStyle(text, shown.syntax.getIn(model.path, true) as Node);
  return isStyled ? { ...whole, syntax: shown.syntax } : undefined;
}

interface LocatedMember extends YamlDocument {
  readonly path: YamlPath;
}

/** Whether the parser gets comments in place of a member. */
interface MemberView {
  readonly member: LocatedMember;
  readonly isHidden: boolean;
  /** The same of its own members; empty where they are shown or hidden with it. */
  readonly inside: readonly MemberView[];
}

/** A member at the top, with its own members. */
interface TopMember {
  readonly section: LocatedMember;
  readonly parts: readonly LocatedMember[];
}

/** Sorted as in the text. */
function membersOf({ value, places: { children = {} } }: YamlDocument, path: YamlPath): LocatedMember[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(children)
    .map(([name, places]) => ({ path: [...path, name], value: memberOf(value, name) ?? null, places }))
    .toSorted((a, b) => lineOf(a) - lineOf(b));
}

function lineOf({ places }: LocatedMember): number {
  return places.place.line;
}

/** The edits of each part; `undefined` if one changes something else than what is in the parts. */
function groupByPart(
  sections: readonly TopMember[],
  edits: readonly YamlEdit[],
): ReadonlyMap<LocatedMember, readonly YamlEdit[]> | undefined {
  const byName = new Map(
    sections.map(({ section, parts }) => [section.path[0], new Map(parts.map((part) => [part.path[1], part]))]),
  );
  const found = new Map<LocatedMember, YamlEdit[]>();
  for (const edit of edits) {
    const [section, name, inner] = edit.path;
    const part = byName.get(section)?.get(name);
    if (part === undefined || inner === undefined || (edit.document ?? 0) > 0) return undefined;
    const own = found.get(part);
    if (own === undefined) found.set(part, [edit]);
    else own.push(edit);
  }
  return found;
}

/** `edits`: of the part; absent if there are none. */
function viewPart(part: LocatedMember, edits: readonly YamlEdit[] | undefined): MemberView {
  if (edits === undefined) return { member: part, isHidden: isBelowKey(part), inside: [] };
  // A member that comes or goes has its place among the others.
  const isOpen = edits.length > 0 && edits.every((edit) => isScalarForScalar(edit, part));
  if (!isOpen) return { member: part, isHidden: false, inside: [] };
  const names = new Set(edits.map(({ path }) => path[2]));
  const inside = membersOf(part, part.path).map((member): MemberView => {
    return { member, isHidden: isBelowKey(member) && !names.has(member.path[2]), inside: [] };
  });
  return { member: part, isHidden: false, inside };
}

/** Whether the edit puts one scalar in place of another. */
function isScalarForScalar({ path, value }: YamlEdit, part: LocatedMember): boolean {
  return isScalar(value) && isScalar(valueAt(part.value, toPointer(path.slice(part.path.length))));
}

function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && !isJsonArray(value) && !isJsonObject(value);
}

/** Whether the edit writes no list, and into none. */
function isScalarOfMember({ path, value }: YamlEdit): boolean {
  return isScalar(value) && path.every((name) => typeof name === 'string');
}

/** Whether it is a mapping that begins in a line below its key. */
function isBelowKey({ value, places: { place, children = {} } }: LocatedMember): boolean {
  const lines = Object.values(children).map((inner) => inner.place.line);
  return isJsonObject(value) && lines.length > 0 && lines.every((line) => line > place.line);
}

function hasList(value: JsonValue): boolean {
  return isJsonArray(value) || (isJsonObject(value) && Object.values(value).some((one) => hasList(one ?? null)));
}

/** The text with comments of the same length in place of what is hidden. */
function hideParts(text: string, views: readonly MemberView[]): string {
  const isHiddenFrom = decisionsByLine(views);
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

/** The decisions by the line in which a member begins. */
function decisionsByLine(
  views: readonly MemberView[],
  found = new Map<number, boolean>(),
): ReadonlyMap<number, boolean> {
  for (const { member, isHidden, inside } of views) {
    found.set(lineOf(member), isHidden);
    decisionsByLine(inside, found);
  }
  return found;
}

/** The value without what is hidden in it. */
function shownValue(value: JsonValue, views: readonly MemberView[]): JsonValue {
  if (views.every(({ isHidden, inside }) => !isHidden && inside.length === 0)) return value;
  const shown = views.filter(({ isHidden }) => !isHidden);
  if (shown.length === 0) return null;
  return objectFrom(shown.map(({ member, inside }) => [String(member.path.at(-1)), shownValue(member.value, inside)]));
}

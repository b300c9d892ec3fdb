/** Checks that an edit of styled YAML keeps the lines in which nothing changes. */

import { expect } from 'vitest';
import {
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import { keptInOrder } from '../../src/base/longest-increasing-subsequence.ts';
import { alignElements, type Alignment } from '../../src/base/yaml/editing/align.ts';
import type { StyledYaml } from './styled-yaml.ts';

export interface Edited {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** What reads as `after`. */
  readonly text: string;
  /** The elements that elements were; absent: as an edit pairs them (`align.test.ts` has the laws of that). */
  readonly pair?: Pair;
}

export type Pair = (before: JsonArray, after: JsonArray) => Alignment;

/** Elements keep their places where their number does not change. */
export const inPlace: Pair = (before, after) =>
  before.length === after.length ? [...after.keys()] : alignElements(before, after);

/** Every comment of the text, for edits by which nothing goes. */
export function expectAllComments(before: string, after: string): void {
  const comments = new Set(commentsIn(after).map(({ comment }) => comment));
  expect(
    commentsIn(before).flatMap(({ comment }) => (comments.has(comment) ? [] : comment)),
    after,
  ).toEqual([]);
}

/** Every such line is there, in its order, with its spaces; and so is every comment whose value or entry is still there. */
export function expectKept(styled: StyledYaml, { before, after, text, pair = alignElements }: Edited): void {
  const differences = differencesOf(before, after, { pointer: '', pair });
  const found = linesOf(text).map(withoutBreak);
  let from = 0;
  for (const line of untouchedLines(styled, differences)) {
    from = found.indexOf(withoutBreak(line), from) + 1;
    expect(from, `the line ${JSON.stringify(line)} in ${JSON.stringify(text)}`).toBeGreaterThan(0);
  }
  const comments = new Set(commentsIn(text).map(({ comment }) => comment));
  expect(
    keptComments(styled, differences).filter((comment) => !comments.has(comment)),
    text,
  ).toEqual([]);
}

/** The pointers of what differs: of members and elements that come or go, and of values that are not of one kind. */
interface Differences {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Elements that stand elsewhere now. */
  readonly moved: readonly string[];
  /** Mappings and lists that get or lose members or elements. */
  readonly resized: readonly string[];
  /** Those of them that are empty before or afterwards. */
  readonly emptied: readonly string[];
}

const NONE: Differences = { changed: [], removed: [], moved: [], resized: [], emptied: [] };

interface At {
  readonly pointer: string;
  readonly pair: Pair;
}

function differencesOf(before: JsonValue, after: JsonValue, { pointer, pair }: At): Differences {
  if (jsonEquals(before, after)) return NONE;
  if (isJsonArray(before) && isJsonArray(after)) return elementDifferences(before, after, { pointer, pair });
  if (!isJsonObject(before) || !isJsonObject(after)) return { ...NONE, changed: [pointer] };
  const names = Object.keys(before);
  const below = names.map((one): Differences => {
    const path = `${pointer}/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(after, one)) return { ...NONE, removed: [path], resized: [pointer] };
    return differencesOf(before[one] as JsonValue, after[one] as JsonValue, { pointer: path, pair });
  });
  const isExtended = Object.keys(after).some((one) => !Object.hasOwn(before, one));
  return together(pointer, [...below, ...(isExtended ? [{ ...NONE, resized: [pointer] }] : [])], {
    isEmptied: names.length === 0 || Object.keys(after).length === 0,
  });
}

function elementDifferences(before: JsonArray, after: JsonArray, { pointer, pair }: At): Differences {
  const former = pair(before, after);
  const kept = keptInOrder(former);
  const below = before.map((element, from): Differences => {
    const path = `${pointer}/${from}`;
    const to = former.indexOf(from);
    if (to === -1) return { ...NONE, removed: [path], resized: [pointer] };
    const own = differencesOf(element, after[to] as JsonValue, { pointer: path, pair });
    return kept.has(from) ? own : { ...own, moved: [...own.moved, path], resized: [...own.resized, pointer] };
  });
  const isExtended = former.includes(undefined);
  return together(pointer, [...below, ...(isExtended ? [{ ...NONE, resized: [pointer] }] : [])], {
    isEmptied: before.length === 0 || after.length === 0,
  });
}

function together(
  pointer: string,
  all: readonly Differences[],
  { isEmptied }: { readonly isEmptied: boolean },
): Differences {
  return {
    changed: all.flatMap((one) => one.changed),
    removed: all.flatMap((one) => one.removed),
    moved: all.flatMap((one) => one.moved),
    resized: [...new Set(all.flatMap((one) => one.resized))],
    emptied: [...all.flatMap((one) => one.emptied), ...(isEmptied ? [pointer] : [])],
  };
}

type Range = readonly [number, number];

/** Lines that no changed value, removed or moved entry, or resized collection in brackets is in. Empty lines may go with an entry. */
function untouchedLines(styled: StyledYaml, differences: Differences): string[] {
  const { text, spans } = styled;
  const { changed, removed, moved, resized, emptied } = differences;
  const touched = [
    ...changed.map((pointer) => withBreakBefore(spanOf(spans, pointer).value)),
    ...[...removed, ...moved].map((pointer) => spanOf(spans, pointer).lines ?? [0, 0]),
    ...resized.map((pointer) => startOf(spans, pointer)),
    ...emptied.map((pointer) => withBreakBefore(startOf(spans, pointer))),
  ];
  let at = 0;
  return linesOf(text).filter((line) => {
    const [start, end] = [at, (at += line.length)];
    return line.trim() !== '' && touched.every(([from, to]) => to < start || from >= end);
  });
}

/** The comments outside of what goes, or becomes something else. */
function keptComments({ text, spans }: StyledYaml, { changed, removed, moved, resized }: Differences): string[] {
  const shrunk = resized.filter((pointer) => [...removed, ...moved].some((one) => one.startsWith(`${pointer}/`)));
  const gone = [
    ...changed.map((pointer) => spanOf(spans, pointer).value),
    ...removed.map((pointer) => spanOf(spans, pointer).lines ?? [0, 0]),
    ...shrunk.map((pointer): Range => (spans.get(pointer)?.isFlow === true ? spanOf(spans, pointer).value : [0, 0])),
  ];
  return commentsIn(text).flatMap(({ comment, at }) =>
    gone.some(([from, to]) => from <= at && at < to) ? [] : comment,
  );
}

function commentsIn(text: string): { readonly comment: string; readonly at: number }[] {
  return [...text.matchAll(/# comment \d+/g)].map(({ 0: comment, index }) => ({ comment: `${comment}.`, at: index }));
}

function spanOf(
  spans: StyledYaml['spans'],
  pointer: string,
): StyledYaml['spans'] extends ReadonlyMap<string, infer Span> ? Span : never {
  const span = spans.get(pointer);
  if (span === undefined) throw new Error(`Nothing is written for ${pointer}.`);
  return span;
}

/** A mapping or list in brackets changes as a whole; of another one, an entry may come before the first one in its line. */
function startOf(spans: StyledYaml['spans'], pointer: string): Range {
  const { value, isFlow } = spans.get(pointer) ?? { value: [0, 0], isFlow: false };
  return isFlow ? value : [value[0], value[0]];
}

/** A value that begins a line is on the line of its key afterwards, or was. */
function withBreakBefore([start, end]: Range): Range {
  return [Math.max(start - 1, 0), end];
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function withoutBreak(line: string): string {
  return line.replace(/^\u{feff}|\r?\n$/gu, '');
}

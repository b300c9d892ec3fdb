/** Checks that an edit of styled YAML keeps the lines in which nothing changes. */

import { expect } from 'vitest';
import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { StyledYaml } from './styled-yaml.ts';

export interface Edited {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** What reads as `after`. */
  readonly text: string;
}

/** Every such line is there, in its order, with its comments and spaces. */
export function expectKept(styled: StyledYaml, { before, after, text }: Edited): void {
  const found = linesOf(text).map(withoutBreak);
  let from = 0;
  for (const line of untouchedLines(styled, differencesOf(before, after))) {
    from = found.indexOf(withoutBreak(line), from) + 1;
    expect(from, `the line ${JSON.stringify(line)} in ${JSON.stringify(text)}`).toBeGreaterThan(0);
  }
}

/** The pointers of what differs: of members and elements that come or go, and of values that are not of one kind. */
interface Differences {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Mappings and lists that get or lose members or elements. */
  readonly resized: readonly string[];
}

function differencesOf(before: JsonValue, after: JsonValue, pointer = ''): Differences {
  if (jsonEquals(before, after)) return { changed: [], removed: [], resized: [] };
  if (!isJsonObject(before) || !isJsonObject(after)) return { changed: [pointer], removed: [], resized: [] };
  const below = Object.keys(before).map((one): Differences => {
    const path = `${pointer}/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(after, one)) return { changed: [], removed: [path], resized: [pointer] };
    return differencesOf(before[one] as JsonValue, after[one] as JsonValue, path);
  });
  const added = Object.keys(after).some((one) => !Object.hasOwn(before, one));
  return {
    changed: below.flatMap((one) => one.changed),
    removed: below.flatMap((one) => one.removed),
    resized: [...new Set([...below.flatMap((one) => one.resized), ...(added ? [pointer] : [])])],
  };
}

/** Lines that no changed value, removed entry or resized collection in brackets is in. Empty lines may go with an entry. */
function untouchedLines({ text, spans }: StyledYaml, { changed, removed, resized }: Differences): string[] {
  const touched = [
    ...changed.map((pointer) => withBreakBefore(spanOf(spans, pointer).value)),
    ...removed.map((pointer) => spanOf(spans, pointer).lines ?? [0, 0]),
    ...resized.map((pointer) => flowAround(spans, pointer)),
  ];
  let at = 0;
  return linesOf(text).filter((line) => {
    const [start, end] = [at, (at += line.length)];
    return line.trim() !== '' && touched.every(([from, to]) => to < start || from >= end);
  });
}

function spanOf(
  spans: StyledYaml['spans'],
  pointer: string,
): StyledYaml['spans'] extends ReadonlyMap<string, infer Span> ? Span : never {
  const span = spans.get(pointer);
  if (span === undefined) throw new Error(`Nothing is written for ${pointer}.`);
  return span;
}

/** A mapping in brackets changes as a whole, and so does one that loses all its members: brackets come after its key. */
function flowAround(spans: StyledYaml['spans'], pointer: string): readonly [number, number] {
  const { value, isFlow } = spans.get(pointer) ?? { value: [0, 0], isFlow: false };
  return isFlow ? value : withBreakBefore([value[0], value[0]]);
}

/** A value that begins a line is on the line of its key afterwards, or was. */
function withBreakBefore([start, end]: readonly [number, number]): readonly [number, number] {
  return [Math.max(start - 1, 0), end];
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function withoutBreak(line: string): string {
  return line.replace(/^\u{feff}|\r?\n$/gu, '');
}

/** Reads and writes JSON text without changing numbers: those that `JSON.parse` rounds become a bigint or a `LongDecimal`. */

import { exactNumber, holdsRoundedNumber, isRounded, LongDecimal, STRING_OR_NUMBER } from './exact-number.ts';
import { memberOf, type JsonValue } from './json.ts';

/** @throws {SyntaxError} for invalid JSON text, as `JSON.parse` does. */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return LONG_NUMBER.test(text) && holdsRoundedNumber(text) ? parseExactly(text, value) : value;
}

/** `undefined` for invalid JSON text. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Reads JSON as ordinary code does: every number becomes a double. */
export function parseAsDoubles(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** Writes one line, or with `space` several lines as `JSON.stringify` does. */
export function stringifyJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space);
  } catch (error) {
    // A bigint throws; anything else that cannot be written throws again below.
    if (error instanceof TypeError) return stringifyExactly(value, space);
    throw error;
  }
}

/** A string as it is, any other value as JSON text. */
export function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/**
 * Matches what may be a number that a double cannot hold: more than 15 digits, or a large exponent. A cheap test for
 * megabytes of text; matches within strings are sorted out afterwards.
 */
const LONG_NUMBER = /(?:^|[[:,\s])-?(?:\d[\d.]{15}|[\d.]+[eE][+-]?\d{3})/;

/** Turns each such number into a string with a mark in front, which the reviver recognizes. */
function parseExactly(text: string, rounded: JsonValue): JsonValue {
  const mark = unusedMark(JSON.stringify(rounded));
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || !isRounded(token) ? token : `"${mark}${token}"`,
  );
  return JSON.parse(marked, (_, value: JsonValue) =>
    typeof value === 'string' && value.startsWith(mark) ? exactNumber(value.slice(mark.length)) : value,
  ) as JsonValue;
}

function stringifyExactly(value: unknown, space: number | undefined): string {
  const mark = unusedMark(JSON.stringify(value, withMark('')));
  return JSON.stringify(value, withMark(mark), space).replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

function withMark(mark: string): (this: Readonly<Record<string, unknown>>, key: string, value: unknown) => unknown {
  return function replace(key, value) {
    const own = memberOf(this, key);
    return typeof own === 'bigint' || own instanceof LongDecimal ? `${mark}${String(own)}` : value;
  };
}

/** A mark that does not occur in the text. */
function unusedMark(text: string): string {
  const used = new Set(Array.from(text.matchAll(/number-(\d+):/g), ([, number]) => number));
  let number = 0;
  while (used.has(String(number))) number += 1;
  return `number-${number}:`;
}

/** The scalars of simple YAML that are on one line: where they end, and their values. */

import { parseJson } from '../../json-text.ts';
import type { JsonPrimitive } from '../../json.ts';
import { unstorableCharacter } from '../../text.ts';
import { isLineEnd, NotSimple } from './cursor.ts';

const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKSLASH = 0x5c;

/** A plain scalar does not begin with a character that has a meaning of its own; `-` and `.` only before letters and digits. */
const FIRST = String.raw`(?:[^\s\-.?:,[\]{}#&*!|>'"%@\`]|[-.](?=\w))`;
/** A colon belongs to it before what cannot be white space or punctuation of YAML; space only before such a character. */
const IN_BLOCK = new RegExp(String.raw`${FIRST}(?:[^ :\n]|:(?=[^ \n])| +(?=[^ #:\n]))*`, 'y');
const IN_FLOW = new RegExp(String.raw`${FIRST}(?:[^ :\n,[\]{}]|:(?=[\w/])| +(?=[^ #:\n,[\]{}]))*`, 'y');

/** The end of the scalar that begins at an offset. */
export function endOfScalar(text: string, at: number, isInFlow: boolean): number {
  const code = text.charCodeAt(at);
  if (code === DOUBLE_QUOTE) return endOfDoubleQuoted(text, at);
  if (code === SINGLE_QUOTE) return endOfSingleQuoted(text, at);
  const plain = isInFlow ? IN_FLOW : IN_BLOCK;
  plain.lastIndex = at;
  if (!plain.test(text)) throw new NotSimple();
  return plain.lastIndex;
}

function endOfDoubleQuoted(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOUBLE_QUOTE) return at + 1;
    if (isLineEnd(code)) throw new NotSimple();
    if (code === BACKSLASH) at += 1;
  }
}

function endOfSingleQuoted(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (isLineEnd(code)) throw new NotSimple();
    if (code !== SINGLE_QUOTE) continue;
    if (text.charCodeAt(at + 1) !== SINGLE_QUOTE) return at + 1;
    at += 1;
  }
}

export function isQuoted(source: string): boolean {
  const code = source.charCodeAt(0);
  return code === DOUBLE_QUOTE || code === SINGLE_QUOTE;
}

/** The value of a scalar as it is written. */
export function scalarValue(source: string): JsonPrimitive {
  return isQuoted(source) ? quotedText(source) : plainValue(source);
}

export function quotedText(source: string): string {
  const content = source.slice(1, -1);
  if (source.charCodeAt(0) === SINGLE_QUOTE) return content.includes("'") ? content.replaceAll("''", "'") : content;
  return content.includes('\\') ? unescaped(source) : content;
}

/** The escapes of JSON mean the same in YAML. */
function unescaped(source: string): string {
  const value = jsonString(source);
  if (value === undefined || unstorableCharacter(value) !== undefined) throw new NotSimple();
  return value;
}

function jsonString(source: string): string | undefined {
  try {
    return parseJson(source) as string;
  } catch {
    return undefined;
  }
}

/** Decimals in the usual spelling. With so few digits a double holds them exactly. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MOST_DIGITS = 15;
/** Everything that the core schema may read as a number, and more. */
const LIKE_NUMBER = /^[-+]?(?:0[ox][\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\.(?:inf|nan))$/i;

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const LONGEST_WORD = 5;

function plainValue(source: string): JsonPrimitive {
  if (source.length <= LONGEST_WORD) {
    const word = WORDS.get(source);
    if (word !== undefined) return word;
  }
  if (source.charCodeAt(0) > NINE) return source;
  // Adding 0 makes 0 of -0.
  if (source.length <= MOST_DIGITS && DECIMAL.test(source)) return Number(source) + 0;
  if (LIKE_NUMBER.test(source)) throw new NotSimple();
  return source;
}

/** No number begins with a character above it. */
const NINE = 0x39;

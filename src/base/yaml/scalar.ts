/** Reads scalars and keys of YAML as JSON values, and reports those that JSON cannot represent. */

import { isAlias, isScalar, Scalar } from 'yaml';
import type { ProblemOf } from '../diagnostic.ts';
import { exactNumber, LongDecimal } from '../exact-number.ts';
import type { JsonValue } from '../json.ts';
import type { ValueProblems } from '../shape/problems.ts';
import { unstorableCharacter } from '../text.ts';

type ScalarProblem = ProblemOf<ValueProblems>;

export function readScalar(node: Scalar): { readonly value: JsonValue } | { readonly problem: ScalarProblem } {
  const { value } = node;
  if (typeof value === 'number') return readNumber(value, node.source);
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'boolean' || value === null) return { value };
  return { problem: { code: 'type-wrong', args: { expected: ['string'], found: typeof value } } };
}

export function readText(value: string): { readonly value: string } | { readonly problem: ScalarProblem } {
  const character = unstorableCharacter(value);
  return character === undefined ? { value } : { problem: { code: 'character-forbidden', args: { character } } };
}

/** A key as a string (`1:` and `true:` are `1` and `true`); `undefined` for a list, a mapping or an empty key. */
export function readKey(
  key: unknown,
  valueOfAnchor: (anchor: string) => JsonValue | undefined,
): { readonly text: string; readonly merge: boolean } | undefined {
  if (isAlias(key)) {
    const value = valueOfAnchor(key.source);
    return typeof value === 'string' ? { text: value, merge: false } : undefined;
  }
  if (!isScalar(key)) return undefined;
  if (typeof key.value === 'string') return { text: key.value, merge: key.value === '<<' && key.type === Scalar.PLAIN };
  return key.source === undefined || key.source === '' ? undefined : { text: key.source, merge: false };
}

// A number that a double would round is reported, since it would change.
function readNumber(value: number, source = String(value)): ReturnType<typeof readScalar> {
  if (/nan|inf/i.test(source)) {
    return { problem: { code: 'type-wrong', args: { expected: ['number'], found: source } } };
  }
  const exact = exactNumber(/^0[xo]/.test(source) ? String(BigInt(source)) : source);
  if (exact instanceof LongDecimal) return { problem: { code: 'number-imprecise', args: { found: source } } };
  return { value: Object.is(exact, -0) ? 0 : exact };
}

/**
 * `offset`: in the value, in UTF-16 units. Of white space, the place of what follows. Characters are counted without white
 * space, since that is what YAML changes. `undefined` for a scalar that was not read from a file.
 */
export function offsetInScalar(text: string, { range, type, value }: Scalar, offset: number): number | undefined {
  if (!Array.isArray(range) || typeof value !== 'string') return undefined;
  const [start, end] = range;
  const source = text.slice(start, end);
  const [first, unit] = formOf(source, type);
  let wanted = lengthOf(value.slice(0, offset));
  const isAtEnd = lengthOf(value.slice(offset)) === 0;
  let last = first;
  for (const match of source.slice(first).matchAll(unit)) {
    const length = lengthOf(written(match[0], type));
    if (length === 0) continue;
    if (wanted < length && !isAtEnd) return start + first + match.index;
    last = first + match.index + match[0].length;
    wanted -= length;
    if (wanted <= 0 && isAtEnd) break;
  }
  return start + last;
}

/** Where the content begins, and what matches one character of it. */
function formOf(source: string, type: Scalar['type']): readonly [number, RegExp] {
  if (type === Scalar.QUOTE_DOUBLE) return [1, /\\(?:x..|u.{4}|U.{8}|[\s\S])|[^"\\]/g];
  if (type === Scalar.QUOTE_SINGLE) return [1, /''|[^']/g];
  const isBlock = type === Scalar.BLOCK_FOLDED || type === Scalar.BLOCK_LITERAL;
  return [isBlock ? source.indexOf('\n') + 1 : 0, /[\s\S]/g];
}

/** Escapes of one character that stand for white space. A line break after a backslash stands for nothing. */
const BLANK = /^\\[\stnvfr_LP]$/;

/** The value of a character of the content; any other visible character stands in for one that is not white space. */
function written(unit: string, type: Scalar['type']): string {
  if (type === Scalar.QUOTE_SINGLE) return unit.slice(0, 1);
  if (type !== Scalar.QUOTE_DOUBLE || !unit.startsWith('\\')) return unit;
  if (BLANK.test(unit)) return ' ';
  return unit.length === 2 ? 'x' : String.fromCodePoint(Number.parseInt(unit.slice(2), 16));
}

function lengthOf(text: string): number {
  return text.replace(/\s/g, '').length;
}

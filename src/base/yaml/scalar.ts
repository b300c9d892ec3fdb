/** Reads scalars and keys of YAML as JSON values, and reports those that JSON cannot represent. */

import { isAlias, isScalar, Scalar } from 'yaml';
import type { ProblemOf } from '../diagnostic.ts';
import { exactNumber, LongDecimal } from '../exact-number.ts';
import type { JsonValue } from '../json.ts';
import type { ValueProblems } from '../shape/problems.ts';
import { unstorableCharacter } from '../text.ts';

export type ScalarProblem = ProblemOf<ValueProblems>;

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

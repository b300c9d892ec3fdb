/** Checks the expressions of own policies, and finds mistakes in the lines of the file. */

import { isScalar, Scalar } from 'yaml';
import { defined } from '../base/optional.ts';
import { type Place, createPlacer } from '../base/place.ts';
import { readSyntax } from '../base/yaml/read.ts';
import { compile } from '../review/policy/cel/language.ts';
import type { Policy } from '../review/policy/built-in.ts';
import type { ConfigDiagnostic } from './problems.ts';

/** `rules`: as the file has them, in its order. */
export function findExpressionProblems(
  rules: readonly Policy[],
  source: { readonly file: string; readonly text: string },
): ConfigDiagnostic[] {
  return rules.flatMap((policy, index) => {
    if (policy.rule !== 'own') return [];
    const compiled = compile(policy.when);
    if (!('mistake' in compiled)) return [];
    const { message: problem, remedy, offset } = compiled.mistake;
    const path = `/policies/rules/${index}/when`;
    const place = placeInside(source, index, offset) ?? policy.whenSource;
    const args = { name: policy.name, problem, ...defined({ remedy }) };
    return [{ code: 'policy-expression-invalid', severity: 'error', place, path, args } as const];
  });
}

/** `undefined` if the expression stands elsewhere, behind an alias. Only mistakes need the syntax tree. */
function placeInside(
  { file, text }: { readonly file: string; readonly text: string },
  index: number,
  offset: number,
): Place | undefined {
  const node = readSyntax(file, text, {}).documents[0]?.syntax.getIn(['policies', 'rules', index, 'when'], true);
  if (!isScalar(node)) return undefined;
  const found = offsetInScalar(text, node, offset);
  return found === undefined ? undefined : createPlacer(file, text)(found);
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

/** The operators of conditions, and what each asks of the value beside it. */

import { isJsonArray, type JsonValue } from '../../base/json.ts';
import { findOperator, OPERATORS, type OperandKind } from '../../evaluation/operators/operators.ts';

/** The values an operator goes with; `code` and `expected` make the answer to any other. */
interface ValueRule {
  readonly fits: (value: JsonValue) => boolean;
  readonly code: string;
  readonly expected: string;
}

const ANY: ValueRule = { fits: () => true, code: '', expected: '' };
/** Also for the comparisons: a number as text is what the service wants. */
const TEXT: ValueRule = {
  fits: (value) => typeof value === 'string',
  code: 'cross_field.operator_requires_string_value',
  expected: 'a text value',
};
const LIST: ValueRule = { fits: isJsonArray, code: 'cross_field.operator_requires_list_value', expected: 'a list' };
const DATE: ValueRule = {
  fits: isDate,
  code: 'cross_field.date_value_not_parseable',
  expected: 'a date or such as -7d',
};
const SEMVER: ValueRule = {
  fits: (value) => typeof value === 'string' && /^v?\d+(\.\d+){0,2}([-+][0-9a-z.+-]+)?$/i.test(value.trim()),
  code: 'cross_field.semver_value_invalid',
  expected: 'a version such as 1.2.3',
};
const SEMVER_WILDCARD: ValueRule = {
  ...SEMVER,
  fits: (value) => typeof value === 'string' && /^v?\d+(\.\d+){0,2}(\.[*x]){0,2}$/i.test(value.trim()),
  expected: 'a version such as 1.2.*',
};

const RULES: Readonly<Record<OperandKind, ValueRule>> = {
  none: ANY,
  scalars: ANY,
  string: TEXT,
  regex: TEXT,
  strings: LIST,
  'number-string': TEXT,
  'number-pair': LIST,
  date: DATE,
  semver: SEMVER,
  'semver-wildcard': SEMVER_WILDCARD,
  cohort: ANY,
  'flag-result': ANY,
};

/** What the value beside an operator must be; `undefined` for an operator that the service does not know. */
export function findValueRule(operator: string): ValueRule | undefined {
  const row = findOperator(operator);
  return row && RULES[row.operand];
}

const entries = Object.entries(OPERATORS);

/** The operators that are stored. */
export const OPERATOR_NAMES: readonly string[] = entries.flatMap(([name, { renamedTo }]) => (renamedTo ? [] : [name]));

/** Older names, stored as the current ones. */
export const OPERATOR_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  entries.flatMap(([name, { renamedTo }]) => (renamedTo ? [[name, renamedTo]] : [])),
);

export function isPatternOperator(operator: JsonValue | undefined): boolean {
  return typeof operator === 'string' && findOperator(operator)?.operand === 'regex';
}

/** The group that a Rust or Python pattern begins with in place of flags, and named groups as Python writes them. */
const FOREIGN_SYNTAX = /^\(\?[a-z]+\)|\(\?P(?=<)/g;

/** Whether a pattern is a regular expression, as far as JavaScript can tell. */
export function isRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern.replace(FOREIGN_SYNTAX, (found) => (found.endsWith('P') ? '(?' : ''))) instanceof RegExp;
  } catch {
    return false;
  }
}

function isDate(value: JsonValue): boolean {
  if (typeof value !== 'string') return false;
  return /^-?\d{1,4}[hdwmy]$/.test(value.trim()) || (/^\d{4}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value)));
}

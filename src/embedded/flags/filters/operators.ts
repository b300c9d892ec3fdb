/** The operators of conditions, and what each asks of the value beside it. */

import { isJsonArray, type JsonValue } from '../../../base/json.ts';

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

export const OPERATORS: Readonly<Record<string, ValueRule>> = {
  exact: ANY,
  is_not: ANY,
  is_set: ANY,
  is_not_set: ANY,
  icontains: TEXT,
  not_icontains: TEXT,
  icontains_multi: LIST,
  not_icontains_multi: LIST,
  starts_with: TEXT,
  not_starts_with: TEXT,
  ends_with: TEXT,
  not_ends_with: TEXT,
  regex: TEXT,
  not_regex: TEXT,
  gt: TEXT,
  gte: TEXT,
  lt: TEXT,
  lte: TEXT,
  between: LIST,
  not_between: LIST,
  is_date_before: DATE,
  is_date_after: DATE,
  is_date_exact: DATE,
  semver_eq: SEMVER,
  semver_neq: SEMVER,
  semver_gt: SEMVER,
  semver_gte: SEMVER,
  semver_lt: SEMVER,
  semver_lte: SEMVER,
  semver_tilde: SEMVER,
  semver_caret: SEMVER,
  semver_wildcard: SEMVER_WILDCARD,
  in: ANY,
  not_in: ANY,
  flag_evaluates_to: ANY,
};

export const OPERATOR_ALIASES = { min: 'gte', max: 'lte' } as const;

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

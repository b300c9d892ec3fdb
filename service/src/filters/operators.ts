/** The operators that the posthog profile accepts, and its rule for the value of each. */

import { isJsonArray, type JsonValue } from '../../../src/base/json.ts';
import { findOperator, OPERATORS, type OperandKind } from '../../../src/evaluation/match-property.ts';
import { isAcceptedDate } from '../../../src/evaluation/values/dates.ts';

/** The values that an operator accepts; `code` and `expected` describe the refusal of others. */
interface OperandRule {
  readonly fits: (value: JsonValue) => boolean;
  readonly code: string;
  readonly expected: string;
}

const ANY: OperandRule = { fits: () => true, code: '', expected: '' };
/** Applies to `gt`, `gte`, `lt` and `lte` too: the service wants numbers as strings. */
const TEXT: OperandRule = {
  fits: (value) => typeof value === 'string',
  code: 'cross_field.operator_requires_string_value',
  expected: 'a string',
};
const LIST: OperandRule = { fits: isJsonArray, code: 'cross_field.operator_requires_list_value', expected: 'a list' };
const DATE: OperandRule = {
  fits: isDate,
  code: 'cross_field.date_value_not_parseable',
  expected: 'a date or a relative date such as -7d',
};
const SEMVER: OperandRule = {
  fits: (value) => typeof value === 'string' && isVersion(value),
  code: 'cross_field.semver_value_invalid',
  expected: 'a version such as 1.2.3',
};
const SEMVER_WILDCARD: OperandRule = {
  ...SEMVER,
  fits: (value) => typeof value === 'string' && isVersion(value.replace(/[.*]+$/, '')),
  expected: 'a version such as 1.2.*',
};

const RULES: Readonly<Record<OperandKind, OperandRule>> = {
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

/** The rule for the value of an operator; `undefined` for an unknown operator. */
export function findValueRule(operator: string): OperandRule | undefined {
  const row = findOperator(operator);
  return row && RULES[row.operand];
}

const entries = Object.entries(OPERATORS);

/** The names that are stored. */
export const OPERATOR_NAMES: readonly string[] = entries.flatMap(([name, { renamedTo, evaluatedOnly }]) =>
  renamedTo || evaluatedOnly ? [] : [name],
);

/** Older names and the current names that replace them. */
export const OPERATOR_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  entries.flatMap(([name, { renamedTo }]) => (renamedTo ? [[name, renamedTo]] : [])),
);

export function isPatternOperator(operator: JsonValue | undefined): boolean {
  return typeof operator === 'string' && findOperator(operator)?.operand === 'regex';
}

/** The check reads dates in nearly any form. */
function isDate(value: JsonValue): boolean {
  if (typeof value !== 'string') return false;
  const [, relative] = /^-?(\d+)[hdwmy]$/.exec(value) ?? [];
  return relative === undefined ? isAcceptedDate(value) : Number(relative) < 10_000;
}

/** Requires one number; three are read, and nothing after the first hyphen. A leading `v` is not a number. */
function isVersion(text: string): boolean {
  const [base = ''] = text.split('-');
  return base
    .split('.')
    .slice(0, 3)
    .every((part) => /^\s*\+?\d+(_\d+)*\s*$/.test(part));
}

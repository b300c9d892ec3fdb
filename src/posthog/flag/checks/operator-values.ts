/** The values that fit each kind of operand, and the severity if one does not. */

import type { Severity } from '../../../base/diagnostic.ts';
import { isJsonArray, isJsonNumber, type JsonValue } from '../../../base/json.ts';
import type { OperandKind } from '../operators.ts';

export interface ValueRule {
  /** The description of fitting values for messages. */
  readonly expected: string;
  /** `undefined` when the value fits; error when the service refuses it, warning when it can never match. */
  readonly verdict: (value: JsonValue) => Severity | undefined;
}

/** The tests of docs/service.md, "Values". */
export const OPERAND_RULES: Readonly<Record<OperandKind, ValueRule>> = {
  none: { expected: 'anything', verdict: () => undefined },
  scalars: { expected: 'a string, number, boolean or a list of them', verdict: errorUnless(isScalarOrList) },
  string: { expected: 'a string', verdict: errorUnless(isString) },
  regex: { expected: 'a string', verdict: errorUnless(isString) },
  strings: {
    expected: 'a list of strings',
    verdict: errorUnless((value) => isJsonArray(value) && value.every(isString)),
  },
  // The service accepts any string here, but only a number can match.
  'number-string': {
    expected: 'a number in quotes',
    verdict: (value) => (!isString(value) ? 'error' : isNumberString(value) ? undefined : 'warning'),
  },
  // The service refuses the operators.
  'number-pair': { expected: 'a list of two numbers', verdict: () => undefined },
  date: { expected: 'a date such as "2025-03-01" or "-30d"', verdict: dateVerdict },
  // Accepts up to three numbers and a pre-release, without a leading `v`: evaluation knows it, but not the check of a write.
  semver: {
    expected: 'a version such as "1.2.3"',
    verdict: errorUnless(matches(/^\d+(\.\d+){0,2}(-[0-9A-Za-z.+-]+)?$/)),
  },
  'semver-wildcard': {
    expected: 'a version such as "1.2.*"',
    verdict: errorUnless(matches(/^(?=[^.]+(\.[^.]+){0,2}$)\d+(\.\d+)*(\.\*)*$/)),
  },
  cohort: { expected: 'a cohort id or alias', verdict: errorUnless(isCohort) },
  'flag-result': { expected: 'true, false or a variant', verdict: errorUnless(isFlagResult) },
};

function errorUnless(fits: (value: JsonValue) => boolean): ValueRule['verdict'] {
  return (value) => (fits(value) ? undefined : 'error');
}

function isString(value: JsonValue): value is string {
  return typeof value === 'string';
}

function isScalar(value: JsonValue): boolean {
  return typeof value === 'string' || isJsonNumber(value) || typeof value === 'boolean';
}

function isScalarOrList(value: JsonValue): boolean {
  return isScalar(value) || (isJsonArray(value) && value.every((element) => isScalar(element) || element === null));
}

function isNumberString(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

/** `7d` and `-7d` are seven days ago, in units of hours, days, weeks, months and years, below 10000. */
const RELATIVE_DATE = /^-?\d{1,4}[hdwmy]$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

// The service accepts some dates that its evaluation cannot read, such as a month.
function dateVerdict(value: JsonValue): Severity | undefined {
  if (!isString(value)) return 'error';
  if (RELATIVE_DATE.test(value)) return undefined;
  if (!/^\d{4}-\d{2}/.test(value) || Number.isNaN(Date.parse(value)) || !isDay(value)) return 'error';
  return DATE_TIME.test(value) ? undefined : 'warning';
}

// JavaScript reads 31 February as 2 March.
function isDay(text: string): boolean {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  if (day === undefined) return true;
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function matches(pattern: RegExp): (value: JsonValue) => boolean {
  return (value) => isString(value) && pattern.test(value);
}

function isCohort(value: JsonValue): boolean {
  if (isString(value)) return value !== '' && (!/^\d+$/.test(value) || isId(Number(value)));
  return typeof value === 'number' && isId(value);
}

function isId(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function isFlagResult(value: JsonValue): boolean {
  return typeof value === 'boolean' || (isString(value) && value !== '');
}

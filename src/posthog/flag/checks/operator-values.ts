/** For each kind of value that operators compare with: which values fit, and how bad it is when one does not. */

import type { Severity } from '../../../base/diagnostic.ts';
import { isJsonArray, isJsonNumber, type JsonValue } from '../../../base/json.ts';
import type { OperandKind } from '../operators.ts';

export interface ValueRule {
  /** What fits, as words of the messages name it. */
  readonly expected: string;
  /** `undefined` when the value fits; error when the service refuses it, warning when it can never match. */
  readonly verdict: (value: JsonValue) => Severity | undefined;
}

/** The tests of docs/service.md, "Values". */
export const OPERAND_RULES: Readonly<Record<OperandKind, ValueRule>> = {
  none: { expected: 'anything', verdict: () => undefined },
  scalars: { expected: 'a text, number, boolean or a list of them', verdict: errorUnless(isScalarOrList) },
  string: { expected: 'a text', verdict: errorUnless(isText) },
  regex: { expected: 'a text', verdict: errorUnless(isText) },
  strings: { expected: 'a list of texts', verdict: errorUnless((value) => isJsonArray(value) && value.every(isText)) },
  // The service takes any text here, but only one that reads as a number can match.
  'number-string': {
    expected: 'a number in quotes',
    verdict: (value) => (!isText(value) ? 'error' : isNumberText(value) ? undefined : 'warning'),
  },
  'number-pair': { expected: 'a list of two numbers', verdict: errorUnless(isNumberPair) },
  date: { expected: 'a date such as "2025-03-01" or "-30d"', verdict: dateVerdict },
  semver: {
    expected: 'a version such as "1.2.3"',
    verdict: errorUnless(matches(/^v?\d+(\.\d+){0,2}([-+][0-9A-Za-z.+-]+)?$/)),
  },
  'semver-wildcard': {
    expected: 'a version such as "1.2.*"',
    verdict: errorUnless(matches(/^v?(?=[^.]+(\.[^.]+){0,2}$)\d+(\.\d+)*(\.[*x])*$/)),
  },
  cohort: { expected: 'a cohort id or alias', verdict: errorUnless(isCohort) },
  'flag-result': { expected: 'true, false or a variant', verdict: errorUnless(isFlagResult) },
};

function errorUnless(fits: (value: JsonValue) => boolean): ValueRule['verdict'] {
  return (value) => (fits(value) ? undefined : 'error');
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string';
}

function isScalar(value: JsonValue): boolean {
  return typeof value === 'string' || isJsonNumber(value) || typeof value === 'boolean';
}

function isScalarOrList(value: JsonValue): boolean {
  return isScalar(value) || (isJsonArray(value) && value.every((element) => isScalar(element) || element === null));
}

function isNumberText(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

function isNumberPair(value: JsonValue): boolean {
  return (
    isJsonArray(value) &&
    value.length === 2 &&
    value.every((element) => isJsonNumber(element) || (isText(element) && isNumberText(element)))
  );
}

/** `7d` and `-7d` are seven days ago, in units of hours, days, weeks, months and years, below 10000. */
const RELATIVE_DATE = /^-?\d{1,4}[hdwmy]$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

// Some texts that the service stores as dates its evaluation cannot read, such as a month.
function dateVerdict(value: JsonValue): Severity | undefined {
  if (!isText(value)) return 'error';
  if (RELATIVE_DATE.test(value)) return undefined;
  if (!/^\d{4}-\d{2}/.test(value) || Number.isNaN(Date.parse(value)) || !isDay(value)) return 'error';
  return DATE_TIME.test(value) ? undefined : 'warning';
}

// JavaScript takes 31 February for 2 March.
function isDay(text: string): boolean {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  if (day === undefined) return true;
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function matches(pattern: RegExp): (value: JsonValue) => boolean {
  return (value) => isText(value) && pattern.test(value);
}

function isCohort(value: JsonValue): boolean {
  if (isText(value)) return value !== '' && (!/^\d+$/.test(value) || isId(Number(value)));
  return typeof value === 'number' && isId(value);
}

function isId(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function isFlagResult(value: JsonValue): boolean {
  return typeof value === 'boolean' || (isText(value) && value !== '');
}

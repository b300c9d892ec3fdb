/** Checks each property against the row of its operator. */

import type { Severity } from '../../../base/diagnostic.ts';
import { findPythonFault } from '../../../base/pattern/python.ts';
import { readPattern } from '../../../base/pattern/read-pattern.ts';
import { stringifyJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonNumber, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import type { FindingOf, Soundness } from '../../../core/manifest/declaration.ts';
import { isAcceptedDate, readDate } from '../model/dates.ts';
import type { Property } from '../model/flag.ts';
import { findOperator, type OperandKind } from '../model/operators.ts';
import type { FiltersView, PartAt } from '../model/view.ts';
import type { FlagFinding, FlagProblems } from './problems.ts';

type PatternFinding = FindingOf<Pick<FlagProblems, 'regex-invalid' | 'regex-unknown'>>;

export function checkOperators({ properties }: FiltersView, sound: Soundness): FlagFinding[] {
  return properties.flatMap((property) => {
    const [type, operator, value] = ['type', 'operator', 'value'].map((name) => sound.whole(`${property.at}/${name}`));
    const { part } = property;
    // Either is enough to know what the value must be: type cohort, or an operator on values only.
    const isOfValues = operator && findOperator(part.operator ?? '')?.subject === 'value';
    const isKindKnown = type ? operator || part.type === 'cohort' : isOfValues;
    return [
      ...(type && operator ? [...checkAccepted(property), ...checkFit(property)] : []),
      ...(value && isKindKnown ? checkValue(property) : []),
      ...(operator && value ? [...checkRegex(property.part, property.at), ...checkRefused(property)] : []),
    ];
  });
}

function checkAccepted({ part, at }: PartAt<Property>): FlagFinding[] {
  const { operator, type } = part;
  if (typeof operator !== 'string' || type === 'cohort' || findOperator(operator)?.evaluatedOnly !== true) return [];
  return [{ code: 'operator-refused', severity: 'error', at: `${at}/operator`, args: { operator } }];
}

// Cohorts had no operator before 2025, and the service ignores a wrong one, so it is only a warning.
function checkFit({ part, at }: PartAt<Property>): FlagFinding[] {
  const type = part.type ?? 'person';
  const operator = part.operator ?? 'exact';
  const where = part.operator === undefined ? at : `${at}/operator`;
  const { subject = 'value' } = findOperator(operator) ?? {};
  const wanted = type === 'flag' || type === 'cohort' ? type : 'value';
  if (subject === wanted || (type === 'cohort' && (part.operator ?? null) === null)) return [];
  const severity = type === 'cohort' ? 'warning' : 'error';
  return [{ code: 'operator-unfit', severity, at: where, args: { operator, type } }];
}

function checkValue({ part, at }: PartAt<Property>): FlagFinding[] {
  const operator = part.operator ?? 'exact';
  const row = findOperator(operator);
  const operand = part.type === 'cohort' ? 'cohort' : row?.operand;
  if (operand === undefined || (part.type === 'flag') !== (operand === 'flag-result')) return [];
  const value = part.value;
  const { expected, verdict } = OPERAND_RULES[operand];
  const severity = verdict(value ?? null);
  if (severity === undefined) return [];
  const where = value === undefined ? at : `${at}/value`;
  const args = { operator: part.type === 'cohort' ? 'in' : operator, expected, found: shownValue(value) };
  return [{ code: 'operator-value-unfit', severity, at: where, args }];
}

/** Checks the regular expression of a filter, if it has one. */
export function checkRegex({ operator, value }: JsonObject, at: string): PatternFinding[] {
  if (findOperator(operator ?? null)?.operand !== 'regex' || typeof value !== 'string') return [];
  const pattern = readPattern(value);
  if (pattern.kind === 'known') return [];
  const args = { regex: value, detail: pattern.reason };
  if (pattern.kind === 'unknown') return [{ code: 'regex-unknown', severity: 'warning', at: `${at}/value`, args }];
  const severity = findPythonFault(value) === undefined ? 'warning' : 'error';
  return [{ code: 'regex-invalid', severity, at: `${at}/value`, args }];
}

// What evaluation cannot use is reported as that. A live flag may have any pattern: the service checks only new ones.
function checkRefused({ part: { operator, value }, at }: PartAt<Property>): FlagFinding[] {
  if (findOperator(operator ?? null)?.operand !== 'regex' || typeof value !== 'string') return [];
  const detail = readPattern(value).kind === 'invalid' ? undefined : findPythonFault(value);
  return detail === undefined
    ? []
    : [{ code: 'regex-refused', severity: 'warning', at: `${at}/value`, args: { regex: value, detail } }];
}

// Strings, numbers and short lists are shown as they are, anything larger by its type.
function shownValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (isJsonObject(value)) return 'a mapping';
  const text = stringifyJson(value);
  return isJsonArray(value) && text.length > 40 ? 'a list' : text;
}

/** `undefined` when the value fits; error when the service refuses it, warning when it can never match. */
type Verdict = (value: JsonValue) => Severity | undefined;

/** The values that fit each kind of operand, as messages describe them (docs/service.md, "Values"). */
const OPERAND_RULES: Readonly<Record<OperandKind, { readonly expected: string; readonly verdict: Verdict }>> = {
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
    verdict: (value) => {
      if (!isString(value)) return 'error';
      return value.trim() !== '' && Number.isFinite(Number(value)) ? undefined : 'warning';
    },
  },
  // The service refuses the operators.
  'number-pair': { expected: 'a list of two numbers', verdict: () => undefined },
  // The service accepts some dates that its evaluation cannot read, such as a month.
  date: {
    expected: 'a date such as "2025-03-01" or "-30d"',
    verdict: (value) => {
      if (!isString(value)) return 'error';
      if (RELATIVE_DATE.test(value)) return undefined;
      if (!isAcceptedDate(value)) return 'error';
      return readDate(value) === undefined ? 'warning' : undefined;
    },
  },
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
  'flag-result': {
    expected: 'true, false or a variant',
    verdict: errorUnless((value) => typeof value === 'boolean' || (isString(value) && value !== '')),
  },
};

function errorUnless(fits: (value: JsonValue) => boolean): Verdict {
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

/** `7d` and `-7d` are seven days ago, in units of hours, days, weeks, months and years, below 10000. */
const RELATIVE_DATE = /^-?\d{1,4}[hdwmy]$/;

function matches(pattern: RegExp): (value: JsonValue) => boolean {
  return (value) => isString(value) && pattern.test(value);
}

function isCohort(value: JsonValue): boolean {
  if (isString(value) && !/^\d+$/.test(value)) return value !== '';
  return (isString(value) || typeof value === 'number') && Number.isSafeInteger(Number(value)) && Number(value) > 0;
}

/** A value of one property that satisfies filters, found by trying what the filters themselves name. */

import { isJsonArray, type JsonValue } from '../base/json.ts';
import type { EvaluationContext } from '../evaluation/input.ts';
import { matchesProperty } from '../evaluation/match-property.ts';
import { parseDate } from '../evaluation/values/dates.ts';
import { parseNumber } from '../evaluation/values/number.ts';
import { jsonText } from '../evaluation/values/text.ts';
import { findOperator, type OperandKind } from '../posthog/flag/operators.ts';
import type { Property } from '../posthog/flag/flag.ts';
import { examplesOf } from './regex-examples.ts';

/** A value; `absent` where a subject without the property matches. */
export type Found = { readonly kind: 'value'; readonly value: JsonValue } | { readonly kind: 'absent' };

/** Filters on one property. */
export interface Wanted {
  /** All of them match. */
  readonly filters: readonly Property[];
  /** Of each list, at least one does not match. */
  readonly apart?: readonly (readonly Property[])[];
}

/** `undefined` where no value that was tried is as wanted. */
export function findValue({ filters, apart = [] }: Wanted, context: EvaluationContext): Found | undefined {
  const all = [...filters, ...apart.flat()];
  const key = String(all[0]?.key ?? '');
  const matches = (properties: Readonly<Record<string, JsonValue>>): boolean => {
    const isMatch = (filter: Property): boolean => matchesProperty(filter, properties, context);
    return filters.every(isMatch) && apart.every((list) => !list.every(isMatch));
  };
  if (matches({})) return { kind: 'absent' };
  const value = candidatesFor(all, context).find((candidate) => matches({ [key]: candidate }));
  return value === undefined ? undefined : { kind: 'value', value };
}

const MOST_JOINED = 8;
const USUAL: readonly JsonValue[] = ['x', 'true', 1, 0, true];

function candidatesFor(filters: readonly Property[], context: EvaluationContext): JsonValue[] {
  const own = filters.flatMap((filter) => candidatesOf(filter, context));
  const numbers = numbersIn(own);
  const between = numbers.flatMap((a) => numbers.map((b) => (a + b) / 2));
  const strings = [...new Set(own.filter((value) => typeof value === 'string'))].slice(0, MOST_JOINED);
  const joined = strings.flatMap((a) => strings.map((b) => a + b));
  return [...own, ...(filters.length > 1 ? [...between, ...joined] : []), ...USUAL];
}

const DAY_MS = 86_400_000;

/** By what an operator compares with. Each list begins with what is most likely to match. */
const CANDIDATES: Readonly<
  Record<OperandKind, (value: JsonValue, context: EvaluationContext) => readonly JsonValue[]>
> = {
  none: () => [],
  scalars: elementsOf,
  string: elementsOf,
  strings: elementsOf,
  regex: (value) => examplesOf(jsonText(value)),
  'number-string': aroundNumbers,
  'number-pair': aroundNumbers,
  date: (value, { now, timeZone }) => {
    const moment = parseDate(jsonText(value), { now, timeZone });
    return moment === undefined ? [] : [0, -DAY_MS, DAY_MS].map((ms) => new Date(moment + ms).toISOString());
  },
  semver: aroundVersion,
  'semver-wildcard': (value) => [jsonText(value).replaceAll('*', '0')],
  cohort: () => [],
  'flag-result': () => [],
};

function candidatesOf({ operator, value = null }: Property, context: EvaluationContext): readonly JsonValue[] {
  const row = findOperator(operator ?? 'exact');
  return row === undefined ? [] : CANDIDATES[row.operand](value, context);
}

function elementsOf(value: JsonValue): readonly JsonValue[] {
  return isJsonArray(value) ? value : [value];
}

function aroundNumbers(value: JsonValue): readonly JsonValue[] {
  return numbersIn(elementsOf(value)).flatMap((number) => [number, number + 1, number - 1]);
}

function numbersIn(values: readonly JsonValue[]): readonly number[] {
  return values.flatMap((value) => parseNumber(value) ?? []).filter(Number.isFinite);
}

function aroundVersion(value: JsonValue): readonly JsonValue[] {
  const own = jsonText(value);
  const [, major = '0'] = /^v?(\d+)/.exec(own) ?? [];
  return [own, `${Number(major) + 1}.0.0`, '0.0.0'];
}

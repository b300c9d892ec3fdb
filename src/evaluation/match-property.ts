/** The operators of property filters, and whether properties match one filter, for flags and for lists of persons. */

import { type JsonObject, isJsonArray, type JsonValue } from '../base/json.ts';
import { findPattern, readPattern, UNKNOWN } from '../base/pattern/read-pattern.ts';
import type { Property } from '../posthog/flag/model/flag.ts';
import {
  findOperator,
  OPERATORS,
  type ComparingOperator,
  type OperandKind,
  type OperatorRow,
} from '../posthog/flag/model/operators.ts';
import { GENERATIONS } from './generations.ts';
import type { EvaluationContext } from './input.ts';
import { isBetween, type OperatorRules } from './operators/ordering.ts';
import { readMoment, parseDate, type DateContext } from './values/dates.ts';
import { isInCaret, isInTilde, isInWildcard, compareVersions, parseVersion, type Version } from './values/semver.ts';

/**
 * Whether `properties` match a filter of type `person` or `group`. A filter that cannot be evaluated (unknown operator, value of the wrong
 * kind) never matches, even if its operator is negated. Unknown where only the service knows what a regular expression means. Not for
 * filters on cohorts and flags.
 */
export function matchesProperty(...asked: Parameters<typeof findMatch>): FilterMatch {
  return findMatch(...asked) ?? false;
}

/** The same, and `undefined` for values that the operator cannot compare. */
export function findMatch(
  property: Property,
  properties: JsonObject,
  { generation, now, timeZone }: Pick<EvaluationContext, 'generation' | 'now' | 'timeZone'>,
): FilterMatch | undefined {
  const operator = VALUE_OPERATORS.get(property.operator ?? 'exact');
  const wanted = property.value ?? null;
  if (operator === undefined || (operator.needsValue && wanted === null)) return false;
  const key = String(property.key);
  const found = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (found === undefined) return operator.missing;
  const rules = GENERATIONS[generation];
  const clock = { now, timeZone: rules.naiveTimes === 'utc' ? 'UTC' : timeZone };
  return operator.test(found, wanted, { rules, clock });
}

export { findOperator, OPERATORS, type OperandKind };

/** Whether somebody matches, or that only the service knows. */
export type FilterMatch = boolean | typeof UNKNOWN;

/** Whether all match; unknown only if nothing else keeps them from it. */
export function matchesAll<Part>(parts: readonly Part[], match: (part: Part) => FilterMatch): FilterMatch {
  let all: FilterMatch = true;
  for (const part of parts) {
    const found = match(part);
    if (found === false) return false;
    if (found === UNKNOWN) all = UNKNOWN;
  }
  return all;
}

interface OperatorSettings {
  readonly rules: OperatorRules;
  readonly clock: DateContext;
}

/** `undefined` if the values cannot be compared: then neither the operator nor its negation matches. */
type OperatorTest = (found: JsonValue, wanted: JsonValue, settings: OperatorSettings) => FilterMatch | undefined;

interface ValueOperator {
  readonly test: OperatorTest;
  /** The answer where the property is missing. */
  readonly missing: boolean;
  /** An operator that needs a value never matches without one. */
  readonly needsValue: boolean;
  readonly operand: OperandKind;
}

type TextRules = Pick<OperatorRules, 'text' | 'lowerCase'>;

type PartTest = (text: string, part: string) => boolean;

const contains: PartTest = (text, part) => text.includes(part);

const startsWith: PartTest = (text, part) => text.startsWith(part);

const endsWith: PartTest = (text, part) => text.endsWith(part);

/** An operator that the table has and this record lacks does not compile. */
const TESTS: Readonly<Record<ComparingOperator, OperatorTest>> = {
  exact: (found, wanted, { rules }) => rules.equals(found, wanted),
  is_set: () => true,
  icontains: part(contains),
  icontains_multi: (found, wanted, { rules }) => containsAny(found, wanted, rules),
  starts_with: part(startsWith),
  ends_with: part(endsWith),
  regex: (found, wanted, { rules }) => findPattern(readPattern(rules.text(wanted)), rules.text(found)),
  gt: ordering((order) => order > 0),
  gte: ordering((order) => order >= 0),
  lt: ordering((order) => order < 0),
  lte: ordering((order) => order <= 0),
  between: isBetween,
  is_date_before: date((order) => order < 0),
  is_date_after: date((order) => order > 0),
  is_date_exact: date((order) => order === 0),
  semver_eq: semver((order) => order === 0),
  semver_neq: semver((order) => order !== 0),
  semver_gt: semver((order) => order > 0),
  semver_gte: semver((order) => order >= 0),
  semver_lt: semver((order) => order < 0),
  semver_lte: semver((order) => order <= 0),
  semver_tilde: semverRange(isInTilde),
  semver_caret: semverRange(isInCaret),
  semver_wildcard: semverRange(isInWildcard),
};

/** All operators that compare values, by name, including negations and older names. */
export const VALUE_OPERATORS: ReadonlyMap<string, ValueOperator> = new Map(
  Object.entries(OPERATORS)
    .filter(([, { subject }]) => subject === 'value')
    .map(([name, row]) => [name, implement(name, row)]),
);

function implement(name: string, { operand, negates, renamedTo }: OperatorRow): ValueOperator {
  const test = TESTS[(negates ?? renamedTo ?? name) as ComparingOperator];
  const missing = negates !== undefined;
  return { test: missing ? opposite(test) : test, missing, needsValue: operand !== 'none', operand };
}

function opposite(test: OperatorTest): OperatorTest {
  return (...values) => {
    const result = test(...values);
    return typeof result === 'boolean' ? !result : result;
  };
}

function part(test: PartTest): OperatorTest {
  return (found, wanted, { rules }) => matchesPart(test, [found, wanted], rules);
}

type OrderTest = (order: number) => boolean;

function ordering(judge: OrderTest): OperatorTest {
  return (found, wanted, { rules }) => {
    const order = rules.compare(found, wanted);
    return order === undefined ? undefined : judge(order);
  };
}

function date(judge: OrderTest): OperatorTest {
  return (found, wanted, { clock }) => {
    const a = readMoment(found, clock);
    const b = typeof wanted === 'string' ? parseDate(wanted, clock) : undefined;
    return a === undefined || b === undefined ? undefined : judge(a - b);
  };
}

function semver(judge: OrderTest): OperatorTest {
  return (found, wanted) => {
    const [a, b] = [parseVersion(found), parseVersion(wanted)];
    return a === undefined || b === undefined ? undefined : judge(compareVersions(a, b));
  };
}

function semverRange(isInRange: (version: Version, wanted: JsonValue) => boolean | undefined): OperatorTest {
  return (found, wanted) => {
    const version = parseVersion(found);
    return version === undefined ? undefined : isInRange(version, wanted);
  };
}

/** `icontains`, `starts_with`, `ends_with` and `icontains_multi`: parts of a string, ignoring case. */
function matchesPart(test: PartTest, [found, wanted]: readonly [JsonValue, JsonValue], rules: TextRules): boolean {
  return test(fold(found, rules), fold(wanted, rules));
}

/** Whether any part of a list occurs; a single value is a list of one. */
function containsAny(found: JsonValue, wanted: JsonValue, rules: TextRules): boolean {
  const parts = isJsonArray(wanted) ? wanted : [wanted];
  return parts.some((part) => matchesPart(contains, [found, part], rules));
}

function fold(value: JsonValue, { text, lowerCase }: TextRules): string {
  return lowerCase(text(value));
}

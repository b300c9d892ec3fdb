/** The implementation of each operator that compares values, and its answer for a missing property. */

import { isJsonArray, type JsonValue } from '../../base/json.ts';
import {
  findOperator,
  OPERATORS,
  type ComparingOperator,
  type OperandKind,
  type OperatorRow,
} from '../../posthog/flag/operators.ts';
import { readMoment, parseDate, type DateContext } from '../values/dates.ts';
import { isInCaret, isInTilde, isInWildcard } from '../values/semver-ranges.ts';
import { compareVersions, parseVersion, type Version } from '../values/semver.ts';
import { isBetween, type OperatorRules } from './ordering.ts';
import type { SearchRegex } from '../../base/search-regex.ts';
import { findsPattern } from './regex.ts';
export { findOperator, OPERATORS, type OperandKind };

interface OperatorSettings {
  readonly rules: OperatorRules;
  readonly clock: DateContext;
  readonly searchRegex?: SearchRegex;
}

/** `undefined` if the values cannot be compared: then neither the operator nor its negation matches. */
type OperatorTest = (found: JsonValue, wanted: JsonValue, settings: OperatorSettings) => boolean | undefined;

export interface ValueOperator {
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
  regex: (found, wanted, { rules, searchRegex }) => findsPattern(rules.text(found), rules.text(wanted), searchRegex),
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
    return result === undefined ? undefined : !result;
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

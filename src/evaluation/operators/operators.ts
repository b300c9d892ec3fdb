/** Every operator on properties: how it tests, and what it says of a property that is not there. */

import type { JsonValue } from '../../base/json.ts';
import { momentOf, parseDate, type Clock } from '../dates.ts';
import type { GenerationRules } from '../generations.ts';
import type { SearchRegex } from '../input.ts';
import { isInCaret, isInTilde, isInWildcard } from '../semver-ranges.ts';
import { compareVersions, parseVersion, type Version } from '../semver.ts';
import { isBetween } from './ordering.ts';
import { findsPattern } from './regex.ts';
import { contains, containsAny, endsWith, matchesPart, startsWith } from './substring.ts';

interface OperatorSurroundings {
  readonly rules: GenerationRules;
  readonly clock: Clock;
  readonly searchRegex?: SearchRegex;
}

/** `undefined` where the two values cannot be compared, which is no match for an operator and its opposite alike. */
type OperatorTest = (found: JsonValue, wanted: JsonValue, surroundings: OperatorSurroundings) => boolean | undefined;

export interface Operator {
  readonly test: OperatorTest;
  /** The answer for a person without the property. */
  readonly missing: boolean;
  /** Only `is_set` and `is_not_set` compare with nothing; all others never match without a value. */
  readonly needsValue: boolean;
}

const equals: OperatorTest = (found, wanted, { rules }) => rules.equals(found, wanted);
const icontains: OperatorTest = (found, wanted, { rules }) => matchesPart(contains, [found, wanted], rules);
const icontainsMulti: OperatorTest = (found, wanted, { rules }) => containsAny(found, wanted, rules);
const starts: OperatorTest = (found, wanted, { rules }) => matchesPart(startsWith, [found, wanted], rules);
const ends: OperatorTest = (found, wanted, { rules }) => matchesPart(endsWith, [found, wanted], rules);
const regex: OperatorTest = (found, wanted, { rules, searchRegex }) =>
  findsPattern(rules.text(found), rules.text(wanted), searchRegex);

export const OPERATORS: Readonly<Record<string, Operator>> = {
  exact: positive(equals),
  is_not: negative(equals),
  is_set: { test: () => true, missing: false, needsValue: false },
  is_not_set: { test: () => false, missing: true, needsValue: false },
  icontains: positive(icontains),
  not_icontains: negative(icontains),
  icontains_multi: positive(icontainsMulti),
  not_icontains_multi: negative(icontainsMulti),
  starts_with: positive(starts),
  not_starts_with: negative(starts),
  ends_with: positive(ends),
  not_ends_with: negative(ends),
  regex: positive(regex),
  not_regex: negative(regex),
  gt: ordering((order) => order > 0),
  gte: ordering((order) => order >= 0),
  lt: ordering((order) => order < 0),
  lte: ordering((order) => order <= 0),
  // Older names of gte and lte, which the service rewrites when it stores a flag.
  min: ordering((order) => order >= 0),
  max: ordering((order) => order <= 0),
  between: positive(isBetween),
  not_between: negative(isBetween),
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

function positive(test: OperatorTest): Operator {
  return { test, missing: false, needsValue: true };
}

function negative(test: OperatorTest): Operator {
  const opposite: OperatorTest = (...values) => {
    const result = test(...values);
    return result === undefined ? undefined : !result;
  };
  return { test: opposite, missing: true, needsValue: true };
}

type Judge = (order: number) => boolean;

function ordering(judge: Judge): Operator {
  return positive((found, wanted, { rules }) => judged(judge, rules.compare(found, wanted)));
}

function date(judge: Judge): Operator {
  return positive((found, wanted, { clock }) => {
    const a = momentOf(found, clock);
    const b = typeof wanted === 'string' ? parseDate(wanted, clock) : undefined;
    return a === undefined || b === undefined ? undefined : judge(a - b);
  });
}

function semver(judge: Judge): Operator {
  return positive((found, wanted) => {
    const [a, b] = [parseVersion(found), parseVersion(wanted)];
    return a === undefined || b === undefined ? undefined : judge(compareVersions(a, b));
  });
}

function semverRange(contained: (version: Version, wanted: JsonValue) => boolean | undefined): Operator {
  return positive((found, wanted) => {
    const version = parseVersion(found);
    return version === undefined ? undefined : contained(version, wanted);
  });
}

function judged(judge: Judge, order: number | undefined): boolean | undefined {
  return order === undefined ? undefined : judge(order);
}

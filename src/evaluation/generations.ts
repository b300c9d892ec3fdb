/** The differences between the two evaluators of the service (docs/evaluation.md, "Generations"). */

import { isJsonArray, jsonEquals, type JsonValue } from '../base/json.ts';
import { isTruthLike } from '../posthog/flag/model/normal-forms.ts';
import type { Reason, Generation } from './input.ts';
import type { IndexedCondition } from './parts.ts';
import { compareNumbers, compareSameType, type OperatorRules } from './operators/ordering.ts';
import { asciiLowerCase, jsonText, pythonText } from './values/scalars.ts';

export interface GenerationRules extends OperatorRules {
  /** The time zone of times without an offset. */
  readonly naiveTimes: 'project' | 'utc';
  readonly conditionOrder: (conditions: readonly IndexedCondition[]) => readonly IndexedCondition[];
  /** Whether missing `$initial_…` properties of a person are filled from the current ones. */
  readonly fillsInitialProperties: boolean;
  /** The effect of a missing group: on the whole flag, or on each condition that needs the group. */
  readonly missingGroup: 'flag' | 'condition';
  /** The verdict without conditions. */
  readonly unmatched: { readonly reason: Reason; readonly conditionIndex: number | null };
  /** The condition with the highest rank is reported among those that did not match; at a tie, the last one. */
  readonly rank: Readonly<Record<Reason, number>>;
}

const OF_2023: GenerationRules = {
  equals: equalsInType,
  compare: compareSameType,
  text: pythonText,
  lowerCase: (text) => text.toLowerCase(),
  naiveTimes: 'utc',
  conditionOrder: variantsFirst,
  fillsInitialProperties: false,
  missingGroup: 'flag',
  unmatched: { reason: 'no_condition_match', conditionIndex: 0 },
  rank: ranks([
    'super_condition_value',
    'holdout_condition_value',
    'condition_match',
    'no_group_type',
    'out_of_rollout_bound',
    'no_condition_match',
    'flag_disabled',
    'experiment_paused',
    'missing_dependency',
    'unknown_format',
    'unknown_pattern',
  ]),
};

const OF_TODAY: GenerationRules = {
  equals: equalsInText,
  compare: compareNumbers,
  text: jsonText,
  lowerCase: asciiLowerCase,
  naiveTimes: 'project',
  conditionOrder: asListed,
  fillsInitialProperties: true,
  missingGroup: 'condition',
  unmatched: { reason: 'no_group_type', conditionIndex: null },
  rank: ranks([
    'super_condition_value',
    'holdout_condition_value',
    'condition_match',
    'out_of_rollout_bound',
    'no_condition_match',
    'no_group_type',
    'flag_disabled',
    'experiment_paused',
    'missing_dependency',
    'unknown_format',
    'unknown_pattern',
  ]),
};

export const GENERATIONS: Readonly<Record<Generation, GenerationRules>> = {
  'python-2023': OF_2023,
  'rust-2026': OF_TODAY,
  'rust-2026-explicit': { ...OF_TODAY, equals: equalsExplicitly },
};

function asListed(conditions: readonly IndexedCondition[]): readonly IndexedCondition[] {
  return conditions;
}

// The sort is stable and keeps each condition's index: a condition with a forced variant precedes earlier conditions
// without one.
function variantsFirst(conditions: readonly IndexedCondition[]): IndexedCondition[] {
  return conditions.toSorted(([, a], [, b]) => Number(!a.variant) - Number(!b.variant));
}

function ranks(highestFirst: readonly Reason[]): Record<Reason, number> {
  const entries = highestFirst.map((reason, index) => [reason, -index]);
  return Object.fromEntries(entries) as Record<Reason, number>;
}

/** Compares truth with true and false, and other values as strings. */
function equalsInText(found: JsonValue, wanted: JsonValue): boolean {
  return isTruthLike(wanted) ? isTrue(wanted) === isTrue(found) : equalsExplicitly(found, wanted);
}

/** Compares strings, ignoring case. An empty list is true still. */
function equalsExplicitly(found: JsonValue, wanted: JsonValue): boolean {
  if (isJsonArray(wanted) && wanted.length === 0) return isTrue(found);
  const text = jsonText(found).toLowerCase();
  const candidates = isJsonArray(wanted) ? wanted : [wanted];
  return candidates.some((candidate) => jsonText(candidate).toLowerCase() === text);
}

/** The same value of the same type. */
function equalsInType(found: JsonValue, wanted: JsonValue): boolean {
  return isJsonArray(wanted) ? wanted.some((candidate) => jsonEquals(candidate, found)) : jsonEquals(wanted, found);
}

function isTrue(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.every(isTrue);
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

/** Flags whose value depends on a regular expression that only the service can evaluate. */

import { describe, expect, it } from 'vitest';
import { evaluateFlag } from '../../src/evaluation/evaluate.ts';
import { matchesCondition } from '../../src/evaluation/condition.ts';
import type { Flag, Property } from '../../src/posthog/flag/model/flag.ts';
import type { KnownCohort } from '../../src/evaluation/input.ts';
import { contextWith, person, subjectWith } from './support.ts';

const OPEN = person('email', 'regex', '\\Ka');
const SURE = person('plan', 'exact', 'pro');
const subject = subjectWith({ personProperties: { email: 'a', plan: 'pro' } });

function flag(key: string, ...groups: readonly object[]): Flag {
  return { id: key.length, key, active: true, filters: { groups } } as Flag;
}

function on(key: string): Property {
  return { key, type: 'flag', operator: 'flag_evaluates_to', value: true };
}

it('early access of the older form is unknown too', () => {
  const filters = { groups: [{}], super_groups: [{ properties: [OPEN], rollout_percentage: 100 }] };
  const flags = [{ id: 1, key: 'a', active: true, filters } as unknown as Flag];
  expect(evaluateFlag('a', { flags, context: contextWith(), subject })).toMatchObject({ reason: 'unknown_pattern' });
});

describe('a flag with a regular expression that only the service knows', () => {
  it.each([
    ['is unknown', [flag('a', { properties: [OPEN] })], false, 'unknown_pattern'],
    [
      'is known where another filter does not match',
      [flag('a', { properties: [OPEN, person('plan', 'exact', 'x')] })],
      false,
      'no_condition_match',
    ],
    [
      'is known where an earlier condition matches',
      [flag('a', { properties: [SURE] }, { properties: [OPEN] })],
      true,
      'condition_match',
    ],
    [
      'is unknown where a later condition matches',
      [flag('a', { properties: [OPEN] }, { properties: [SURE] })],
      false,
      'unknown_pattern',
    ],
    [
      'makes the flags that depend on it unknown',
      [flag('a', { properties: [on('bb')] }), flag('bb', { properties: [OPEN] })],
      false,
      'unknown_pattern',
    ],
  ] as const)('%s', (_, flags, value, reason) => {
    expect(evaluateFlag('a', { flags, context: contextWith(), subject })).toMatchObject({ value, reason });
  });

  it.each([
    ['OR', [OPEN, SURE], true],
    ['OR', [OPEN, person('plan', 'exact', 'x')], 'unknown'],
    ['AND', [OPEN, SURE], 'unknown'],
    ['AND', [OPEN, person('plan', 'exact', 'x')], false],
    ['AND', [{ ...OPEN, negation: true }], 'unknown'],
  ] as const)('in a cohort: %s of %j is %s', (type, values, expected) => {
    const cohort = { kind: 'dynamic', properties: { type, values } } as unknown as KnownCohort;
    const context = contextWith({ cohorts: { '1': cohort } });
    const isIn = (operator: string) =>
      matchesCondition({ properties: [{ key: 'id', type: 'cohort', value: 1, operator }] }, { context, subject });
    expect(isIn('in')).toBe(expected);
    expect(isIn('not_in')).toBe(typeof expected === 'boolean' ? !expected : expected);
  });
});

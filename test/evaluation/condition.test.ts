/** Conditions: filters combined, and the subject of each. */

import { describe, expect, it } from 'vitest';
import type { Generation, Subject } from '../../src/evaluation/input.ts';
import { matchesCondition } from '../../src/evaluation/condition.ts';
import type { Condition } from '../../src/posthog/flag/model/flag.ts';
import { contextWith, person, subjectWith } from './support.ts';

const acme: Partial<Subject> = {
  groups: { company: 'acme', team: 7 },
  groupProperties: { company: { plan: 'pro' }, team: { size: 5 } },
  personProperties: { plan: 'free', $browser: 'Firefox', gclid: 'x', $initial_gclid: 'y' },
};

type Case = readonly [why: string, condition: Condition, aggregation: number | null, expected: boolean];

const plan = { key: 'plan', operator: 'exact', value: 'pro' } as const;

const CASES: readonly Case[] = [
  ['no filters', {}, null, true],
  ['null for filters', { properties: null }, null, true],
  ['a tree of filters', { properties: { type: 'AND', values: [] } as unknown as [] }, null, false],
  ['a string for filters', { properties: 'email' as unknown as [] }, null, false],
  ['a filter that is not an object', { properties: [null] as unknown as [] }, null, false],
  [
    'filters that all match',
    { properties: [person('plan', 'exact', 'free'), person('$browser', 'is_set')] },
    null,
    true,
  ],
  [
    'one filter that does not match',
    { properties: [person('plan', 'exact', 'free'), person('x', 'is_set')] },
    null,
    false,
  ],
  ['a filter on persons, in a group condition', { properties: [{ ...plan, type: 'person' }] }, 0, false],
  ['a filter on the group of the condition', { properties: [{ ...plan, type: 'group' }] }, 0, true],
  [
    'a filter on a group by its own index',
    { properties: [{ ...plan, type: 'group', group_type_index: 0 }] },
    null,
    true,
  ],
  ['a filter on a missing group', { properties: [{ ...plan, type: 'group' }] }, null, false],
  ['a filter on an unknown group type', { properties: [{ ...plan, type: 'group', group_type_index: 3 }] }, null, false],
  ['a filter without a type, of persons', { properties: [plan] }, null, false],
  ['a filter without a type, of groups', { properties: [plan] }, 0, true],
  ['the group key', { properties: [{ key: '$group_key', type: 'group', value: 'acme' }] }, 0, true],
  ['a group key that is a number', { properties: [{ key: '$group_key', type: 'group', value: '7' }] }, 1, true],
  ['the distinct id', { properties: [person('distinct_id', 'exact', 'user-1')] }, null, true],
  [
    'an initial property that is not stored yet',
    { properties: [person('$initial_browser', 'exact', 'firefox')] },
    null,
    true,
  ],
  ['an initial property that is stored', { properties: [person('$initial_gclid', 'exact', 'y')] }, null, true],
  ['an initial property of an untracked property', { properties: [person('$initial_plan', 'is_set')] }, null, false],
  [
    'a filter on a flag, without evaluated flags',
    { properties: [{ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: false }] },
    null,
    false,
  ],
  ['an unknown type', { properties: [{ ...plan, type: 'weather' as 'person' }] }, null, false],
];

describe('a condition', () => {
  const matches = (condition: Condition, aggregation: number | null): boolean => {
    const context = contextWith({ groupTypes: { '0': 'company', '1': 'team', '2': 'region' } });
    return matchesCondition(condition, { context, subject: subjectWith(acme) }, aggregation) === true;
  };

  it.each(CASES.filter(([, , , expected]) => expected))('matches with %s', (_, condition, aggregation) => {
    expect(matches(condition, aggregation)).toBe(true);
  });

  it.each(CASES.filter(([, , , expected]) => !expected))('does not match with %s', (_, condition, aggregation) => {
    expect(matches(condition, aggregation)).toBe(false);
  });

  it.each<[Generation, boolean]>([
    ['rust-2026', true],
    ['python-2023', false],
  ])('of %s uses the current property in place of a missing initial one: %s', (generation, expected) => {
    const condition = { properties: [person('$initial_browser', 'exact', 'Firefox')] };
    const input = { context: contextWith({ generation }), subject: subjectWith(acme) };
    expect(matchesCondition(condition, input)).toBe(expected);
  });

  it('ignores the rollout', () => {
    expect(matchesCondition({ rollout_percentage: 0 }, { context: contextWith(), subject: subjectWith() })).toBe(true);
  });

  it('prefers a distinct_id among the properties', () => {
    const subject = subjectWith({ personProperties: { distinct_id: 'other' } });
    const condition = { properties: [person('distinct_id', 'exact', 'other')] };
    expect(matchesCondition(condition, { context: contextWith(), subject })).toBe(true);
  });
});

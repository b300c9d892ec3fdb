/** What git and people changed apart, and the service refuses together: a conflict in the plan, with and without `drift: keep`. */

import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { findIncompatible } from '../../../src/posthog/flag/compare-flag.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../../helpers/states.ts';

interface Three {
  readonly base: JsonObject;
  readonly git: JsonObject;
  readonly people: JsonObject;
}

function planOf({ base, git, people }: Three, keepDrift = false): Plan {
  return buildPlan(desiredState(declared('a', git)), liveState([liveFlag(1, 'a', people)]), {
    ...planOptions(),
    base: {
      facts: { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' },
      desired: desiredState(declared('a', base)),
    },
    keepDrift,
  });
}

function classesOf({ changes }: Plan): string[] {
  return changes.flatMap((change) =>
    'fields' in change ? change.fields.map(({ path, divergence }) => `${path} ${divergence}`) : [],
  );
}

function variants(...keys: string[]): JsonObject {
  const list = keys.map((key, index) => ({ key, rollout_percentage: index === 0 ? 100 : 0 }));
  return { multivariate: { variants: list } };
}

const EVERYBODY = { groups: [{ properties: [], rollout_percentage: 100 }] };
const THREE: JsonObject = { filters: { ...EVERYBODY, ...variants('a', 'b', 'c') } };
const TWO: JsonObject = { filters: { ...EVERYBODY, ...variants('a', 'b') } };

const withPayload = ({ filters }: JsonObject, key: string): JsonObject => ({
  filters: { ...(filters as JsonObject), payloads: { [key]: 1 } },
});
const forcing = ({ filters }: JsonObject, variant: string): JsonObject => ({
  filters: { ...(filters as JsonObject), groups: [{ properties: [], rollout_percentage: 100, variant }] },
});
const property = { key: 'email', type: 'person', operator: 'exact', value: ['a@b.c'] };
const groups = (...conditions: JsonObject[]): JsonObject => ({
  filters: { groups: conditions.map((one) => ({ properties: [], rollout_percentage: 100, ...one })) },
});
const FOR_GROUPS: JsonObject = {
  filters: { aggregation_group_type_index: 0, groups: [{ properties: [], rollout_percentage: 100 }] },
};

describe('both sides are in conflict where', () => {
  it.each<[string, Three, string[]]>([
    [
      'git removes a variant to which people gave a payload',
      { base: THREE, git: TWO, people: withPayload(THREE, 'c') },
      ['/filters/multivariate/variants/2 conflict', '/filters/payloads conflict'],
    ],
    [
      'people remove a variant to which git gives a payload',
      { base: THREE, git: withPayload(THREE, 'c'), people: TWO },
      ['/filters/multivariate/variants/2 conflict', '/filters/payloads conflict'],
    ],
    [
      'git removes a variant that people force',
      { base: THREE, git: TWO, people: forcing(THREE, 'c') },
      ['/filters/groups/0/variant conflict', '/filters/multivariate/variants/2 conflict'],
    ],
    [
      'people remove a variant that git forces',
      { base: THREE, git: forcing(THREE, 'c'), people: TWO },
      ['/filters/groups/0/variant conflict', '/filters/multivariate/variants/2 conflict'],
    ],
    [
      'the flag is for groups on one side, and its conditions moved on the other',
      { base: groups({}, {}), git: groups({}), people: { ...FOR_GROUPS } },
      ['/filters/aggregation_group_type_index conflict', '/filters/groups/0/aggregation_group_type_index conflict'],
    ],
    [
      'git makes devices the buckets of a flag to which people gave continuity',
      {
        base: { ensure_experience_continuity: false },
        git: { ensure_experience_continuity: false, bucketing_identifier: 'device_id' },
        people: { ensure_experience_continuity: true, bucketing_identifier: 'distinct_id' },
      },
      ['/ensure_experience_continuity conflict', '/bucketing_identifier conflict'],
    ],
    [
      'people archived a flag that git enables',
      {
        base: { active: false, archived: false },
        git: { active: true, archived: false },
        people: { active: false, archived: true },
      },
      ['/active conflict', '/archived conflict'],
    ],
  ])('%s', (_, three, expected) => {
    for (const keepDrift of [false, true]) {
      const plan = planOf(three, keepDrift);
      expect(classesOf(plan).toSorted()).toEqual(expected.toSorted());
      expect(plan.hazards).toMatchObject([{ code: 'conflict', key: 'a' }]);
      expect(plan.left).toBeUndefined();
    }
  });
});

it('everything else of the flag keeps its class, and drift is left', () => {
  const git = { ...TWO, name: 'new', tags: [] };
  const people = { ...withPayload(THREE, 'c'), name: 'old', tags: ['x'] };
  const plan = planOf({ base: { ...THREE, name: 'old', tags: [] }, git, people }, true);
  expect(classesOf(plan).toSorted()).toEqual([
    '/filters/multivariate/variants/2 conflict',
    '/filters/payloads conflict',
    '/name pending',
  ]);
  expect(plan.left).toMatchObject([{ key: 'a', fields: [{ path: '/tags', divergence: 'drifted' }] }]);
});

it.each<[string, Three]>([
  ['payloads of a variant that stays', { base: THREE, git: TWO, people: withPayload(THREE, 'b') }],
  ['a condition that forces a variant that stays', { base: THREE, git: TWO, people: forcing(THREE, 'a') }],
  [
    'what the service holds already, although it would refuse it',
    { base: THREE, git: { ...THREE, name: 'new' }, people: withPayload(THREE, 'gone') },
  ],
])('%s: no conflict', (_, three) => {
  expect(classesOf(planOf(three)).filter((one) => one.endsWith('conflict'))).toEqual([]);
});

test('a base that people changed alone, or git alone, has no misfit', () => {
  const sides = { wanted: TWO, live: withPayload(THREE, 'c') };
  expect(findIncompatible([{ divergence: 'drifted', at: '/filters/payloads/c' }], sides)).toEqual(new Set());
  expect(findIncompatible([{ divergence: 'pending', at: '/filters/multivariate' }], sides)).toEqual(new Set());
});

test('several units that only together solve a problem all take part', () => {
  const person = { groups: [{ properties: [property], rollout_percentage: 100 }] };
  const wanted = { filters: { ...person, payloads: { c: 1, d: 1 }, ...variants('a', 'c', 'd') } };
  const live = { filters: { ...person, ...variants('a') } };
  const moved = [
    { divergence: 'pending' as const, at: '/filters/payloads/c' },
    { divergence: 'pending' as const, at: '/filters/payloads/d' },
    { divergence: 'drifted' as const, at: '/filters/multivariate' },
  ];
  expect([...findIncompatible(moved, { wanted, live })].toSorted()).toEqual([
    '/filters/multivariate',
    '/filters/payloads/c',
    '/filters/payloads/d',
  ]);
});

test('the aggregation of a flag is in conflict with its conditions, if one of them is', () => {
  const people = forcing(THREE, 'c');
  const both = { filters: { ...(people['filters'] as JsonObject), aggregation_group_type_index: 0 } };
  for (const keepDrift of [false, true]) {
    const plan = planOf({ base: THREE, git: TWO, people: both }, keepDrift);
    expect(plan.hazards.map(({ code }) => code)).toEqual(['conflict']);
    expect(plan.left ?? []).toEqual([]);
    expect(classesOf(plan).filter((text) => !text.endsWith('conflict'))).toEqual([]);
  }
});

/** One flag: the order of the steps, variants and payloads, and the reported reason. */

import { describe, expect, it } from 'vitest';
import type { EvaluationInput, Generation, Subject, Verdict } from '../../src/evaluation/input.ts';
import { evaluateFlag } from '../../src/evaluation/evaluate.ts';
import type { Condition, Filters, Flag } from '../../src/posthog/flag/model/flag.ts';
import { evaluate, flagWith, having, inputFor, person } from './support.ts';

// user-1 and checkout-v2: rollout 0.529…, variant 0.468…, holdout 0.178…
const HALF = {
  variants: [
    { key: 'control', rollout_percentage: 50 },
    { key: 'test', rollout_percentage: 50 },
  ],
};
const never: Condition = { properties: [person('nothing', 'is_set')] };
const group: Condition = { aggregation_group_type_index: 0 };

type Case = readonly [
  why: string,
  filters: Filters,
  expected: readonly [Verdict['value'], Verdict['reason'], number | null],
  more?: { readonly flag?: Partial<Flag>; readonly subject?: Partial<Subject> },
];

const CASES: readonly Case[] = [
  ['on for all', { groups: [{ rollout_percentage: 100 }] }, [true, 'condition_match', 0]],
  ['an absent rollout is 100', { groups: [{}] }, [true, 'condition_match', 0]],
  ['a null rollout is 100', { groups: [{ rollout_percentage: null }] }, [true, 'condition_match', 0]],
  ['within the rollout', { groups: [{ rollout_percentage: 53 }] }, [true, 'condition_match', 0]],
  ['outside the rollout', { groups: [{ rollout_percentage: 52.9 }] }, [false, 'out_of_rollout_bound', 0]],
  ['a rollout above 100', { groups: [{ rollout_percentage: 1e308 }] }, [true, 'condition_match', 0]],
  ['a rollout below 0', { groups: [{ rollout_percentage: -5 }] }, [false, 'out_of_rollout_bound', 0]],
  ['a long rollout', { groups: [{ rollout_percentage: 10n ** 30n } as never] }, [true, 'condition_match', 0]],
  [
    'a rollout that is no number',
    { groups: [{ rollout_percentage: [{ toString: 0 }] } as never] },
    [false, 'out_of_rollout_bound', 0],
  ],
  [
    'a variant without a number',
    {
      groups: [{}],
      multivariate: { variants: [{ key: 'x', rollout_percentage: [{ toString: 0 }] } as never, ...HALF.variants] },
    },
    ['control', 'condition_match', 0],
  ],
  ['the first condition that matches', { groups: [never, {}, {}] }, [true, 'condition_match', 1]],
  ['no condition matches', { groups: [never, never] }, [false, 'no_condition_match', 1]],
  ['the higher reason', { groups: [{ rollout_percentage: 0 }, never] }, [false, 'out_of_rollout_bound', 0]],
  ['no conditions', { groups: [] }, [false, 'no_group_type', null]],
  ['no filters', {}, [false, 'no_group_type', null]],
  ['filters that are absent', {}, [false, 'no_group_type', null], { flag: { filters: undefined } as never }],
  ['inactive', { groups: [{}] }, [false, 'flag_disabled', null], { flag: { active: false } }],
  ['a variant by hash', { groups: [{}], multivariate: HALF }, ['control', 'condition_match', 0]],
  ['a forced variant', { groups: [{ variant: 'test' }], multivariate: HALF }, ['test', 'condition_match', 0]],
  [
    'a forced variant that does not exist',
    { groups: [{ variant: 'x' }], multivariate: HALF },
    ['control', 'condition_match', 0],
  ],
  [
    'a forced variant after another condition',
    { groups: [{}, { variant: 'test' }], multivariate: HALF },
    ['control', 'condition_match', 0],
  ],
  [
    'a gap in the variants',
    { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: 40 }] } },
    [true, 'condition_match', 0],
  ],
  ['early exit', { groups: [{ rollout_percentage: 0 }, {}], early_exit: true }, [false, 'out_of_rollout_bound', 0]],
  ['early exit after a filter', { groups: [never, {}], early_exit: true }, [true, 'condition_match', 1]],
  ['a missing group', { groups: [{}], aggregation_group_type_index: 0 }, [false, 'no_group_type', 0]],
  ['a missing group, and a filter', { groups: [never, group] }, [false, 'no_condition_match', 0]],
  ['a group condition skipped', { groups: [group, {}] }, [true, 'condition_match', 1]],
  [
    'a condition on persons in a group flag',
    { groups: [{ aggregation_group_type_index: null }], aggregation_group_type_index: 0 },
    [true, 'condition_match', 0],
  ],
  // acme-co: rollout 0.483…, variant 0.855…
  [
    'a group by its key',
    { groups: [{ rollout_percentage: 50 }], aggregation_group_type_index: 0, multivariate: HALF },
    ['test', 'condition_match', 0],
    { subject: { groups: { company: 'acme-co' } } },
  ],
  [
    'a group by its own condition',
    { groups: [{ ...group, rollout_percentage: 50 }] },
    [true, 'condition_match', 0],
    { subject: { groups: { company: 'acme-co' } } },
  ],
  [
    'a group with an empty key',
    { groups: [group] },
    [false, 'no_group_type', 0],
    { subject: { groups: { company: '' } } },
  ],
  [
    'an unknown group type',
    { groups: [{ aggregation_group_type_index: 4 }] },
    [false, 'no_group_type', 0],
    { subject: { groups: { company: 'acme-co' } } },
  ],
  [
    'a device',
    { groups: [{ rollout_percentage: 50 }] },
    [true, 'condition_match', 0],
    { flag: { bucketing_identifier: 'device_id' }, subject: { deviceId: 'acme-co' } },
  ],
  [
    'a missing device',
    { groups: [{}], early_exit: true },
    [false, 'out_of_rollout_bound', 0],
    { flag: { bucketing_identifier: 'device_id' } },
  ],
  [
    'continuity by the stored identifier',
    { groups: [{ rollout_percentage: 50 }] },
    [true, 'condition_match', 0],
    {
      flag: { ensure_experience_continuity: true },
      subject: { identifierOverrides: { 'checkout-v2': 'acme-co' }, anonymousId: 'user-2' },
    },
  ],
  [
    'continuity by the anonymous id',
    { groups: [{ rollout_percentage: 50 }] },
    [true, 'condition_match', 0],
    { flag: { ensure_experience_continuity: true }, subject: { anonymousId: 'acme-co' } },
  ],
  [
    'continuity by the distinct id',
    { groups: [{ rollout_percentage: 50 }] },
    [false, 'out_of_rollout_bound', 0],
    { flag: { ensure_experience_continuity: true } },
  ],
  [
    'no continuity',
    { groups: [{ rollout_percentage: 50 }] },
    [false, 'out_of_rollout_bound', 0],
    { subject: { identifierOverrides: { 'checkout-v2': 'acme-co' }, anonymousId: 'acme-co' } },
  ],
  ['nobody', { groups: [{ rollout_percentage: 0 }] }, [true, 'condition_match', 0], { subject: { distinctId: '' } }],
  [
    'held out',
    { groups: [{}], holdout: { id: 3, exclusion_percentage: 18 } },
    ['holdout-3', 'holdout_condition_value', null],
  ],
  ['not held out', { groups: [{}], holdout: { id: 3, exclusion_percentage: 17 } }, [true, 'condition_match', 0]],
  [
    'all held out',
    { groups: [], holdout: { id: 3, exclusion_percentage: 250 } },
    ['holdout-3', 'holdout_condition_value', null],
  ],
  ['none held out', { groups: [{}], holdout: { id: 3, exclusion_percentage: -5 } }, [true, 'condition_match', 0]],
  ['a holdout without an id', { groups: [{}], holdout: { exclusion_percentage: 100 } }, [true, 'condition_match', 0]],
  [
    'a holdout without a device',
    { groups: [], holdout: { id: 3, exclusion_percentage: 18 } },
    ['holdout-3', 'holdout_condition_value', null],
    { flag: { bucketing_identifier: 'device_id' } },
  ],
  [
    'a holdout of a group',
    { groups: [], aggregation_group_type_index: 0, holdout: { id: 3, exclusion_percentage: 18 } },
    [false, 'no_group_type', null],
    { subject: { groups: { company: 'acme-co' } } },
  ],
  [
    'a holdout ignores stored identifiers',
    { groups: [], holdout: { id: 3, exclusion_percentage: 18 } },
    ['holdout-3', 'holdout_condition_value', null],
    { flag: { ensure_experience_continuity: true }, subject: { identifierOverrides: { 'checkout-v2': 'user-2' } } },
  ],
  [
    'enrolled',
    { groups: [], feature_enrollment: true },
    [true, 'super_condition_value', 0],
    having({ '$feature_enrollment/checkout-v2': 'true' }),
  ],
  [
    'enrollment precedes a holdout',
    { groups: [], feature_enrollment: true, holdout: { id: 3, exclusion_percentage: 100 } },
    [true, 'super_condition_value', 0],
    having({ '$feature_enrollment/checkout-v2': true }),
  ],
  [
    'declined',
    { groups: [{}], feature_enrollment: true },
    [false, 'super_condition_value', 0],
    having({ '$feature_enrollment/checkout-v2': false }),
  ],
  ['neither enrolled nor declined', { groups: [{}], feature_enrollment: true }, [true, 'condition_match', 0]],
  [
    'no early access',
    { groups: [] },
    [false, 'no_group_type', null],
    having({ '$feature_enrollment/checkout-v2': true }),
  ],
  [
    'enrolled in the older form',
    { groups: [], super_groups: [{ properties: [person('beta', 'exact', ['true'])] }] },
    [true, 'super_condition_value', 0],
    having({ beta: true }),
  ],
  [
    'declined in the older form',
    { groups: [{}], super_groups: [{ properties: [person('beta', 'exact', ['true'])] }] },
    [false, 'super_condition_value', 0],
    having({ beta: false }),
  ],
  [
    'neither enrolled nor declined in the older form',
    { groups: [{}], super_groups: [{ properties: [person('beta', 'exact', ['true'])] }] },
    [true, 'condition_match', 0],
  ],
  [
    'the newer form precedes the older one',
    { groups: [{}], feature_enrollment: true, super_groups: [{ properties: [person('beta', 'exact', ['true'])] }] },
    [true, 'condition_match', 0],
    having({ beta: false }),
  ],
];

describe('a flag', () => {
  it.each(CASES.map((row) => [row[0], row] as const))(
    '%s',
    (_, [, filters, expected, { flag = {}, subject = {} } = {}]) => {
      const { value: found, reason: why, conditionIndex: index } = evaluate(flagWith(filters, flag), { subject });
      expect([found, why, index]).toEqual(expected);
    },
  );
});

const PYTHON: readonly Case[] = [
  [
    'a forced variant precedes others and keeps its index',
    { groups: [{}, { variant: 'test' }], multivariate: HALF },
    ['test', 'condition_match', 1],
  ],
  [
    'forced variants keep their order',
    { groups: [never, { variant: 'control' }, { variant: 'test' }], multivariate: HALF },
    ['control', 'condition_match', 1],
  ],
  ['no conditions', { groups: [] }, [false, 'no_condition_match', 0]],
  [
    'a missing group turns the flag off',
    { groups: [never], aggregation_group_type_index: 0 },
    [false, 'no_group_type', null],
  ],
  ['a missing group ranks high', { groups: [{ rollout_percentage: 0 }, group] }, [false, 'no_group_type', 1]],
];

describe('a flag in python-2023', () => {
  it.each(PYTHON.map((row) => [row[0], row] as const))('%s', (_, [, filters, expected]) => {
    const evaluation = evaluate(flagWith(filters), { context: { generation: 'python-2023' } });
    expect([evaluation.value, evaluation.reason, evaluation.conditionIndex]).toEqual(expected);
  });

  it('reads naive times in UTC, not in the project', () => {
    const flag = flagWith({ groups: [{ properties: [person('since', 'is_date_before', '2024-06-01')] }] });
    const subject = { personProperties: { since: '2024-05-31T23:00:00Z' } };
    const valueIn = (generation: Generation): unknown =>
      evaluate(flag, { subject, context: { generation, timeZone: 'Europe/Berlin' } }).value;
    expect([valueIn('python-2023'), valueIn('rust-2026')]).toEqual([true, false]);
  });
});

describe('a payload', () => {
  const payloads = { control: '{"a": 1}', true: { b: 2 }, test: null };

  it.each<[string, Filters, unknown]>([
    ['of the variant', { groups: [{ variant: 'control' }], multivariate: HALF }, '{"a": 1}'],
    ['of a flag without variants', { groups: [{}] }, { b: 2 }],
    ['that is null', { groups: [{ variant: 'test' }], multivariate: HALF }, undefined],
    ['where nothing matches', { groups: [] }, undefined],
  ])('%s', (_, filters, expected) => {
    expect(evaluate(flagWith({ ...filters, payloads })).payload).toEqual(expected);
  });

  it.each(['__proto__', 'constructor'])('of the variant %s is not inherited', (key) => {
    const multivariate = { variants: [{ key, rollout_percentage: 100 }] };
    const evaluation = evaluate(flagWith({ groups: [{}], multivariate, payloads: {} }));
    expect(evaluation).toMatchObject({ value: key, variant: key, enabled: true });
    expect(evaluation).not.toHaveProperty('payload');
  });

  it('of early access is that of true, and none after declining', () => {
    const flag = flagWith({ groups: [], feature_enrollment: true, payloads });
    expect(evaluate(flag, having({ '$feature_enrollment/checkout-v2': true })).payload).toEqual({ b: 2 });
    expect(evaluate(flag, having({ '$feature_enrollment/checkout-v2': false }))).not.toHaveProperty('payload');
  });
});

describe('an unknown flag', () => {
  it.each<[string, EvaluationInput]>([
    ['unknown', inputFor([])],
    ['deleted', inputFor([flagWith({ groups: [{}] }, { deleted: true })])],
  ])('%s has no evaluation', (_, input) => expect(evaluateFlag('checkout-v2', input)).toBeUndefined());
});

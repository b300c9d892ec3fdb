import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { plainRollout, writeFilters } from '../../../src/posthog/flag/layout.ts';
import { lookupNames } from '../../../src/posthog/flag/model/references.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';

const names = lookupNames([{ id: 2, key: 'other' }], { roles: {}, cohorts: { 'beta-testers': 42 } });

function written(filters: JsonValue | undefined, rest: Partial<Flag> = {}): JsonValue | undefined {
  return writeFilters({ id: 1, key: 'a', filters, ...rest } as Flag, names);
}

/** As text, since the order of members matters. */
function text(filters: JsonObject, rest: Partial<Flag> = {}): string {
  return JSON.stringify(written(filters, rest));
}

const one = (condition: JsonValue, rest: JsonObject = {}): JsonObject => ({ groups: [condition], ...rest });
const property = (rest: JsonObject): JsonObject => one({ properties: [{ key: 'a', ...rest }] });
const variants = (...list: readonly JsonValue[]): JsonObject => ({ groups: [], multivariate: { variants: list } });

describe('members are ordered', () => {
  test.each<[string, JsonObject, string]>([
    [
      'parts',
      {
        zone: 1,
        payloads: { true: 1 },
        area: 2,
        multivariate: { variants: [{ key: 'a' }] },
        groups: [],
        aggregation_group_type_index: 0,
      },
      '{"aggregation_group_type_index":0,"groups":[],"multivariate":{"variants":[{"key":"a"}]},"payloads":{"true":1},"area":2,"zone":1}',
    ],
    [
      'members of a condition',
      one({
        variant: 'a',
        rollout_percentage: 5,
        zone: 1,
        properties: [1],
        aggregation_group_type_index: 1,
        description: 'd',
        area: 2,
      }),
      '{"aggregation_group_type_index":null,"groups":[{"description":"d","aggregation_group_type_index":1,"properties":[1],"rollout_percentage":5,"variant":"a","area":2,"zone":1}]}',
    ],
    [
      'members of a property',
      property({ negation: true, zone: 1, value: 'v', operator: 'exact', group_type_index: 0, type: 'group', area: 2 }),
      '{"groups":[{"properties":[{"key":"a","type":"group","group_type_index":0,"operator":"exact","value":"v","negation":true,"area":2,"zone":1}]}]}',
    ],
    [
      'members of a variant',
      variants({ rollout_percentage: 5, zone: 1, name: 'A', key: 'a', description: 'd' }),
      '{"groups":[],"multivariate":{"variants":[{"key":"a","name":"A","rollout_percentage":5,"description":"d","zone":1}]}}',
    ],
    [
      'payloads',
      { groups: [], payloads: { d: 4, b: '1', a: '2', c: 3 } },
      '{"groups":[],"payloads":{"a":2,"b":1,"c":3,"d":4}}',
    ],
    [
      'members after the variants',
      { groups: [], multivariate: { kind: 'x', variants: [{ key: 'a' }] } },
      '{"groups":[],"multivariate":{"variants":[{"key":"a"}],"kind":"x"}}',
    ],
  ])('%s', (_what, filters, expected) => expect(text(filters)).toBe(expected));
});

describe('implied values are omitted', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['parts that are null', { groups: [], early_exit: null, later: null }, { groups: [] }],
    ['no variants', { groups: [], multivariate: { variants: [] } }, { groups: [] }],
    ['no payloads', { groups: [], payloads: {} }, { groups: [] }],
    [
      'parts of other products',
      { groups: [], holdout: { id: 1 }, super_groups: [], holdout_groups: 1, feature_enrollment: true },
      { groups: [] },
    ],
    ['bookkeeping of conditions', one({ sort_key: 'x', label: 'y', variant: 'a' }), one({ variant: 'a' })],
    ['no properties', one({ properties: [], variant: 'a' }), one({ variant: 'a' })],
    [
      'nulls of conditions',
      one({ properties: null, rollout_percentage: null, description: null, variant: null }),
      one({ rollout_percentage: 100 }),
    ],
    ['a bare condition', one({}), one({ rollout_percentage: 100 })],
    ['bookkeeping of properties', property({ label: 1 }), property({})],
    ['the name of a cohort', property({ type: 'cohort', cohort_name: 'x' }), property({ type: 'cohort' })],
    ['nulls of properties', property({ operator: null, negation: null, group_type_index: null }), property({})],
    ['nulls of variants', variants({ key: 'a', name: null, description: null }), variants({ key: 'a' })],
    [
      'the group type of the flag in a condition',
      one({ aggregation_group_type_index: 1, variant: 'a' }, { aggregation_group_type_index: 1 }),
      one({ variant: 'a' }, { aggregation_group_type_index: 1 }),
    ],
    [
      'persons in a condition of a flag without an aggregation',
      one({ aggregation_group_type_index: null, variant: 'a' }),
      one({ variant: 'a' }),
    ],
  ])('%s', (_what, filters, expected) => expect(written(filters)).toEqual(expected));
});

describe('other values are kept', () => {
  test.each<[string, JsonObject]>([
    ['an unknown null in a condition', one({ exposure_frozen: null, variant: 'a' })],
    ['an unknown null in a property', property({ note: null })],
    ['an unknown null in a variant', variants({ key: 'a', rollout_percentage: null })],
    [
      'the group type of a condition of a flag without one',
      { aggregation_group_type_index: null, ...one({ aggregation_group_type_index: 1 }) },
    ],
    [
      'persons in a condition of a flag about groups',
      one({ aggregation_group_type_index: null, variant: 'a' }, { aggregation_group_type_index: 1 }),
    ],
    ['a different group type', one({ aggregation_group_type_index: 2 }, { aggregation_group_type_index: 1 })],
    ['a tree of properties', one({ properties: { type: 'AND', values: [] } })],
    ['properties that are an empty object', one({ properties: {} })],
    ['properties that are false', one({ properties: false })],
    ['a property that is not an object', one({ properties: ['email', null, []] })],
    ['a condition that is not an object', { groups: [null, 'all', []] }],
    ['groups that are not a list', { groups: { a: 1 } }],
    ['variants that are not a list', { groups: [], multivariate: { variants: { a: 1 } } }],
    ['a variant that is not an object', variants('a', null)],
    ['a multivariate that is not an object', { groups: [], multivariate: ['a'] }],
    ['a multivariate without variants', { groups: [], multivariate: {} }],
    ['payloads that are not an object', { groups: [], payloads: ['{"a": 1}'] }],
    ['payloads that are an empty string', { groups: [], payloads: '' }],
    ['an unknown empty part', { groups: [], later: {} }],
    ['an unknown part without variants', { groups: [], later: { variants: [] } }],
    ['an unknown part', { groups: [], later: { properties: [], rollout_percentage: null } }],
  ])('%s', (_what, filters) => expect(written(filters)).toEqual(filters));

  test.each([[undefined], ['x'], [[1]]])('filters that are not an object: %s', (filters) => {
    expect(written(filters)).toEqual(filters);
  });
});

test('ids become names', () => {
  const properties = (cohort: JsonValue, flag: JsonValue): JsonObject =>
    one({
      properties: [
        { key: 'id', type: 'cohort', value: cohort },
        { key: flag, type: 'flag', value: true },
      ],
    });
  expect(written(properties(42, '2'))).toEqual(properties('beta-testers', 'other'));
  expect(written(properties('42', 2))).toEqual(properties('42', 'other'));
  expect(written(properties(7, '9'))).toEqual(properties(7, 9));
  expect(written(properties([42], 'key'))).toEqual(properties([42], 'key'));
});

test('payloads are values, or marks if they are secret', () => {
  const filters = { groups: [], payloads: { true: '{"a": 1}' } };
  const mark = '"********* (encrypted)"';
  expect(written(filters)).toEqual({ groups: [], payloads: { true: { a: 1 } } });
  expect(written(filters, { has_encrypted_payloads: true })).toEqual({ groups: [], payloads: { true: mark } });
  expect(written({ groups: [], payloads: ['s3cret'] }, { has_encrypted_payloads: true })).toEqual({
    groups: [],
    payloads: mark,
  });
  expect(written({ groups: [], payloads: {} }, { has_encrypted_payloads: true })).toEqual({ groups: [] });
});

test.each<[JsonValue, number | undefined]>([
  [{ groups: [{ rollout_percentage: 5 }] }, 5],
  [{ groups: [{ rollout_percentage: 0 }] }, 0],
  [{ groups: [{ rollout_percentage: '5' }] }, undefined],
  [{ groups: [{ rollout_percentage: 5, variant: 'a' }] }, undefined],
  [{ groups: [{ variant: 'a' }] }, undefined],
  [{ groups: [{}] }, undefined],
  [{ groups: [{ rollout_percentage: 5 }], payloads: { true: 1 } }, undefined],
  [{ groups: [{ rollout_percentage: 5 }, { rollout_percentage: 5 }] }, undefined],
  [{ groups: [] }, undefined],
  [{ groups: [5] }, undefined],
  [{ groups: [null] }, undefined],
  [{ groups: { rollout_percentage: 5 } }, undefined],
  [{ groups: 'a' }, undefined],
  [{}, undefined],
  [[{ rollout_percentage: 5 }], undefined],
  ['a', undefined],
])('the shorthand of %j is %s', (filters, rollout) => expect(plainRollout(filters)).toBe(rollout));

/** PostHog's rules for filters: the stored form, and the code of each refusal. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { FLAGS, pathOf, start } from '../harness.ts';

const TWO = [
  { key: 'a', rollout_percentage: 50 },
  { key: 'b', rollout_percentage: 50 },
];
const multivariate = { variants: TWO };

function withProperty(property: JsonObject, group: JsonObject = {}): JsonObject {
  return { groups: [{ properties: [property], ...group }] };
}

const STORED: [what: string, sent: JsonObject, stored: JsonObject][] = [
  [
    'defaults of a condition',
    { groups: [{}] },
    { groups: [{ properties: [], aggregation_group_type_index: null }], aggregation_group_type_index: null },
  ],
  ['null properties', { groups: [{ properties: null }] }, { groups: [{ properties: [] }] }],
  [
    'a flag-level aggregation, copied down',
    { groups: [{}], aggregation_group_type_index: 1 },
    { groups: [{ aggregation_group_type_index: 1 }], aggregation_group_type_index: 1 },
  ],
  [
    'a common aggregation, copied up',
    { groups: [{ aggregation_group_type_index: 1 }, { aggregation_group_type_index: 1 }] },
    { aggregation_group_type_index: 1 },
  ],
  [
    'mixed aggregations',
    { groups: [{ aggregation_group_type_index: 1 }, {}] },
    {
      groups: [{ aggregation_group_type_index: 1 }, { aggregation_group_type_index: null }],
      aggregation_group_type_index: null,
    },
  ],
  [
    'operator aliases',
    withProperty({ key: 'n', operator: 'min', value: '5' }),
    withProperty({ key: 'n', operator: 'gte', value: '5' }),
  ],
  [
    'a number as property key',
    withProperty({ key: 5, operator: 'is_set', value: 'is_set' }),
    withProperty({ key: '5' }),
  ],
  ['percentages as strings', { groups: [{ rollout_percentage: '12.5' }] }, { groups: [{ rollout_percentage: 12.5 }] }],
  [
    'no percentage',
    { groups: [{ variant: null, description: 'd', sort_key: 's' }] },
    { groups: [{ variant: null, description: 'd', sort_key: 's' }] },
  ],
  [
    'payload values as strings of JSON',
    { groups: [{}], payloads: { true: { a: [1, 'ü', null], b: {} } } },
    { payloads: { true: '{"a": [1, "ü", null], "b": {}}' } },
  ],
  [
    'payload strings unchanged',
    { groups: [{}], multivariate, payloads: { a: '{"x":1}', b: '"text"' } },
    { payloads: { a: '{"x":1}', b: '"text"' } },
  ],
  [
    'parts of other products',
    { groups: [{}], holdout: { id: 9, exclusion_percentage: 10 }, feature_enrollment: true, early_exit: true },
    { holdout: { id: 9, exclusion_percentage: 10 }, feature_enrollment: true, early_exit: true },
  ],
];

test.each(STORED)('stores %s', async (_what, sent, stored) => {
  const client = await start({ profile: 'posthog' });
  const created = await client.create({ key: 'a', filters: sent });
  expect(created['filters']).toMatchObject(stored);
  expect((await client.get(pathOf(created))).body['filters']).toEqual(created['filters']);
});

test('drops unknown members', async () => {
  const client = await start({ profile: 'posthog' });
  const group = { colour: 'red', properties: [{ key: 'p', operator: 'is_set', value: 'x', shade: 1 }] };
  const filters = { groups: [group], super_groups: [{}], holdout_groups: [], size: 1 };
  const created = await client.create({ key: 'a', filters });
  expect(created['filters']).toEqual({
    groups: [{ properties: [{ key: 'p', operator: 'is_set', value: 'x' }], aggregation_group_type_index: null }],
    aggregation_group_type_index: null,
  });
});

const P = 'structural.groups[].properties[]';
const REFUSED: [code: string, filters: JsonObject][] = [
  ['structural.groups.not_a_list', { groups: {} }],
  ['structural.groups.null', { groups: null }],
  ['structural.groups[].not_a_dict', { groups: [5] }],
  ['structural.groups[].rollout_percentage.max_value', { groups: [{}, { rollout_percentage: 101 }] }],
  ['structural.groups[].rollout_percentage.min_value', { groups: [{ rollout_percentage: -1 }] }],
  ['structural.groups[].rollout_percentage.invalid', { groups: [{ rollout_percentage: 'all' }] }],
  ['structural.groups[].description.invalid', { groups: [{ description: {} }] }],
  ['structural.groups[].aggregation_group_type_index.invalid', { groups: [{ aggregation_group_type_index: 0.5 }] }],
  [`${P}.key.required`, withProperty({ value: 1 })],
  [`${P}.key.blank`, withProperty({ key: '', value: 1 })],
  [`${P}.type.invalid_choice`, withProperty({ key: 'a', type: 'event', value: 1 })],
  [`${P}.operator.invalid_choice`, withProperty({ key: 'a', operator: 'equals', value: 1 })],
  [`${P}.negation.invalid`, withProperty({ key: 'a', negation: 'no', value: 1 })],
  ['structural.multivariate.variants.required', { groups: [{}], multivariate: {} }],
  ['structural.multivariate.variants.empty', { groups: [{}], multivariate: { variants: [] } }],
  [
    'structural.multivariate.variants[].key.invalid',
    { groups: [{}], multivariate: { variants: [{ key: 'a b', rollout_percentage: 100 }] } },
  ],
  [
    'structural.multivariate.variants[].rollout_percentage.required',
    { groups: [{}], multivariate: { variants: [{ key: 'a' }] } },
  ],
  ['structural.payloads.not_a_dict', { groups: [{}], payloads: [] }],
  ['structural.holdout.exclusion_percentage.required', { groups: [{}], holdout: { id: 1 } }],
  ['reserved_config_version', { groups: [{}], version: 2 }],
  [
    'cross_field.variant_rollout_sum_not_100',
    { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: 99 }] } },
  ],
  [
    'cross_field.variant_keys_not_unique',
    { groups: [{}], multivariate: { variants: [TWO[0] ?? null, TWO[0] ?? null] } },
  ],
  ['cross_field.group_variant_not_a_variant', { groups: [{ variant: 'c' }], multivariate }],
  ['cross_field.payload_key_not_a_variant', { groups: [{}], multivariate, payloads: { true: '1' } }],
  ['cross_field.payload_key_not_true', { groups: [{}], payloads: { a: '1' } }],
  ['structural.payloads.invalid_payload_json', { groups: [{}], payloads: { true: 'not json' } }],
  [
    'cross_field.person_aggregation_property_type',
    withProperty({ key: 'a', type: 'group', group_type_index: 0, value: 1 }),
  ],
  [
    'cross_field.group_aggregation_property_type',
    withProperty({ key: 'a', type: 'person', value: 1 }, { aggregation_group_type_index: 0 }),
  ],
  [
    'cross_field.group_property_type_index_mismatch',
    withProperty({ key: 'a', type: 'group', group_type_index: 1, value: 1 }, { aggregation_group_type_index: 0 }),
  ],
  [
    'cross_field.flag_property_requires_flag_evaluates_to',
    withProperty({ key: '1', type: 'flag', operator: 'exact', value: true }),
  ],
  ['cross_field.in_not_in_requires_cohort', withProperty({ key: 'a', operator: 'in', value: [1] })],
  ['cross_field.date_value_not_parseable', withProperty({ key: 'a', operator: 'is_date_after', value: 'soon' })],
  ['cross_field.operator_requires_string_value', withProperty({ key: 'a', operator: 'gte', value: 5 })],
  ['cross_field.operator_requires_list_value', withProperty({ key: 'a', operator: 'icontains_multi', value: 'x' })],
  ['cross_field.semver_value_invalid', withProperty({ key: 'a', operator: 'semver_gt', value: 'new' })],
  ['cohort_does_not_exist', withProperty({ key: 'id', type: 'cohort', operator: 'in', value: 43 })],
  ['invalid_input', withProperty({ key: 'a', operator: 'regex', value: '(' })],
  ['invalid_input', { groups: [{ description: 'x'.repeat(512 * 1024) }] }],
];

test.each(REFUSED)('refuses with %s', async (code, filters) => {
  const client = await start({ profile: 'posthog' });
  const answered = await client.post(FLAGS, { key: 'a', filters });
  expect(answered).toMatchObject({ status: 400, body: { type: 'validation_error', code, attr: 'filters' } });
});

test('a structural refusal names the concrete place', async () => {
  const client = await start({ profile: 'posthog' });
  const answered = await client.post(FLAGS, { key: 'a', filters: { groups: [{}, { rollout_percentage: 101 }] } });
  expect(answered.body['detail']).toMatch(/^groups\[1\]\.rollout_percentage: /);
});

const FINE: [operator: string, value: JsonValue][] = [
  ['is_date_before', '-7d'],
  ['is_date_exact', '2026-01-31'],
  ['is_date_after', '2026-01-31T10:00:00Z'],
  ['semver_gte', 'v1.2.3-rc.1'],
  ['semver_wildcard', '1.2.*'],
  ['regex', '(?i)^a'],
  ['not_regex', '(?P<name>a)'],
  ['gt', '5'],
  ['exact', ['a', 1]],
  ['is_set', 'is_set'],
  ['between', [1, 2]],
];

test.each(FINE)('accepts %s with %j', async (operator, value) => {
  const client = await start({ profile: 'posthog' });
  expect((await client.post(FLAGS, { key: 'a', filters: withProperty({ key: 'p', operator, value }) })).status).toBe(
    201,
  );
});

test('invalid filters of an old flag are refused when they are edited, not in other updates', async () => {
  const seed = [{ id: 1, key: 'a', filters: { groups: [{ rollout_percentage: 200 }] } }];
  const client = await start({ profile: 'posthog', seed });
  expect((await client.patch(`${FLAGS}1/`, { name: 'x' })).status).toBe(200);
  expect((await client.patch(`${FLAGS}1/`, { filters: { payloads: {} } })).status).toBe(400);
});

test('a stored pattern is not checked again', async () => {
  const filters = withProperty({ key: 'a', operator: 'regex', value: '(' });
  const client = await start({ profile: 'posthog', seed: [{ id: 1, key: 'a', filters }] });
  expect((await client.patch(`${FLAGS}1/`, { filters })).status).toBe(200);
});

test('a flag with filters of another version refuses every write', async () => {
  const client = await start({ profile: 'posthog', seed: [{ id: 1, key: 'a', filters: { version: 2, rules: [] } }] });
  const answered = await client.patch(`${FLAGS}1/`, { name: 'x' });
  expect(answered).toMatchObject({ status: 400, body: { code: 'unsupported_config_version' } });
});

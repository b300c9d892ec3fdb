/** PostHog's rules for filters: the stored form, and the code of each refusal. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { FLAGS, pathOf, start } from '../harness.ts';

const TWO = [
  { key: 'a', rollout_percentage: 50 },
  { key: 'b', rollout_percentage: 50 },
];
const multivariate = { variants: TWO };

/** A property is of a person unless it says otherwise; null leaves its type out. */
function withProperty({ type = 'person', ...property }: JsonObject, group: JsonObject = {}): JsonObject {
  return { groups: [{ properties: [type === null ? property : { ...property, type }], ...group }] };
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
  [
    'a fraction as property key',
    withProperty({ key: 1.5, operator: 'is_set', value: 'is_set' }),
    withProperty({ key: '1.5' }),
  ],
  [
    'no percentage',
    { groups: [{ variant: null, description: 'd', sort_key: 's' }] },
    { groups: [{ variant: null, description: 'd', sort_key: 's' }] },
  ],
  [
    'an empty variant, which forces none',
    { groups: [{ variant: '', description: '' }] },
    { groups: [{ variant: '', description: '' }] },
  ],
  ['a sort key of any kind', { groups: [{ sort_key: 5 }] }, { groups: [{ sort_key: 5 }] }],
  [
    'payload values as strings of JSON',
    { groups: [{}], payloads: { true: { a: [1, 'ü', null], b: {} } } },
    { payloads: { true: '{"a": [1, "\\u00fc", null], "b": {}}' } },
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
  const group = { colour: 'red', properties: [{ key: 'p', type: 'person', operator: 'is_set', value: 'x', shade: 1 }] };
  const filters = { groups: [group], super_groups: [{}], holdout_groups: [], size: 1 };
  const created = await client.create({ key: 'a', filters });
  expect(created['filters']).toEqual({
    groups: [
      {
        properties: [{ key: 'p', type: 'person', operator: 'is_set', value: 'x' }],
        aggregation_group_type_index: null,
      },
    ],
    aggregation_group_type_index: null,
  });
});

const G = 'structural.groups[]';
const P = `${G}.properties[]`;

/** A row for each value with the same code. */
function refusedBy(
  code: string,
  values: readonly JsonValue[],
  filtersOf: (value: JsonValue) => JsonObject,
): [code: string, filters: JsonObject][] {
  return values.map((value) => [code, filtersOf(value)]);
}

function withVariant(variant: JsonObject): JsonObject {
  return { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: 100, ...variant }] } };
}

const REFUSED: [code: string, filters: JsonObject][] = [
  ['structural.groups.not_a_list', { groups: {} }],
  ['structural.groups.null', { groups: null }],
  [`${G}.invalid`, { groups: [5] }],
  [`${G}.rollout_percentage.max_value`, { groups: [{}, { rollout_percentage: 101 }] }],
  [`${G}.rollout_percentage.min_value`, { groups: [{ rollout_percentage: -1 }] }],
  ...refusedBy(`${G}.rollout_percentage.invalid`, ['50', '', true, [50], {}], (rollout_percentage) => ({
    groups: [{ rollout_percentage }],
  })),
  ...refusedBy(`${G}.variant.invalid`, [42, true, {}], (variant) => ({ groups: [{ variant }], multivariate })),
  ...refusedBy(`${G}.description.invalid`, [5, {}, false], (description) => ({ groups: [{ description }] })),
  [`${G}.description.null_characters_not_allowed`, { groups: [{ description: 'a\0b' }] }],
  [`${G}.description.surrogate_characters_not_allowed`, { groups: [{ description: 'a\ud800' }] }],
  ...refusedBy(`${G}.aggregation_group_type_index.invalid`, ['0', 0.5, true], (index) => ({
    groups: [{ aggregation_group_type_index: index }],
  })),
  [`${G}.aggregation_group_type_index.max_value`, { groups: [{ aggregation_group_type_index: 2 ** 31 }] }],
  [`${G}.aggregation_group_type_index.min_value`, { groups: [{ aggregation_group_type_index: -(2 ** 31) - 1 }] }],
  ...refusedBy(`${G}.exposure_frozen.invalid`, ['true', 1], (frozen) => ({ groups: [{ exposure_frozen: frozen }] })),
  [`${G}.exposure_frozen_cohort.invalid`, { groups: [{ exposure_frozen_cohort: '7' }] }],
  [`${G}.properties.not_a_list`, { groups: [{ properties: {} }] }],
  [`${P}.invalid`, { groups: [{ properties: ['x'] }] }],
  [`${P}.key.required`, withProperty({ value: 1 })],
  [`${P}.key.null`, withProperty({ key: null, value: 1 })],
  [`${P}.key.blank`, withProperty({ key: '', value: 1 })],
  ...refusedBy(`${P}.key.invalid`, [true, ['a'], {}], (key) => withProperty({ key, value: 1 })),
  [`${P}.type.required`, withProperty({ key: 'a', type: null, value: 1 })],
  [`${P}.type.null`, { groups: [{ properties: [{ key: 'a', type: null, value: 1 }] }] }],
  ...refusedBy(`${P}.type.invalid_choice`, ['event', 'person_metadata', '', 5], (type) =>
    withProperty({ key: 'a', type, value: 1 }),
  ),
  ...refusedBy(`${P}.operator.invalid_choice`, ['equals', 'between', 'not_between', '', [], {}], (operator) =>
    withProperty({ key: 'a', operator, value: [1, 2] }),
  ),
  ...refusedBy(`${P}.negation.invalid`, ['no', 1], (negation) => withProperty({ key: 'a', negation, value: 1 })),
  ...refusedBy(`${P}.group_type_index.invalid`, ['0', 1.5, true], (index) =>
    withProperty({ key: 'a', group_type_index: index, value: 1 }),
  ),
  [`${P}.label.invalid`, withProperty({ key: 'a', label: 5, value: 1 })],
  ['structural.multivariate.invalid', { groups: [{}], multivariate: [] }],
  ['structural.multivariate.variants.required', { groups: [{}], multivariate: {} }],
  ['structural.multivariate.variants.empty', { groups: [{}], multivariate: { variants: [] } }],
  ...refusedBy('structural.multivariate.variants[].key.invalid', [5, 'a b', 'a,b'], (key) => withVariant({ key })),
  ['structural.multivariate.variants[].key.blank', withVariant({ key: '' })],
  ['structural.multivariate.variants[].key.max_length', withVariant({ key: 'k'.repeat(401) })],
  ['structural.multivariate.variants[].name.invalid', withVariant({ name: 5 })],
  [
    'structural.multivariate.variants[].rollout_percentage.required',
    { groups: [{}], multivariate: { variants: [{ key: 'a' }] } },
  ],
  ['structural.multivariate.variants[].rollout_percentage.null', withVariant({ rollout_percentage: null })],
  ['structural.multivariate.variants[].rollout_percentage.invalid', withVariant({ rollout_percentage: '100' })],
  ...refusedBy('structural.aggregation_group_type_index.invalid', ['0', 1.5], (index) => ({
    groups: [{}],
    aggregation_group_type_index: index,
  })),
  ['structural.aggregation_group_type_index.max_value', { groups: [{}], aggregation_group_type_index: 2 ** 31 }],
  ['structural.payloads.not_a_dict', { groups: [{}], payloads: [] }],
  ['structural.payloads.invalid_payload_json', { groups: [{}], payloads: { true: '' } }],
  ['structural.payloads.invalid_payload_json', { groups: [{}], payloads: { true: 'NaN' } }],
  ['structural.feature_enrollment.invalid', { groups: [{}], feature_enrollment: 'true' }],
  ['structural.early_exit.invalid', { groups: [{}], early_exit: 1 }],
  ['structural.holdout.invalid', { groups: [{}], holdout: 5 }],
  ['structural.holdout.id.required', { groups: [{}], holdout: { exclusion_percentage: 10 } }],
  ['structural.holdout.id.invalid', { groups: [{}], holdout: { id: '5', exclusion_percentage: 10 } }],
  ['structural.holdout.id.max_value', { groups: [{}], holdout: { id: 2 ** 63, exclusion_percentage: 10 } }],
  ['structural.holdout.exclusion_percentage.required', { groups: [{}], holdout: { id: 1 } }],
  [
    'structural.holdout.exclusion_percentage.max_value',
    { groups: [{}], holdout: { id: 1, exclusion_percentage: 150 } },
  ],
  ['reserved_config_version', { groups: [{}], version: 2 }],
  ['reserved_config_version', { version: 1 }],
  ['invalid_input', { groups: [] }],
  [
    'cross_field.variant_rollout_sum_not_100',
    { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: 99.9999999 }] } },
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
  ...refusedBy(
    'cross_field.date_value_not_parseable',
    ['soon', '2026-02-31', '10000d', '7x', ' -7d', ['2026-01-01'], null],
    (value) => withProperty({ key: 'a', operator: 'is_date_after', value }),
  ),
  ...['gt', 'gte', 'lt', 'lte', 'icontains', 'not_icontains', 'regex', 'not_regex', 'starts_with', 'not_ends_with'].map(
    (operator): [string, JsonObject] => [
      'cross_field.operator_requires_string_value',
      withProperty({ key: 'a', operator, value: 5 }),
    ],
  ),
  ['cross_field.operator_requires_list_value', withProperty({ key: 'a', operator: 'icontains_multi', value: 'x' })],
  ...refusedBy('cross_field.semver_value_invalid', ['new', 'v1.2.3', '1..2', '', 1.2, '1.2.3+build'], (value) =>
    withProperty({ key: 'a', operator: 'semver_gt', value }),
  ),
  ...refusedBy('cross_field.semver_value_invalid', ['*', '1.x', '1.*.3x'], (value) =>
    withProperty({ key: 'a', operator: 'semver_wildcard', value }),
  ),
  ['cohort_does_not_exist', withProperty({ key: 'id', type: 'cohort', operator: 'in', value: 43 })],
  ['invalid_input', withProperty({ key: 'a', operator: 'regex', value: '(' })],
  ['invalid_input', { groups: [{ description: 'x'.repeat(512 * 1024) }] }],
];

/** The first problem in the order of the service's fields and rules. */
const FIRST: [code: string, filters: JsonObject][] = [
  [`${P}.type.required`, { groups: [{ rollout_percentage: 101, properties: [{ negation: 1, key: 'a' }] }] }],
  ['structural.payloads.not_a_dict', { groups: [{}], early_exit: 1, payloads: [] }],
  ['structural.early_exit.invalid', { groups: [{ variant: 'c' }], early_exit: 1 }],
  ['structural.early_exit.invalid', { groups: [], early_exit: 1 }],
  ['invalid_input', withProperty({ key: '9', type: 'flag', operator: 'exact', value: true }, { variant: 'c' })],
  [
    'cross_field.variant_rollout_sum_not_100',
    { ...withProperty({ key: 'a', operator: 'in', value: 1 }), multivariate: { variants: TWO.slice(1) } },
  ],
  ['cross_field.in_not_in_requires_cohort', twoProperties({ operator: 'regex', value: '(' }, { operator: 'in' })],
];

function twoProperties(...properties: JsonObject[]): JsonObject {
  return { groups: [{ properties: properties.map((one) => ({ key: 'a', type: 'person', value: 'x', ...one })) }] };
}

test.each([...REFUSED, ...FIRST])('refuses with %s: %j', async (code, filters) => {
  const client = await start({ profile: 'posthog', seed: [{ id: 1, key: 'base', filters: { groups: [{}] } }] });
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
  ['semver_gte', '1.2.3-rc.1'],
  ['semver_gte', '1.2.3.4'],
  ['is_date_after', '2024'],
  ['icontains_multi', [1]],
  ['starts_with', 'a'],
  ['semver_wildcard', '1.2.*'],
  ['regex', '(?i)^a'],
  ['not_regex', '(?P<name>a)'],
  ...['(?>a)b', 'a++', '[[:alpha:]]', '(?a)b', 'a{,2}', '(?<=ab)c'].map((pattern): [string, string] => [
    'regex',
    pattern,
  ]),
  ['gt', '5'],
  ['exact', ['a', 1]],
  ['is_set', 'is_set'],
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

test.each(['a(?i)B', '\\p{L}', '\\h', '\\z', '\\x{41}', '(?<n>a)', '(?U)a', '^*', '(?<=a|bc)d'])(
  'refuses the new pattern %s, which evaluation may know',
  async (value) => {
    const client = await start({ profile: 'posthog' });
    const filters = withProperty({ key: 'p', operator: 'regex', value });
    expect(await client.post(FLAGS, { key: 'a', filters })).toMatchObject({ status: 400, body: { attr: 'filters' } });
  },
);

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

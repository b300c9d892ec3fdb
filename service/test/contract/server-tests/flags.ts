/** PostHog's tests of creating, changing, deleting and evaluating flags. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal, type Step } from '../behaviour.ts';
import { flagsSeed, type ServerTest } from './case.ts';

const email = { key: 'email', type: 'person', value: '@posthog.com', operator: 'icontains' };
const unique = refusal(400, 'unique', 'key');

function variants(...shares: readonly number[]): JsonObject {
  const names = ['first-variant', 'second-variant', 'third-variant'];
  return { variants: shares.map((share, index) => ({ key: names[index] ?? '', rollout_percentage: share })) };
}

function creates(body: JsonObject, expected: JsonObject): Step {
  return { ask: 'POST /feature_flags/', body, expect: { status: 201, body: expected }, keep: { id: '/id' } };
}

function reason(value: JsonObject[string], code: string, index: number | null): JsonObject {
  return { value: value ?? null, evaluation: { reason: code, condition_index: index } };
}

const condition = (properties: readonly JsonObject[], share?: number): JsonObject => ({
  properties,
  ...(share !== undefined && { rollout_percentage: share }),
});

const beta = { key: 'beta-property', type: 'person', value: 'beta-value' };
const EVALUATED = {
  group_types: [
    { group_type_index: 0, group_type: 'organization' },
    { group_type_index: 1, group_type: 'company' },
  ],
  persons: [{ distinct_ids: ['1', '2'], properties: { 'beta-property': 'beta-value' } }],
  ...flagsSeed(
    { key: 'alpha-feature', filters: { groups: [{ rollout_percentage: 20 }], multivariate: variants(50, 25, 25) } },
    { key: 'beta-feature', filters: { groups: [condition([beta], 81)] } },
    { key: 'inactive-flag', active: false, filters: { groups: [condition([], 100)] } },
    { key: 'group-feature', filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 61 }] } },
  ),
};

export const FLAGS_OF_TESTS: readonly ServerTest[] = [
  {
    name: 'test_cant_create_flag_with_duplicate_key',
    seed: flagsSeed({ key: 'red_button' }),
    steps: [{ ask: 'POST /feature_flags', body: { name: 'Beta feature', key: 'red_button' }, expect: unique }],
  },
  {
    name: 'test_cant_create_flag_with_key_with_invalid_characters',
    only: 'posthog',
    steps: ['foo?bar=baz', 'foo/bar', 'foo\\bar', 'foo.bar', 'foo bar'].map((key) => ({
      ask: 'POST /feature_flags',
      body: { key },
      expect: refusal(400, 'invalid_key', 'key'),
    })),
  },
  {
    name: 'test_cant_create_flag_with_key_too_long',
    steps: [
      { ask: 'POST /feature_flags', body: { key: 'a'.repeat(401) }, expect: refusal(400, 'max_length', 'key') },
      creates({ key: 'a'.repeat(400) }, { key: 'a'.repeat(400) }),
    ],
  },
  {
    name: 'test_cant_create_feature_flag_without_key',
    steps: [{ ask: 'POST /feature_flags/', expect: refusal(400, 'required', 'key') }],
  },
  {
    name: 'test_cant_update_flag_with_duplicate_key',
    seed: flagsSeed({ key: 'red_button' }, { key: 'some-feature' }),
    steps: [
      { ask: 'PATCH /feature_flags/2', body: { name: 'Beta feature', key: 'red_button' }, expect: unique },
      { ask: 'GET /feature_flags/2', expect: ok({ key: 'some-feature', name: '' }) },
      {
        ask: 'PATCH /feature_flags/1/',
        body: { name: 'Beta feature 3', key: 'red_button' },
        expect: ok({ name: 'Beta feature 3' }),
      },
    ],
  },
  {
    name: 'test_is_simple_flag',
    only: 'documented',
    steps: [
      creates(
        { key: 'simple', filters: { groups: [{ rollout_percentage: 65 }] } },
        { is_simple_flag: true, rollout_percentage: 65 },
      ),
      creates({ key: 'not-simple', filters: { groups: [condition([email], 65)] } }, { is_simple_flag: false }),
      creates(
        { key: 'groups', filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 65 }] } },
        { is_simple_flag: false },
      ),
    ],
  },
  {
    name: 'test_create_minimal_feature_flag',
    steps: [creates({ key: 'omega-feature' }, { key: 'omega-feature', name: '', active: true, deleted: false })],
  },
  {
    name: 'test_create_without_filters_persists_groups_invariant',
    only: 'posthog',
    steps: [creates({ key: 'no-filters-flag' }, { filters: { groups: [] } })],
  },
  {
    name: 'test_validation_empty_groups',
    only: 'posthog',
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: { key: 'empty-groups-flag', filters: { groups: [] } },
        expect: refusal(400, 'invalid_input', 'filters'),
      },
    ],
  },
  {
    name: 'test_validation_empty_groups_allowed_on_update',
    seed: flagsSeed({ key: 'test-flag-update', filters: { groups: [condition([], 100)] } }),
    steps: [
      { ask: 'PATCH /feature_flags/1/', body: { filters: { groups: [] } }, expect: ok({ filters: { groups: [] } }) },
    ],
  },
  ...(
    [
      ['lt', [50, 25, 0]],
      ['gt', [50, 25, 50]],
    ] as const
  ).map(([which, shares]): ServerTest => ({
    name: `test_cant_create_multivariate_feature_flag_with_variant_rollout_${which}_100`,
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: { key: 'multivariate-feature', filters: { groups: [{}], multivariate: variants(...shares) } },
        expect: {
          documented: refusal(400, 'invalid_input', null),
          posthog: refusal(400, 'cross_field.variant_rollout_sum_not_100', 'filters'),
        },
      },
    ],
  })),
  {
    name: 'test_cant_update_multivariate_feature_flag_with_invalid_variant_overrides',
    seed: flagsSeed({ key: 'a', filters: { groups: [{}], multivariate: variants(50, 25, 25) } }),
    steps: [
      {
        ask: 'PATCH /feature_flags/1',
        body: { filters: { groups: [{ variant: 'unknown-variant' }], multivariate: variants(50, 25, 25) } },
        expect: {
          documented: refusal(400, 'invalid_input', 'filters'),
          posthog: refusal(400, 'cross_field.group_variant_not_a_variant', 'filters'),
        },
      },
    ],
  },
  {
    name: 'test_hard_deleting_feature_flag_is_forbidden',
    seed: flagsSeed({ key: 'potato' }),
    steps: [
      { ask: 'DELETE /feature_flags/1/', expect: { status: 405, text: '' } },
      { ask: 'GET /feature_flags/1/', expect: ok({ key: 'potato', deleted: false }) },
    ],
  },
  {
    name: 'test_creating_a_feature_flag_with_same_team_and_key_after_deleting',
    seed: flagsSeed({ key: 'alpha-feature', deleted: true }),
    steps: [
      creates({ key: 'alpha-feature' }, { key: 'alpha-feature', id: 2 }),
      { ask: 'GET /feature_flags/1/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'test_updating_a_feature_flag_with_same_team_and_key_of_a_deleted_one',
    seed: flagsSeed({ key: 'alpha-feature', deleted: true }, { key: 'beta-feature' }),
    steps: [
      { ask: 'PATCH /feature_flags/2', body: { key: 'alpha-feature' }, expect: ok({ key: 'alpha-feature' }) },
      { ask: 'GET /feature_flags/1/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'test_my_flags_empty_flags',
    steps: [{ ask: 'GET /feature_flags/my_flags', expect: ok([]) }],
  },
  {
    name: 'test_my_flags_groups',
    seed: {
      group_types: [{ group_type_index: 0, group_type: 'organization' }],
      ...flagsSeed({
        key: 'groups-flag',
        filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 100 }] },
      }),
    },
    steps: [
      {
        ask: 'GET /feature_flags/my_flags',
        expect: ok([{ feature_flag: { key: 'groups-flag' }, value: false }]),
      },
      {
        ask: 'GET /feature_flags/my_flags?groups=%7B%22organization%22%3A%227%22%7D',
        expect: ok([{ feature_flag: { key: 'groups-flag' }, value: true }]),
      },
    ],
  },
  {
    name: 'test_evaluation_reasons',
    only: 'documented',
    seed: EVALUATED,
    steps: [
      {
        ask: 'GET /feature_flags/evaluation_reasons?distinct_id=test',
        expect: ok({
          'alpha-feature': reason(false, 'out_of_rollout_bound', 0),
          'beta-feature': reason(false, 'no_condition_match', 0),
          'group-feature': reason(false, 'no_group_type', null),
          'inactive-flag': reason(false, 'disabled', null),
        }),
      },
      {
        ask: 'GET /feature_flags/evaluation_reasons?distinct_id=2',
        expect: ok({
          'alpha-feature': reason('first-variant', 'condition_match', 0),
          'beta-feature': reason(true, 'condition_match', 0),
        }),
      },
      {
        ask: 'GET /feature_flags/evaluation_reasons?distinct_id=org1234&groups=%7B%22organization%22%3A%22org1234%22%7D',
        expect: ok({
          'alpha-feature': reason(false, 'out_of_rollout_bound', 0),
          'beta-feature': reason(false, 'no_condition_match', 0),
          'group-feature': reason(true, 'condition_match', 0),
        }),
      },
    ],
  },
  {
    name: 'test_local_evaluation',
    only: 'documented',
    seed: EVALUATED,
    steps: [
      {
        ask: 'GET //api/feature_flag/local_evaluation?token=phc_1',
        headers: { authorization: '' },
        expect: { status: 401 },
      },
      {
        ask: 'GET //api/feature_flag/local_evaluation?token=phc_1',
        expect: {
          status: 200,
          body: {
            flags: [{ key: 'group-feature' }, { key: 'inactive-flag', active: false }, {}, { key: 'alpha-feature' }],
            group_type_mapping: { '0': 'organization', '1': 'company' },
          },
          members: {
            '/flags/0': [
              ...['id', 'team_id', 'name', 'key', 'filters', 'deleted', 'active'],
              'ensure_experience_continuity',
            ],
          },
        },
      },
    ],
  },
  {
    name: 'test_local_evaluation_for_cohorts',
    only: 'documented',
    seed: {
      cohorts: [
        {
          id: 1,
          name: 'cohort1',
          filters: {
            properties: {
              type: 'OR',
              values: [
                {
                  type: 'OR',
                  values: ['$some_prop', '$some_prop2'].map((key) => ({ key, value: 'nomatchihope', type: 'person' })),
                },
              ],
            },
          },
        },
      ],
      ...flagsSeed({
        key: 'alpha-feature',
        filters: { groups: [condition([{ key: 'id', type: 'cohort', value: 1 }], 20)] },
      }),
    },
    steps: [
      {
        ask: 'GET //api/feature_flag/local_evaluation?token=phc_1',
        expect: ok({
          flags: [
            {
              filters: {
                groups: ['$some_prop', '$some_prop2'].map((key) => ({
                  rollout_percentage: 20,
                  properties: [{ key, value: 'nomatchihope', type: 'person' }],
                })),
              },
            },
          ],
        }),
      },
    ],
  },
];

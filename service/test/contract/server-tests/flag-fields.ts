/** PostHog's tests of single fields of a flag: devices, dashboards, names of groups, experiments, keys. */

import { ok, refusal } from '../behaviour.ts';
import { flagsSeed, type ServerTest } from './case.ts';

const only = 'posthog';
const EVERYBODY = { groups: [{ properties: [], rollout_percentage: 100 }] };
const NO_LONGER_BOTH = refusal(400, 'invalid_input', null);

const variants = ['control', 'test'].map((key) => ({ key, rollout_percentage: 50 }));
const experimentFlag = {
  ...flagsSeed({ key: 'tried', filters: { ...EVERYBODY, multivariate: { variants } } }),
  experiments: [{ id: 7, name: 'Colours', flag: 'tried', is_running: true }],
};

function groupKey(value: string | string[]): { key: string; type: string; value: string | string[]; operator: string } {
  return { key: '$group_key', type: 'group', value, operator: 'exact' };
}

export const FLAG_FIELDS: readonly ServerTest[] = [
  {
    name: 'test_validation_device_bucketing_create',
    only,
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: {
          key: 'blocked',
          filters: EVERYBODY,
          bucketing_identifier: 'device_id',
          ensure_experience_continuity: true,
        },
        expect: NO_LONGER_BOTH,
      },
      {
        ask: 'POST /feature_flags/',
        body: {
          key: 'allowed',
          filters: EVERYBODY,
          bucketing_identifier: 'device_id',
          ensure_experience_continuity: false,
        },
        expect: { status: 201, body: { bucketing_identifier: 'device_id' } },
        keep: { id: '/id' },
      },
      { ask: 'PATCH /feature_flags/{id}/', body: { ensure_experience_continuity: true }, expect: NO_LONGER_BOTH },
    ],
  },
  {
    name: 'test_validation_device_bucketing_update (grandfathered_combination_can_save)',
    only,
    seed: flagsSeed({
      key: 'existing',
      bucketing_identifier: 'device_id',
      ensure_experience_continuity: true,
      filters: EVERYBODY,
    }),
    steps: [
      { ask: 'PATCH /feature_flags/1/', body: { name: 'Updated' }, expect: ok({ name: 'Updated' }) },
      { ask: 'PATCH /feature_flags/1/', body: { ensure_experience_continuity: true }, expect: ok() },
      { ask: 'PATCH /feature_flags/1/', body: { bucketing_identifier: null }, expect: ok() },
      { ask: 'PATCH /feature_flags/1/', body: { bucketing_identifier: 'device_id' }, expect: NO_LONGER_BOTH },
    ],
  },
  {
    name: 'test_feature_flag_dashboard_already_exists',
    only,
    seed: flagsSeed({ key: 'some-feature', analytics_dashboards: [3], filters: EVERYBODY }, { key: 'other' }),
    steps: [
      { ask: 'PATCH /feature_flags/2', body: { analytics_dashboards: [3] }, expect: ok({ analytics_dashboards: [3] }) },
      {
        ask: 'PATCH /feature_flags/2',
        body: { analytics_dashboards: ['3'] },
        expect: ok({ analytics_dashboards: [3] }),
      },
    ],
  },
  {
    name: 'test_feature_flag_dashboard_patch (unknown dashboards)',
    only,
    seed: flagsSeed({ key: 'some-feature', filters: EVERYBODY }),
    steps: [
      ...[
        [[999], 'does_not_exist'],
        [['x'], 'incorrect_type'],
        [[true], 'incorrect_type'],
        [3, 'not_a_list'],
      ].map(([ids, code]) => ({
        ask: 'PATCH /feature_flags/1',
        body: { analytics_dashboards: ids ?? null },
        expect: refusal(400, String(code), 'analytics_dashboards'),
      })),
      {
        ask: 'POST /feature_flags/',
        body: { key: 'new', analytics_dashboards: [999] },
        expect: refusal(400, 'does_not_exist', 'analytics_dashboards'),
      },
    ],
  },
  {
    name: 'test_create_feature_flag_usage_dashboard',
    seed: flagsSeed({ key: 'seeded', usage_dashboard: 41 }),
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: { key: 'first' },
        expect: {
          documented: { status: 201, body: { usage_dashboard: 42 } },
          posthog: { status: 201, body: { usage_dashboard: null } },
        },
        keep: { id: '/id' },
      },
      {
        ask: 'PATCH /feature_flags/{id}/',
        body: { name: 'Updated' },
        expect: { documented: ok({ usage_dashboard: 42 }), posthog: ok({ usage_dashboard: null }) },
      },
    ],
  },
  {
    name: 'test_feature_flag_includes_group_key_names',
    only,
    seed: {
      group_types: [{ group_type_index: 0, group_type: 'organization' }],
      groups: [
        { group_type_index: 0, key: 'org-uuid-1', name: 'Acme Corp' },
        { group_type_index: 0, key: 'org-uuid-2', name: 'Widget Inc' },
        { group_type_index: 0, key: '7' },
        { group_type_index: 1, key: 'org-uuid-3', name: 'Of another type' },
      ],
    },
    steps: [
      {
        ask: 'POST /feature_flags/',
        body: {
          key: 'group-flag',
          filters: {
            aggregation_group_type_index: 0,
            groups: [
              { properties: [{ ...groupKey(['org-uuid-1', 'org-uuid-2']), group_type_index: 0 }] },
              { properties: [{ ...groupKey(['org-uuid-3', '7', 'unknown']), group_type_index: 0 }] },
            ],
          },
        },
        expect: { status: 201 },
        keep: { id: '/id' },
      },
      {
        ask: 'GET /feature_flags/{id}/',
        expect: {
          status: 200,
          body: {
            filters: {
              groups: [0, 1].map(() => ({
                properties: [{ group_key_names: { 'org-uuid-1': 'Acme Corp', 'org-uuid-2': 'Widget Inc', '7': '7' } }],
              })),
            },
          },
          members: { '/filters/groups/1/properties/0/group_key_names': ['org-uuid-1', 'org-uuid-2', '7'] },
        },
      },
    ],
  },
  {
    name: 'test_cannot_remove_variant_of_running_experiment',
    only,
    seed: experimentFlag,
    steps: [
      {
        ask: 'PATCH /feature_flags/1/',
        body: { filters: { multivariate: { variants: [{ key: 'test', rollout_percentage: 100 }] } } },
        expect: refusal(400, 'invalid_input', 'filters'),
      },
      {
        ask: 'PATCH /feature_flags/1/',
        body: {
          filters: {
            multivariate: { variants: variants.map((one, index) => ({ ...one, rollout_percentage: index * 100 })) },
          },
        },
        expect: ok({ filters: { multivariate: { variants: [{ key: 'control' }, { key: 'test' }] } } }),
      },
      { ask: 'PATCH /feature_flags/1/', body: { deleted: true }, expect: refusal(400, 'invalid_input', null) },
    ],
  },
  {
    name: 'test_reuse_key_with_inconsistent_soft_deleted_flag_referenced_by_active_experiment',
    only,
    seed: {
      ...flagsSeed({ key: 'inconsistent-key', deleted: true }, { key: 'other' }),
      experiments: [{ id: 7, name: 'Colours', flag: 'inconsistent-key' }],
    },
    steps: [
      { ask: 'POST /feature_flags/', body: { key: 'inconsistent-key' }, expect: refusal(400, 'invalid_input', null) },
      {
        ask: 'PATCH /feature_flags/2/',
        body: { key: 'inconsistent-key' },
        expect: refusal(400, 'invalid_input', null),
      },
      { ask: 'GET /feature_flags/1/', expect: ok({ key: 'inconsistent-key', deleted: true }) },
    ],
  },
  {
    name: 'test_feature_flag_experiment_set_metadata_includes_running_status',
    only,
    seed: experimentFlag,
    steps: [
      {
        ask: 'GET /feature_flags/1/',
        expect: ok({
          experiment_set: [7],
          experiment_set_metadata: [{ id: 7, name: 'Colours', is_running: true }],
          is_eligible_for_experiment: true,
          surveys: [],
          features: [],
        }),
      },
    ],
  },
];

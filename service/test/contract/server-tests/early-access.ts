/** PostHog's tests of early access features, in the form of today: `feature_enrollment` in place of `super_groups`. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal, type Step } from '../behaviour.ts';
import { flagsSeed, type ServerTest } from './case.ts';

const PATH = '/early_access_feature/';
const GROUPS = [{ properties: [], rollout_percentage: null }];
const PERSONAL = { groups: [{ properties: [{ key: 'xyz', value: 'ok', type: 'person' }], rollout_percentage: null }] };

const linked: JsonObject = { feature_flag_id: 1 };

function create(stage: string, more: JsonObject = {}, flag: JsonObject = {}): Step {
  return {
    ask: `POST ${PATH}`,
    body: { name: 'Quick sharing', description: 'Share with one click.', stage, ...more },
    expect: {
      status: 201,
      body: { name: 'Quick sharing', stage, feature_flag: { key: 'quick-sharing', active: true, ...flag } },
    },
    keep: { feature: '/id' },
  };
}

function change(body: JsonObject, answer: JsonObject): Step {
  return { ask: `PATCH ${PATH}{feature}`, body, expect: ok(answer) };
}

const seeded = (filters: JsonObject, more: JsonObject = {}): JsonObject =>
  flagsSeed({ key: 'quick-sharing', filters, ...more });

const ENROLS = { filters: { feature_enrollment: true } };

function today(name: string, steps: readonly Step[], seed?: JsonObject): ServerTest {
  return { name, only: 'posthog', steps, ...(seed !== undefined && { seed }) };
}

export const EARLY_ACCESS_OF_TESTS: readonly ServerTest[] = [
  today('test_can_create_early_access_feature', [
    create('concept', {}, { filters: { groups: [{ rollout_percentage: 0 }] } }),
  ]),
  today('test_promote_to_beta', [
    create('concept'),
    change({ stage: 'beta' }, { stage: 'beta', feature_flag: ENROLS }),
  ]),
  today('test_archive', [
    create('beta', {}, ENROLS),
    change({ stage: 'archived' }, { stage: 'archived', feature_flag: { filters: { feature_enrollment: null } } }),
  ]),
  today('test_update_doesnt_remove_super_condition', [
    create('beta', {}, ENROLS),
    change({ description: 'Else.' }, { stage: 'beta', description: 'Else.', feature_flag: ENROLS }),
  ]),
  today(
    'test_we_dont_delete_existing_flag_information_when_creating_early_access_feature',
    [create('beta', linked, { filters: { ...PERSONAL, payloads: { true: '"Quick?"' }, feature_enrollment: true } })],
    seeded({ ...PERSONAL, payloads: { true: '"Quick?"' } }),
  ),
  today(
    'test_cant_create_early_access_feature_with_duplicate_key',
    [{ ...create('beta'), expect: refusal(400, 'unique', 'key'), keep: {} }],
    seeded({ groups: GROUPS }),
  ),
  today(
    'test_can_create_new_early_access_feature_with_soft_deleted_flag',
    [create('beta', {}, { filters: { groups: [{ rollout_percentage: 0 }], feature_enrollment: true } })],
    seeded({ groups: GROUPS }, { deleted: true }),
  ),
  today(
    'test_deleting_early_access_feature_removes_super_condition_from_flag',
    [
      create('beta', linked, ENROLS),
      { ask: `DELETE ${PATH}{feature}/`, expect: { status: 204, text: '' } },
      { ask: 'GET /feature_flags/1/', expect: ok({ filters: { ...PERSONAL, feature_enrollment: null } }) },
    ],
    seeded(PERSONAL),
  ),
  today(
    'test_cant_soft_delete_flag_with_early_access_feature',
    [
      create('beta', linked),
      { ask: 'PATCH /feature_flags/1/', body: { deleted: true }, expect: refusal(400, 'invalid_input', null) },
    ],
    seeded(PERSONAL),
  ),
  today(
    'test_cant_create_early_access_feature_with_group_flag',
    [{ ...create('beta', linked), expect: refusal(400, 'invalid_input', null), keep: {} }],
    seeded({ groups: GROUPS, aggregation_group_type_index: 1 }),
  ),
  today(
    'test_cant_create_early_access_feature_with_multivariate_flag',
    [{ ...create('beta', linked), expect: refusal(400, 'invalid_input', null), keep: {} }],
    seeded({ groups: GROUPS, multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] } }),
  ),
];

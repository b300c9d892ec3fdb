/** Values of flags: for a person, for the owner of the key, for an SDK, and the blast radius. */

import { isJsonArray } from '../../../../src/base/json.ts';
import { ok, refusal, type Behaviour, type Step } from '../behaviour.ts';

const pro = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };

function radius(
  affected: number,
  total: number,
): { documented: ReturnType<typeof ok>; posthog: ReturnType<typeof ok> } {
  return { documented: ok({ users_affected: affected, total_users: total }), posthog: ok({ affected, total }) };
}

const match = { reason: 'condition_match', condition_index: 0 };
const noMatch = { reason: 'no_condition_match', condition_index: 0 };

/** Conditions that cannot be evaluated. */
const UNJUDGED = [
  ...['x', {}, [5], [{}], [{ ...pro, operator: 'like' }], [{ ...pro, operator: 'regex', value: '(' }]],
  [{ ...pro, type: 'group', group_type_index: 0 }],
].map((properties) => ({ condition: { properties } }));
const ALSO_UNJUDGED = { condition: { properties: [pro] }, group_type_index: 0 };

export const EVALUATION: readonly Behaviour[] = [
  {
    name: 'evaluation reasons of a stored person',
    steps: [
      {
        ask: 'GET /feature_flags/evaluation_reasons/?distinct_id=ada-phone',
        expect: ok({
          everybody: { value: true, evaluation: match },
          paying: { value: 'blue', evaluation: match },
          'for-cohort': { value: true, evaluation: match },
          'for-listed': { value: false, evaluation: noMatch },
          'for-size': { value: false, evaluation: { reason: 'no_group_type' } },
          off: { value: false, evaluation: { reason: 'disabled', condition_index: null } },
        }),
      },
      {
        ask: 'GET /feature_flags/evaluation_reasons/?distinct_id=grace',
        expect: ok({ paying: { value: false, evaluation: noMatch }, 'for-listed': { value: true } }),
      },
      {
        ask: 'GET /feature_flags/evaluation_reasons/?distinct_id=stranger&groups=%7B%22company%22%3A%22acme%22%7D',
        expect: ok({ everybody: { value: true }, 'for-size': { value: true }, paying: { value: false } }),
      },
      { ask: 'GET /feature_flags/evaluation_reasons/', expect: refusal(400, 'required', 'distinct_id') },
      {
        ask: 'GET /feature_flags/evaluation_reasons/?distinct_id=ada&groups=%7B',
        expect: refusal(400, 'invalid_input', 'groups'),
      },
      {
        ask: 'GET /feature_flags/evaluation_reasons/?distinct_id=ada&flag_keys=everybody',
        expect: {
          documented: ok({ paying: { value: 'blue' } }),
          posthog: ok({ everybody: { evaluation: { ...match, description: 'Matched condition set 1' } } }),
        },
      },
    ],
  },
  {
    name: 'flags of the owner of the key',
    steps: [
      {
        ask: 'GET /feature_flags/my_flags/',
        expect: {
          documented: ok([
            { feature_flag: { key: 'for-listed', rollout_percentage: null }, value: false },
            { feature_flag: { key: 'for-size' }, value: false },
            { feature_flag: { key: 'for-cohort' }, value: false },
            { feature_flag: { key: 'paying' }, value: false },
            { feature_flag: { key: 'everybody' }, value: true },
          ]),
          posthog: ok([
            { feature_flag: { key: 'for-listed', team_id: 1 }, value: false },
            { feature_flag: { key: 'for-size' }, value: false },
            { feature_flag: { key: 'for-cohort' }, value: false },
            { feature_flag: { key: 'off' }, value: false },
            { feature_flag: { key: 'paying' }, value: false },
            { feature_flag: { key: 'everybody' }, value: true },
          ]),
        },
      },
    ],
  },
  {
    name: 'local evaluation: the only cohort replaced by properties, or cohorts beside the flags',
    steps: [
      {
        ask: 'GET //api/feature_flag/local_evaluation?token=phc_1',
        expect: {
          documented: ok({
            group_type_mapping: { '0': 'company' },
            flags: [
              { key: 'for-listed', filters: { groups: [{ properties: [{ type: 'cohort', value: 1 }] }] } },
              { key: 'for-size' },
              { key: 'for-cohort', filters: { groups: [{ properties: [{ key: 'plan', value: 'pro' }] }] } },
              { key: 'off', active: false },
              { key: 'paying' },
              { key: 'everybody', team_id: 1, deleted: false, ensure_experience_continuity: false },
            ],
          }),
          posthog: ok({
            group_type_mapping: { '0': 'company' },
            cohorts: { '2': { type: 'AND' } },
            flags: [
              { key: 'everybody' },
              { key: 'for-cohort', filters: { groups: [{ properties: [{ type: 'cohort' }] }] } },
              { key: 'for-listed' },
              { key: 'for-size' },
              { key: 'off' },
              { key: 'paying' },
            ],
          }),
        },
      },
      {
        ask: 'GET /feature_flags/local_evaluation/',
        expect: { documented: ok({ group_type_mapping: { '0': 'company' } }), posthog: refusal(404, 'not_found') },
      },
    ],
  },
  {
    name: 'the blast radius of a condition',
    steps: [
      { ask: 'POST /feature_flags/user_blast_radius/', body: { condition: {} }, expect: radius(4, 4) },
      {
        ask: 'POST /feature_flags/user_blast_radius/',
        body: { condition: { properties: [pro], rollout_percentage: 10 }, group_type_index: null },
        expect: radius(2, 4),
      },
      {
        ask: 'POST /feature_flags/user_blast_radius/',
        body: { condition: { properties: [{ key: 'id', type: 'cohort', value: 1 }] } },
        expect: radius(1, 4),
      },
      {
        ask: 'POST /feature_flags/user_blast_radius/',
        body: {
          condition: { properties: [{ key: 'size', type: 'group', group_type_index: 0, operator: 'gt', value: 100 }] },
          group_type_index: 0,
        },
        expect: radius(1, 2),
      },
      { ask: 'POST /feature_flags/user_blast_radius/', body: {}, expect: refusal(400, 'invalid_input', null) },
      {
        ask: 'POST /feature_flags/user_blast_radius/',
        body: { condition: [] },
        expect: refusal(400, 'not_a_dict', 'condition'),
      },
      ...[...UNJUDGED, ALSO_UNJUDGED].map((body): Step => ({
        ask: 'POST /feature_flags/user_blast_radius/',
        body,
        expect: refusal(400, isJsonArray(body.condition.properties) ? 'invalid_input' : 'not_a_list'),
      })),
      {
        ask: 'POST /feature_flags/user_blast_radius/',
        body: { condition: {}, group_type_index: '7' },
        expect: refusal(400, 'invalid_input', 'group_type_index'),
      },
    ],
  },
];

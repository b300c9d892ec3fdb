/** Actions on flags, which only today's service has: state, rollout, status, versions, several flags at once. */

import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { ok, refusal, type Behaviour, type Step } from '../behaviour.ts';

const onlyToday = { only: 'posthog', real: true } as const;
const ID = '/feature_flags/{id}/';

const targeting: JsonObject = {
  groups: [
    { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }], rollout_percentage: 10 },
    { properties: [], rollout_percentage: 5 },
  ],
};
const variants: JsonObject = {
  ...targeting,
  multivariate: {
    variants: [
      { key: 'control', rollout_percentage: 60, name: 'Control' },
      { key: 'test', rollout_percentage: 40 },
    ],
  },
  payloads: { control: '{"copy": "a"}' },
};

function create(key: string, more: JsonObject = {}, keep = 'id'): Step {
  return {
    ask: 'POST /feature_flags/',
    body: { key: `{prefix}-${key}`, filters: targeting, ...more },
    expect: { status: 201 },
    keep: { [keep]: '/id', version: '/version' },
  };
}

function act(action: string, expected: Step['expect'], body?: JsonValue): Step {
  return { ask: `POST ${ID}${action}/`, ...(body !== undefined && { body }), expect: expected };
}

/** A refusal of a deleted flag is not in the error envelope. */
const deletedFlag: Step['expect'] = { status: 400, body: { success: false } };

const STATES: readonly Behaviour[] = (
  [
    ['enable', { active: false }, { active: true, archived: false }],
    ['disable', {}, { active: false, archived: false }],
    ['archive', {}, { active: false, archived: true }],
    ['unarchive', { active: false, archived: true }, { active: false, archived: false }],
  ] as const
).map(([action, before, after]) => ({
  ...onlyToday,
  name: `${action} changes the state, ignores a body, and writes nothing the second time`,
  steps: [
    create(action, { ...before, name: 'Kept', tags: ['kept'] }),
    act(action, ok({ ...after, version: 2, name: 'Kept', tags: ['kept'], key: `{prefix}-${action}` }), {
      key: 'other',
      filters: { groups: [{ rollout_percentage: 100 }] },
      version: 999,
      original_flag: after,
    }),
    { ask: `GET ${ID}`, expect: ok({ filters: { groups: [{ rollout_percentage: 10 }, { rollout_percentage: 5 }] } }) },
    act(action, ok({ ...after, version: 2 })),
    { ask: `GET ${ID}activity/`, expect: ok({ total_count: 2 }) },
    { ask: `PATCH ${ID}`, body: { deleted: true }, expect: ok() },
    act(action, deletedFlag),
  ],
}));

const ROLLOUTS: readonly Behaviour[] = [
  {
    ...onlyToday,
    name: 'the rollout of one condition changes, and nothing else',
    steps: [
      create('condition', { filters: variants }),
      act(
        'set_release_condition_rollout',
        ok({
          version: 2,
          filters: {
            groups: [{ rollout_percentage: 10, properties: [{ key: 'plan' }] }, { rollout_percentage: 0.5 }],
            multivariate: { variants: [{ rollout_percentage: 60 }, { rollout_percentage: 40 }] },
            payloads: { control: '{"copy": "a"}' },
          },
        }),
        { condition_index: 1, rollout_percentage: 0.5, version: 1 },
      ),
      act('set_release_condition_rollout', ok({ version: 2 }), {
        condition_index: 1,
        rollout_percentage: 0.5,
        version: 2,
      }),
    ],
  },
  {
    ...onlyToday,
    name: 'a flag is rolled out to everyone by a condition before the others',
    steps: [
      create('everyone'),
      act(
        'roll_out_to_everyone',
        ok({
          version: 2,
          filters: {
            groups: [
              { properties: [], rollout_percentage: 100 },
              { rollout_percentage: 10 },
              { rollout_percentage: 5 },
            ],
          },
        }),
        { version: 1 },
      ),
      act('roll_out_to_everyone', ok({ version: 2 }), { version: 2 }),
    ],
  },
  {
    ...onlyToday,
    name: 'the named variant gets the whole distribution',
    steps: [
      create('variant', { filters: variants }),
      act(
        'roll_out_to_everyone',
        ok({
          filters: {
            groups: [{ rollout_percentage: 100 }, { rollout_percentage: 10 }, { rollout_percentage: 5 }],
            multivariate: {
              variants: [
                { key: 'control', rollout_percentage: 0 },
                { key: 'test', rollout_percentage: 100 },
              ],
            },
          },
        }),
        { version: 1, variant_key: 'test' },
      ),
    ],
  },
  ...(
    [
      ['set_release_condition_rollout', { condition_index: 0, rollout_percentage: 25 }],
      ['roll_out_to_everyone', { variant_key: 'test' }],
    ] as const
  ).map(([action, body]) => ({
    ...onlyToday,
    name: `${action} is refused for a version that is not current, and for a deleted flag`,
    steps: [
      create(`stale-${action}`, { filters: variants }),
      { ask: `PATCH ${ID}`, body: { name: 'Renamed' }, expect: ok() },
      act(action, refusal(409, 'conflict'), { ...body, version: 1 }),
      act(action, ok({ version: 3, name: 'Renamed' }), { ...body, version: 2 }),
      { ask: `PATCH ${ID}`, body: { deleted: true }, expect: ok() },
      act(action, deletedFlag, { ...body, version: 4 }),
    ],
  })),
  {
    ...onlyToday,
    name: 'an input that cannot be applied changes nothing',
    steps: [
      create('inputs'),
      ...(
        [
          [{ condition_index: 2, rollout_percentage: 25, version: 1 }, 'invalid_input', null],
          [{ condition_index: -1, rollout_percentage: 25, version: 1 }, 'min_value', 'condition_index'],
          [{ condition_index: 0, rollout_percentage: 101, version: 1 }, 'max_value', 'rollout_percentage'],
          [{ condition_index: 0, rollout_percentage: -1, version: 1 }, 'min_value', 'rollout_percentage'],
          [{ condition_index: 0, rollout_percentage: 25 }, 'required', 'version'],
          [{ rollout_percentage: 25, version: 1 }, 'required', 'condition_index'],
        ] as const
      ).map(([body, code, attr]) => act('set_release_condition_rollout', refusal(400, code, attr), body)),
      act('roll_out_to_everyone', refusal(400, 'invalid_input', null), { version: 1, variant_key: 'test' }),
      { ask: `GET ${ID}`, expect: ok({ version: 1 }) },
    ],
  },
  {
    ...onlyToday,
    name: 'a flag with variants needs one of them to be rolled out to everyone',
    steps: [
      create('which', { filters: variants }),
      act('roll_out_to_everyone', refusal(400, 'invalid_input', null), { version: 1 }),
      act('roll_out_to_everyone', refusal(400, 'invalid_input', null), { version: 1, variant_key: 'green' }),
    ],
  },
  {
    ...onlyToday,
    name: 'early access enrollment forbids the rollout to everyone, not that of a condition',
    steps: [
      create('enrollment', { filters: { ...targeting, feature_enrollment: true } }),
      act('roll_out_to_everyone', refusal(400, 'invalid_input', null), { version: 1 }),
      act('set_release_condition_rollout', ok({ filters: { feature_enrollment: true } }), {
        condition_index: 0,
        rollout_percentage: 25,
        version: 1,
      }),
    ],
  },
  {
    ...onlyToday,
    name: 'a flag without conditions has none to roll out',
    steps: [
      { ask: 'POST /feature_flags/', body: { key: '{prefix}-none' }, expect: { status: 201 }, keep: { id: '/id' } },
      act('set_release_condition_rollout', refusal(400, 'invalid_input', null), {
        condition_index: 0,
        rollout_percentage: 25,
        version: 1,
      }),
    ],
  },
];

const DEPENDENCIES: readonly Behaviour[] = [
  {
    ...onlyToday,
    name: 'a flag that others depend on lists them, and cannot be disabled or archived',
    steps: [
      create('base'),
      {
        ask: 'POST /feature_flags/',
        raw: '{"key": "{prefix}-dependent", "filters": {"groups": [{"properties": [{"key": "{id}", "type": "flag", "operator": "flag_evaluates_to", "value": true}], "rollout_percentage": 100}]}}',
        expect: { status: 201 },
        keep: { dependent: '/id' },
      },
      {
        ask: `GET ${ID}dependent_flags/`,
        expect: { status: 200, body: [{ key: '{prefix}-dependent', name: '{prefix}-dependent' }] },
      },
      act('disable', refusal(400, 'invalid_input', null)),
      act('archive', refusal(400, 'invalid_input', null)),
      { ask: 'POST /feature_flags/{dependent}/disable/', expect: ok({ active: false }) },
      { ask: `GET ${ID}dependent_flags/`, expect: { status: 200, text: '[]' } },
      act('disable', ok({ active: false })),
      { ask: 'POST /feature_flags/{dependent}/enable/', expect: refusal(400, 'invalid_input', null) },
    ],
  },
  {
    ...onlyToday,
    name: 'an archived flag cannot be enabled',
    steps: [create('archived', { active: false, archived: true }), act('enable', refusal(400, 'invalid_input', null))],
  },
];

const READS: readonly Behaviour[] = [
  {
    ...onlyToday,
    name: 'the status tells the rollout of a flag',
    steps: [
      create('status', { filters: variants }),
      {
        ask: `GET ${ID}status/`,
        expect: ok({
          status: 'active',
          reason_states_rollout: false,
          rollout: {
            effectively_full_rollout: false,
            has_targeting_conditions: true,
            max_rollout_percentage: 10,
            is_multivariate: true,
          },
        }),
      },
      { ask: `PATCH ${ID}`, body: { deleted: true }, expect: ok() },
      { ask: `GET ${ID}status/`, expect: ok({ status: 'deleted' }) },
    ],
  },
  {
    name: 'an old flag with one value for everybody is stale',
    only: 'posthog',
    steps: [
      {
        ask: 'GET /feature_flags/1/status/',
        expect: ok({ status: 'stale', reason_states_rollout: true, rollout: { effectively_full_rollout: true } }),
      },
      {
        ask: 'GET /feature_flags/3/status/',
        expect: ok({ status: 'active', rollout: { max_rollout_percentage: 100 } }),
      },
    ],
  },
  {
    ...onlyToday,
    name: 'an earlier version of a flag is reconstructed',
    steps: [
      create('history', { name: 'First' }),
      { ask: `PATCH ${ID}`, body: { name: 'Second', active: false }, expect: ok() },
      { ask: `PATCH ${ID}`, body: { filters: { groups: [{ rollout_percentage: 50 }] } }, expect: ok() },
      {
        ask: `GET ${ID}versions/1/`,
        expect: ok({
          version: 1,
          name: 'First',
          active: true,
          is_historical: true,
          filters: { groups: [{ rollout_percentage: 10 }, { rollout_percentage: 5 }] },
        }),
      },
      { ask: `GET ${ID}versions/2/`, expect: ok({ version: 2, name: 'Second', active: false, is_historical: true }) },
      { ask: `GET ${ID}versions/3/`, expect: ok({ version: 3, is_historical: false, name: 'Second' }) },
      { ask: `GET ${ID}versions/4/`, expect: { status: 404 } },
      { ask: `GET ${ID}versions/0/`, expect: { status: 404 } },
      { ask: `GET ${ID}versions/latest/`, expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'a version that the activity does not lead back to is 422',
    only: 'posthog',
    steps: [
      { ask: 'GET /feature_flags/3/versions/4/', expect: { status: 422 } },
      {
        ask: 'GET /feature_flags/3/versions/5/',
        expect: ok({ is_historical: false, version: 5 }),
      },
    ],
  },
  {
    name: 'a flag with encrypted payloads shows no earlier versions, even after the encryption ended',
    only: 'posthog',
    steps: [
      create('secret', {
        is_remote_configuration: true,
        has_encrypted_payloads: true,
        filters: { groups: [{ rollout_percentage: 100 }], payloads: { true: '"secret"' } },
      }),
      { ask: `GET ${ID}versions/1/`, expect: { status: 400 } },
      { ask: `PATCH ${ID}`, body: { has_encrypted_payloads: false }, expect: ok() },
      { ask: `GET ${ID}versions/1/`, expect: { status: 400 } },
      { ask: `GET ${ID}versions/2/`, expect: ok({ is_historical: false }) },
    ],
  },
  {
    ...onlyToday,
    name: 'a remote configuration answers its payload by id and key',
    steps: [
      create('remote', {
        is_remote_configuration: true,
        filters: { groups: [{ rollout_percentage: 100 }], payloads: { true: '{"limit": 5}' } },
      }),
      { ask: `GET ${ID}remote_config/`, expect: { status: 200, text: '"{\\"limit\\": 5}"' } },
      { ask: 'GET /feature_flags/{prefix}-remote/remote_config/', expect: { status: 200, text: '"{\\"limit\\": 5}"' } },
      { ask: 'GET /feature_flags/{prefix}-unknown/remote_config/', expect: { status: 404, text: '' } },
      { ask: `PATCH ${ID}`, body: { is_remote_configuration: false }, expect: ok() },
      { ask: `GET ${ID}remote_config/`, expect: { status: 404, text: '' } },
    ],
  },
];

const SEVERAL: readonly Behaviour[] = [
  {
    ...onlyToday,
    name: 'keys by ids: unknown ids are left out, and what is no id is named',
    steps: [
      create('keys'),
      {
        ask: 'POST /feature_flags/bulk_keys/',
        raw: '{"ids": [{id}, "{id}", 999999999, "x"]}',
        expect: ok({ keys: {} }),
      },
      { ask: 'POST /feature_flags/bulk_keys/', body: { ids: ['x'] }, expect: { status: 400 } },
      { ask: 'POST /feature_flags/bulk_keys/', body: {}, expect: { status: 200, text: '{"keys":{}}' } },
    ],
  },
  {
    ...onlyToday,
    name: 'several flags are deleted, and what cannot be is named',
    steps: [
      create('kept-base', {}, 'base'),
      {
        ask: 'POST /feature_flags/',
        raw: '{"key": "{prefix}-on-base", "filters": {"groups": [{"properties": [{"key": "{base}", "type": "flag", "operator": "flag_evaluates_to", "value": true}]}]}}',
        expect: { status: 201 },
        keep: { dependent: '/id' },
      },
      create('deleted', { filters: { groups: [{ rollout_percentage: 0 }] } }),
      {
        ask: 'POST /feature_flags/bulk_delete/',
        raw: '{"ids": [{id}, {base}, 999999999, "x"]}',
        expect: ok({
          deleted: [{ key: '{prefix}-deleted', rollout_state: 'not_rolled_out', active_variant: null }],
          errors: [{ id: 'x' }, { id: 999_999_999 }, { key: '{prefix}-kept-base' }],
        }),
      },
      { ask: `GET ${ID}`, expect: ok({ deleted: true, version: 1, active: true }) },
      { ask: `GET ${ID}activity/`, expect: ok({ results: [{ activity: 'deleted', detail: { changes: [] } }, {}] }) },
      { ask: 'POST /feature_flags/{dependent}/disable/', expect: ok() },
    ],
  },
  {
    ...onlyToday,
    name: 'a bulk deletion by filters deletes what a list with the same parameters has',
    steps: [
      create('matching', { tags: ['{prefix}-tag'] }),
      create('matching-archived', { tags: ['{prefix}-tag'], active: false, archived: true }, 'archived'),
      { ask: 'GET /feature_flags/matching_ids/?tags=["{prefix}-tag"]', expect: ok({ total: 1 }) },
      {
        ask: 'POST /feature_flags/bulk_delete/',
        body: { filters: { tags: ['{prefix}-tag'] } },
        expect: ok({ deleted: [{ key: '{prefix}-matching' }], errors: [] }),
      },
      { ask: 'GET /feature_flags/{archived}/', expect: ok({ deleted: false }) },
    ],
  },
  {
    ...onlyToday,
    name: 'a bulk deletion without a clear selection is refused',
    steps: [
      ...([{}, { ids: [1], filters: { search: 'x' } }, { filters: { keys: 'x' } }] as const).map((body): Step => ({
        ask: 'POST /feature_flags/bulk_delete/',
        body,
        expect: { status: 400 },
      })),
    ],
  },
  {
    ...onlyToday,
    name: 'tags of several flags are added, removed and replaced without a new version',
    steps: [
      create('tagged', { tags: ['b'] }),
      ...(
        [
          ['add', ['A', 'b'], ['a', 'b']],
          ['remove', ['b'], ['a']],
          ['set', ['c'], ['c']],
          ['set', [], []],
        ] as const
      ).map(([action, tags, after]): Step => ({
        ask: 'POST /feature_flags/bulk_update_tags/',
        raw: `{"ids": [{id}, 999999999], "action": "${action}", "tags": ${JSON.stringify(tags)}}`,
        expect: ok({ updated: [{ tags: [...after] }], skipped: [{ id: 999_999_999 }] }),
      })),
      { ask: `GET ${ID}`, expect: ok({ tags: [], version: 1 }) },
      ...(
        [
          [{ action: 'set', tags: [] }, 'required', 'ids'],
          [{ ids: [], action: 'set', tags: [] }, 'empty', 'ids'],
          [{ ids: [1], action: 'drop', tags: [] }, 'invalid_choice', 'action'],
          [{ ids: [1], action: 'add', tags: [] }, 'invalid_input', 'tags'],
        ] as const
      ).map(([body, code, attr]): Step => ({
        ask: 'POST /feature_flags/bulk_update_tags/',
        body,
        expect: refusal(400, code, attr),
      })),
    ],
  },
];

const COPIES = '//api/organizations/@current/feature_flags/copy_flags/';

/** The project can be a target of its own flags. */
const COPY: Behaviour = {
  only: 'posthog',
  name: 'a flag is copied, and each target answers for itself',
  steps: [
    create('copy', { filters: variants, tags: ['kept'] }),
    {
      ask: `POST ${COPIES}`,
      raw: '{"feature_flag_key": "{prefix}-copy", "from_project": {project}, "target_project_ids": [{project}, 999999999]}',
      expect: ok({
        success: [{ key: '{prefix}-copy', version: 2, tags: ['kept'], updated_existing: true }],
        failed: [{ project_id: 999_999_999 }],
      }),
    },
    { ask: `POST ${COPIES}`, body: {}, expect: refusal(400, 'required', 'feature_flag_key') },
  ],
};

const UNKNOWN: Behaviour = {
  name: 'the service of 2023 has no such actions',
  only: 'documented',
  steps: [
    ...['enable', 'status', 'versions/1', 'remote_config'].map((action) => `GET /feature_flags/1/${action}/`),
    `POST ${COPIES}`,
  ].map((ask): Step => ({ ask, expect: refusal(404, 'not_found') })),
};

export const FLAG_ACTIONS: readonly Behaviour[] = [
  ...STATES,
  ...ROLLOUTS,
  ...DEPENDENCIES,
  ...READS,
  ...SEVERAL,
  COPY,
  UNKNOWN,
];

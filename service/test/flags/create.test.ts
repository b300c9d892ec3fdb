/** Creates of flags: the fields of the answer in each profile, and refusals. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, start } from '../harness.ts';

const PROFILES = ['documented', 'posthog'] as const;
const TIME = '2026-05-04T03:02:01.500Z';

const COMMON = {
  id: 1,
  name: '',
  key: 'new',
  filters: { groups: [] },
  deleted: false,
  active: true,
  created_by: {
    id: 1,
    uuid: '018a0000-0000-7000-8000-0000000000e0',
    distinct_id: 'embedded-user',
    first_name: 'Embedded',
    email: 'embedded@example.org',
  },
  created_at: '2026-05-04T03:02:01.500000Z',
  ensure_experience_continuity: false,
  experiment_set: [],
  can_edit: true,
  tags: [],
  usage_dashboard: null,
};

test('a flag has the documented fields and no others', async () => {
  const client = await start({ now: () => new Date(TIME) });
  const created = await client.create({ key: 'new' });
  expect(created).toEqual({
    ...COMMON,
    usage_dashboard: 1,
    is_simple_flag: false,
    rollout_percentage: null,
    rollback_conditions: null,
    performed_rollback: false,
  });
  expect((await client.get(pathOf(created))).body).toEqual(created);
});

test("a flag has PostHog's fields and no others", async () => {
  const client = await start({ profile: 'posthog', now: () => new Date(TIME) });
  const created = await client.create({ key: 'new' });
  expect(created).toEqual({
    ...COMMON,
    archived: false,
    updated_at: COMMON.created_at,
    version: 1,
    last_modified_by: COMMON.created_by,
    status: 'ACTIVE',
    user_access_level: 'editor',
    evaluation_runtime: 'all',
    evaluation_contexts: [],
    bucketing_identifier: 'distinct_id',
    is_remote_configuration: false,
    has_encrypted_payloads: false,
    has_enriched_analytics: false,
    surveys: [],
    features: [],
    experiment_set_metadata: [],
    analytics_dashboards: [],
    last_called_at: null,
    is_used_in_replay_settings: false,
    is_eligible_for_experiment: false,
  });
  expect((await client.get(pathOf(created))).body).toEqual(created);
});

const SIMPLE: [filters: JsonObject, simple: boolean, rollout: number | null][] = [
  [{ groups: [{ rollout_percentage: 33.3 }] }, true, 33.3],
  [{ groups: [{ properties: [] }] }, true, null],
  [{ groups: [{ rollout_percentage: 5 }, {}] }, false, null],
  [{ groups: [{ properties: [{ key: 'a', type: 'person', value: 'b' }], rollout_percentage: 5 }] }, false, null],
  [{ groups: [{ rollout_percentage: 5 }], aggregation_group_type_index: 0 }, false, null],
];

test.each(SIMPLE)('%j is simple: %j, with %j %%', async (filters, simple, rollout) => {
  const client = await start();
  const created = await client.create({ key: 'a', filters });
  expect(created).toMatchObject({ filters, is_simple_flag: simple, rollout_percentage: rollout });
});

const TAKEN: [what: string, sent: JsonObject, answered: JsonObject][] = [
  ['spaces are trimmed', { key: ' a ', name: '  text ' }, { key: 'a', name: 'text' }],
  ['a number as a string', { key: 'a', name: 5 }, { name: '5' }],
  ['booleans as strings', { key: 'a', active: 'false' }, { active: false }],
  ['null for continuity', { key: 'a', ensure_experience_continuity: null }, { ensure_experience_continuity: null }],
  ['normalised tags', { key: 'a', tags: [' Q3', 'q3', 'AI', ''] }, { tags: ['q3', 'ai'] }],
  ['null for tags', { key: 'a', tags: null }, { tags: [] }],
  ['created as deleted', { key: 'a', deleted: true }, { deleted: true }],
  ['a time in UTC', { key: 'a', created_at: '2026-01-31T10:00:00+01:00' }, { created_at: '2026-01-31T09:00:00Z' }],
  [
    'a time with a fraction',
    { key: 'a', created_at: '2026-01-31T09:00:00.25Z' },
    { created_at: '2026-01-31T09:00:00.250000Z' },
  ],
  [
    'read-only fields are ignored',
    { key: 'a', id: 9, created_by: 'x', experiment_set: [1] },
    { id: 1, experiment_set: [] },
  ],
  ['unknown fields are ignored', { key: 'a', colour: 'red' }, { key: 'a' }],
];

describe.each(PROFILES)('in the profile %s', (profile) => {
  test.each(TAKEN)('%s', async (_what, sent, answered) => {
    const client = await start({ profile });
    expect(await client.create(sent)).toMatchObject(answered);
  });

  const REFUSED: [sent: JsonObject, code: string, attr: string][] = [
    [{}, 'required', 'key'],
    [{ key: null }, 'null', 'key'],
    [{ key: ' ' }, 'blank', 'key'],
    [{ key: ['a'] }, 'invalid_input', 'key'],
    [{ key: 'k'.repeat(401) }, 'max_length', 'key'],
    [{ key: 'a\0b' }, 'null_characters_not_allowed', 'key'],
    [{ key: 'a', name: '\ud800' }, 'surrogate_characters_not_allowed', 'name'],
    [{ key: 'a', name: null }, 'null', 'name'],
    [{ key: 'a', active: 'perhaps' }, 'invalid_input', 'active'],
    [{ key: 'a', active: null }, 'null', 'active'],
    [{ key: 'a', filters: [] }, 'not_a_dict', 'filters'],
    [{ key: 'a', filters: null }, 'null', 'filters'],
    [{ key: 'a', tags: 'x' }, 'not_a_list', 'tags'],
    [{ key: 'a', tags: [{}] }, 'invalid_input', 'tags'],
    [{ key: 'a', created_at: 'today' }, 'invalid_input', 'created_at'],
    [{ key: 'a', created_at: '2026-02-30T00:00:00Z' }, 'invalid_input', 'created_at'],
    [{ key: 'taken' }, 'unique', 'key'],
  ];

  test.each(REFUSED)('refuses %j', async (sent, code, attr) => {
    const client = await start({ profile });
    await client.create({ key: 'taken' });
    const answered = await client.post(FLAGS, sent);
    expect(answered).toMatchObject({ status: 400, body: { type: 'validation_error', code, attr } });
    expect((await client.get(FLAGS)).body).toMatchObject({ count: 1 });
  });

  test('a create removes a deleted flag with the key for good', async () => {
    const client = await start({ profile });
    const old = await client.create({ key: 'again' });
    await client.patch(pathOf(old), { deleted: true });
    const created = await client.create({ key: 'again' });
    expect(created['id']).not.toBe(old['id']);
    expect((await client.get(pathOf(old))).status).toBe(404);
  });
});

test('any string is a key in the documented profile', async () => {
  const client = await start();
  expect(await client.create({ key: 'a b/ü' })).toMatchObject({ key: 'a b/ü' });
});

const POSTHOG_TAKEN: [sent: JsonObject, answered: JsonObject][] = [
  [
    { active: false, archived: true },
    { archived: true, status: 'ARCHIVED' },
  ],
  [{ evaluation_runtime: 'server' }, { evaluation_runtime: 'server' }],
  [{ evaluation_contexts: ['docs'] }, { evaluation_contexts: ['docs'] }],
  [{ bucketing_identifier: 'device_id' }, { bucketing_identifier: 'device_id' }],
  [
    { is_remote_configuration: true },
    { filters: { groups: [{ properties: [], rollout_percentage: 100, variant: null }] } },
  ],
  [
    { is_remote_configuration: true, filters: { groups: [{ rollout_percentage: 0 }] } },
    { filters: { groups: [{ rollout_percentage: 100 }] } },
  ],
];

test.each(POSTHOG_TAKEN)('PostHog accepts %j', async (sent, answered) => {
  const client = await start({ profile: 'posthog' });
  expect(await client.create({ key: 'a', ...sent })).toMatchObject(answered);
});

const POSTHOG_REFUSED: [sent: JsonObject, code: string, attr: string | null][] = [
  [{ key: 'a b' }, 'invalid_key', 'key'],
  [{ archived: true }, 'invalid_input', null],
  [{ evaluation_runtime: 'browser' }, 'invalid_choice', 'evaluation_runtime'],
  [{ bucketing_identifier: 'device_id', ensure_experience_continuity: true }, 'invalid_input', null],
  [{ has_encrypted_payloads: true }, 'invalid_input', null],
  [{ evaluation_contexts: Array.from({ length: 51 }, () => 'x') }, 'max_length', 'evaluation_contexts'],
  [{ filters: {} }, 'invalid_input', 'filters'],
  [{ filters: { groups: [] } }, 'invalid_input', 'filters'],
];

test.each(POSTHOG_REFUSED)('PostHog refuses %j', async (sent, code, attr) => {
  const client = await start({ profile: 'posthog' });
  const answered = await client.post(FLAGS, { key: 'a', ...sent });
  expect(answered).toMatchObject({ status: 400, body: { type: 'validation_error', code, attr } });
});

test('PostHog accepts 2,000 flags, not counting deleted ones', async () => {
  const seed = Array.from({ length: 2001 }, (_, index) => ({ key: `k${index}`, deleted: index === 0 }));
  const client = await start({ profile: 'posthog', seed });
  expect(await client.post(FLAGS, { key: 'more' })).toMatchObject({ status: 400, body: { attr: null } });
  await client.patch(`${FLAGS}2/`, { deleted: true });
  expect((await client.post(FLAGS, { key: 'more' })).status).toBe(201);
});

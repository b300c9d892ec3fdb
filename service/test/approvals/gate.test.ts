/** The approval gate over HTTP: which writes it asks for, who decides, and what becomes of what was asked for. */

import { describe, expect, test } from 'vitest';
import { objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { FLAGS, start, type Answered, type Client } from '../harness.ts';

const ANN = 'phx_ann';
const BOB = 'phx_bob';
const REQUESTS = '/api/projects/1/change_requests/';

const to = (percent: number): JsonObject => ({ groups: [{ properties: [], rollout_percentage: percent }] });
const EVERYBODY: JsonObject = { properties: [], rollout_percentage: 25 };
const inCountry = (value: string): JsonObject => ({ key: 'country', type: 'person', value: [value] });
const [IN_US, IN_DE] = [inCountry('US'), inCountry('DE')];
const inUs = (...properties: JsonObject[]): JsonObject => ({ groups: [{ properties, rollout_percentage: 25 }] });
const variants: JsonValue = { variants: [{ key: 'x', rollout_percentage: 100 }] };
const withVariant = (more: JsonObject): JsonObject => ({
  filters: { groups: [{ ...EVERYBODY, ...more }], multivariate: variants },
});
const WITH_VARIANT = withVariant({ variant: '' });

const members: JsonValue = [
  { email: 'ann@example.org', first_name: 'Ann', api_key: ANN, roles: ['engineering'] },
  { email: 'bob@example.org', first_name: 'Bob', api_key: BOB },
];

interface Gated extends Client {
  readonly as: (key: string, method: string, path: string, body?: JsonValue) => Promise<Answered>;
  readonly clock: { at: string };
}

/** One flag, 1, with id and key as in the seed. */
async function gated(policies: readonly JsonObject[], flag: JsonObject = {}, more: JsonObject = {}): Promise<Gated> {
  const clock = { at: '2026-03-10T12:00:00Z' };
  const seed = {
    flags: [{ id: 1, key: 'a', filters: to(25), ...flag }],
    members,
    approval_policies: [...policies],
    ...more,
  };
  const client = await start({ profile: 'posthog', seed, now: () => new Date(clock.at) });
  const as: Gated['as'] = async (key, method, path, body) =>
    client.request(method, path, body, { authorization: `Bearer ${key}` });
  return { ...client, as, clock };
}

interface Asked extends Gated {
  /** The id of the open request. */
  readonly asked: string;
}

const on = (action: string, more: JsonObject = {}): JsonObject => ({ action_key: `feature_flag.${action}`, ...more });
const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const idIn = ({ body }: Answered): string => textOf(body['change_request_id']);
const change = async ({ patch }: Client, body: JsonValue): Promise<Answered> => patch(`${FLAGS}1/`, body);
const stateOf = async ({ get }: Client): Promise<JsonObject> => (await get(`${FLAGS}1/`)).body;

describe('the gate asks for', () => {
  test.each<[string, string, JsonObject, JsonObject, number]>([
    ['enabling', 'enable', { active: false }, { active: true }, 409],
    ['enabling what is enabled', 'enable', {}, { active: true }, 200],
    ['disabling', 'disable', {}, { active: false }, 409],
    ['another description under any policy', 'update', {}, { name: 'B' }, 200],
    ['a delete', 'disable', {}, { deleted: true }, 200],
    ['another percentage', 'update', {}, { filters: to(60) }, 409],
    ['the same percentage', 'update', {}, { filters: to(25) }, 200],
    ['a condition without a percentage', 'update', {}, { filters: { groups: [{ properties: [] }] } }, 409],
    [
      'the percentage of a variant',
      'update',
      {},
      { filters: { ...to(25), multivariate: { variants: [{ key: 'x', rollout_percentage: 100 }] } } },
      409,
    ],
    ['a holdout', 'update', {}, { filters: { ...to(25), holdout: { id: 3, exclusion_percentage: 10 } } }, 409],
    ['disabling under a policy for percentages', 'update', {}, { active: false }, 200],
    [
      'another property of a condition',
      'update',
      {},
      { filters: { groups: [{ ...EVERYBODY, properties: [IN_US] }] } },
      409,
    ],
    ['a condition more', 'update', {}, { filters: { groups: [EVERYBODY, { properties: [IN_US] }] } }, 409],
    ['the variant of a condition', 'update', WITH_VARIANT, withVariant({ variant: 'x' }), 409],
    ['no variant instead of an empty one', 'update', WITH_VARIANT, withVariant({ variant: null }), 200],
    ['another identifier', 'update', {}, { bucketing_identifier: 'device_id' }, 409],
    ['the identifier that is the default', 'update', {}, { bucketing_identifier: 'distinct_id' }, 200],
    [
      'properties of a flag with an experiment',
      'update',
      { experiment_set: [4], filters: inUs(IN_US) },
      { filters: inUs(IN_DE) },
      200,
    ],
    ['percentages of a flag with an experiment', 'update', { experiment_set: [4] }, { filters: to(60) }, 409],
    [
      'the same properties in another order',
      'update',
      { filters: inUs(IN_US, IN_DE) },
      { filters: inUs(IN_DE, IN_US) },
      200,
    ],
    [
      'the same property as it is shown',
      'update',
      { filters: inUs(IN_US) },
      { filters: inUs({ ...IN_US, operator: 'exact', negation: false }) },
      200,
    ],
  ])('%s', async (_name, action, flag, body, status) => {
    const client = await gated([on(action)], flag);
    const before = await stateOf(client);
    expect((await change(client, body)).status).toBe(status);
    if (status === 409) expect(await stateOf(client)).toEqual(before);
  });

  test.each<[string, JsonObject, number, number]>([
    ['a percentage above a limit', { type: 'before_after', operator: '>', value: 50 }, 60, 409],
    ['one below it', { type: 'before_after', operator: '>', value: 50 }, 40, 200],
    ['a long way', { type: 'change_amount', operator: '>=', value: 10 }, 35, 409],
    ['a short one', { type: 'change_amount', operator: '>=', value: 10 }, 34, 200],
    ['any change', { type: 'any_change' }, 26, 409],
    ['any change of an unknown field', { type: 'any_change', field: 'colour' }, 26, 200],
    ['a limit on an unknown field', { type: 'before_after', field: 'colour', operator: '>', value: 1 }, 26, 200],
    ['a limit without a value', { type: 'before_after', operator: '>' }, 26, 409],
    ['no type', {}, 26, 409],
  ])('%s, as the conditions say', async (_name, conditions, percent, status) => {
    const client = await gated([on('update', { conditions: { field: 'rollout_percentage', ...conditions } })]);
    expect((await change(client, { filters: to(percent) })).status).toBe(status);
  });

  test.each<[string, JsonObject, JsonObject, number]>([
    ['any change of them', { type: 'any_change', field: 'release_conditions' }, { filters: inUs(IN_US) }, 409],
    [
      'any change of them, where a percentage changes',
      { type: 'any_change', field: 'release_conditions' },
      { filters: to(60) },
      200,
    ],
    ['any change of percentages', { type: 'any_change', field: 'rollout_percentage' }, { filters: inUs(IN_US) }, 200],
    ['any change at all', { type: 'any_change' }, { filters: inUs(IN_US) }, 409],
    [
      'a limit on percentages',
      { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 20 },
      { filters: inUs(IN_US) },
      409,
    ],
    [
      'a limit on them',
      { type: 'before_after', field: 'release_conditions', operator: '>', value: 1 },
      { filters: inUs(IN_US) },
      200,
    ],
    [
      'a switch among them',
      { type: 'before_after', field: 'release_conditions', operator: '>=', value: 1 },
      { filters: { ...to(25), early_exit: true } },
      409,
    ],
    [
      'a switch that moves',
      { type: 'change_amount', field: 'release_conditions', operator: '>=', value: 1 },
      { filters: { ...to(25), early_exit: true } },
      409,
    ],
    [
      'a condition that moves',
      { type: 'change_amount', field: 'release_conditions', operator: '!=', value: 0 },
      { filters: inUs(IN_US) },
      200,
    ],
  ])('release conditions, as the conditions of the policy say: %s', async (_name, conditions, body, status) => {
    const client = await gated([on('update', { conditions })]);
    const answered = await change(client, body);
    expect(answered.status).toBe(status);
    if (status === 200) return;
    const { current_state: before, gated_changes: after } = objectOrEmpty(
      objectOrEmpty(answered.body['change_request'])['intent'],
    );
    for (const side of [before, after]) expect(side).toHaveProperty('release_conditions');
  });

  test.each<[string, string, JsonObject, number]>([
    ['one that is enabled', 'enable', { active: true }, 409],
    ['one that does not say', 'enable', {}, 409],
    ['a disabled one', 'enable', { active: false }, 201],
    ['one with a percentage', 'update', { active: false }, 409],
  ])('a new flag: %s', async (_name, action, fields, status) => {
    const { post } = await gated([on(action)]);
    const answered = await post(FLAGS, { key: 'new', filters: to(5), ...fields });
    expect(answered.status).toBe(status);
    if (status === 409)
      expect(answered.body).toMatchObject({ resource_id: null, change_request: { intent: { flag_id: null } } });
  });

  test.each<[string, string, JsonObject, string, JsonValue?]>([
    ['enable', 'enable', { active: false }, 'enable'],
    ['disable', 'disable', {}, 'disable'],
    ['archive', 'disable', {}, 'archive'],
    [
      'set_release_condition_rollout',
      'update',
      { version: 1 },
      'set_release_condition_rollout',
      { condition_index: 0, rollout_percentage: 90, version: 1 },
    ],
    ['roll_out_to_everyone', 'update', { version: 1 }, 'roll_out_to_everyone', { version: 1 }],
  ])('the action %s', async (_name, policy, flag, action, body = {}) => {
    const client = await gated([on(policy)], { super_groups: [], ...flag });
    const answered = await client.post(`${FLAGS}1/${action}/`, body);
    expect(answered).toMatchObject({ status: 409, body: { code: 'approval_required', resource_id: '1' } });
    expect((await client.as(ANN, 'POST', `${REQUESTS}${idIn(answered)}/approve/`)).body).toMatchObject({
      status: 'applied',
    });
    const again = await client.post(`${FLAGS}1/${action}/`, { ...(body as JsonObject), version: 2 });
    expect(again.status).toBe(200);
  });
});

describe('the gate does not ask', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['of a disabled policy', on('enable', { enabled: false }), {}],
    ['without the paid feature', on('enable'), { missing_features: ['approvals'] }],
  ])('%s', async (_name, policy, more) => {
    const client = await gated([policy], { active: false }, more);
    expect((await change(client, { active: true })).status).toBe(200);
  });

  test('a member of an exempt role, nor the owner of an exempt level', async () => {
    const roles = [{ id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c99', name: 'oncall' }];
    const client = await gated([on('enable', { exempt_roles: ['engineering'] })], { active: false }, { roles });
    expect((await client.as(BOB, 'PATCH', `${FLAGS}1/`, { active: true })).status).toBe(409);
    expect((await client.as(ANN, 'PATCH', `${FLAGS}1/`, { active: true })).status).toBe(200);
    const [policy] = (await client.get('/api/projects/1/approval_policies/')).body['results'] as JsonObject[];
    await client.patch(`/api/projects/1/approval_policies/${textOf(policy?.['id'])}/`, {
      action_key: 'feature_flag.disable',
      bypass_org_membership_levels: ['15'],
    });
    expect((await client.as(BOB, 'PATCH', `${FLAGS}1/`, { active: false })).status).toBe(409);
    expect((await change(client, { active: false })).status).toBe(200);
  });

  test('for a write that is refused anyway', async () => {
    const client = await gated([on('enable')], { active: false });
    expect(await client.post(FLAGS, { key: 'a', filters: to(5) })).toMatchObject({
      status: 400,
      body: { code: 'unique' },
    });
    expect((await client.get(REQUESTS)).body).toMatchObject({ count: 0 });
  });
});

describe('several policies', () => {
  test('of the project and of the organization for one action conflict where both match', async () => {
    const client = await gated([
      on('update'),
      on('update', {
        organization: true,
        conditions: { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 50 },
      }),
    ]);
    expect(await change(client, { filters: to(60) })).toMatchObject({ status: 400, body: { code: 'policy_conflict' } });
    expect(await change(client, { filters: to(40) })).toMatchObject({ status: 409 });
  });

  test('that of the organization counts alone, and is not listed', async () => {
    const client = await gated([on('update', { organization: true })]);
    expect((await change(client, { filters: to(60) })).status).toBe(409);
    expect((await client.get('/api/projects/1/approval_policies/')).body).toMatchObject({ count: 0 });
  });
});

describe('a decision', () => {
  async function asked(policy: JsonObject = {}): Promise<Asked> {
    const client = await gated([on('enable', policy)], { active: false });
    return { ...client, asked: idIn(await change(client, { active: true })) };
  }
  const vote = async (client: Asked, key: string, decision = 'approve', reason = 'so') =>
    client.as(key, 'POST', `${REQUESTS}${client.asked}/${decision}/`, { reason });

  test('is made by others than the requester, unless the policy allows it', async () => {
    const client = await asked();
    expect((await vote(client, 'phx_test')).status).toBe(403);
    expect((await vote(client, ANN)).body).toMatchObject({
      status: 'applied',
      result: { resource_id: 1, resource_version: 2 },
    });
    const own = await asked({ allow_self_approve: true });
    expect((await vote(own, 'phx_test')).status).toBe(200);
  });

  test('is made by the approvers that the policy names', async () => {
    const client = await asked({ approvers: ['bob@example.org'] });
    expect((await vote(client, ANN)).status).toBe(403);
    expect((await vote(client, BOB, 'reject')).body).toMatchObject({
      status: 'rejected',
      change_request: { approvals: [{ reason: 'so', created_by: { email: 'bob@example.org' } }] },
    });
    const byRole = await asked({ approver_roles: ['engineering'] });
    expect((await vote(byRole, BOB)).status).toBe(403);
    expect((await vote(byRole, ANN)).status).toBe(200);
  });

  test('needs as many approvals as the policy says, one of each approver', async () => {
    const client = await asked({ quorum: 2 });
    expect((await vote(client, ANN)).body).toMatchObject({ status: 'approved', change_request: { state: 'pending' } });
    expect((await vote(client, ANN)).body).toEqual({ error: 'You have voted on this change request already.' });
    expect((await vote(client, ANN, 'reject')).status).toBe(400);
    expect((await vote(client, 'phx_test', 'cancel')).status).toBe(403);
    expect((await vote(client, BOB)).body).toMatchObject({ status: 'applied' });
    expect(await stateOf(client)).toMatchObject({ active: true, last_modified_by: { first_name: 'Embedded' } });
  });

  test('cannot make a change of a flag that has changed since; the requester can withdraw it', async () => {
    const client = await asked({ quorum: 2 });
    await vote(client, ANN);
    await change(client, { name: 'moved' });
    const { body } = await client.get(`${REQUESTS}${client.asked}/`);
    expect(body).toMatchObject({ validation_status: 'stale', can_cancel: true });
    expect((await vote(client, BOB)).body).toMatchObject({
      status: 'failed',
      change_request: { state: 'failed', apply_error: expect.stringContaining('changed') as unknown },
    });
  });

  test('comes too late once the request has expired', async () => {
    const client = await asked({ expires_after: '1 00:00:00' });
    client.clock.at = '2026-03-11T12:00:00Z';
    expect((await vote(client, ANN)).status).toBe(403);
    expect((await client.get(`${REQUESTS}${client.asked}/`)).body).toMatchObject({ state: 'expired' });
    expect((await change(client, { active: true })).body).toMatchObject({ code: 'approval_required' });
  });

  test('creates the flag; the open creation of any flag keeps another from being requested', async () => {
    const client = await gated([on('enable')]);
    const first = await client.post(FLAGS, { key: 'b', filters: to(5) });
    const second = await client.post(FLAGS, { key: 'c', filters: to(5) });
    expect(second.body).toMatchObject({
      code: 'change_request_pending',
      change_request: { intent: { flag_key: 'b' } },
    });
    expect((await client.as(ANN, 'POST', `${REQUESTS}${idIn(first)}/approve/`)).body).toMatchObject({
      status: 'applied',
    });
    const { results } = (await client.get(FLAGS)).body;
    expect(results).toMatchObject([{ key: 'b', active: true, created_by: { first_name: 'Embedded' } }, { key: 'a' }]);
  });

  test('that creates counts a flag that somebody else has created since as the requested one', async () => {
    const client = await gated([on('enable')]);
    const first = await client.post(FLAGS, { key: 'b', filters: to(5) });
    const { id = 0 } = await client.create({ key: 'b', active: false, filters: to(9) });
    const { body } = await client.as(ANN, 'POST', `${REQUESTS}${idIn(first)}/approve/`);
    expect(body).toMatchObject({ status: 'applied', result: { resource_id: id } });
  });

  test('without the paid feature is 402, and unknown requests are 404', async () => {
    const { get } = await gated([], {}, { missing_features: ['approvals'] });
    expect((await get(REQUESTS)).status).toBe(402);
    const client = await asked();
    expect((await client.get(`${REQUESTS}0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c99/`)).status).toBe(404);
  });
});

test('a request does not show an encrypted payload, and its approval writes it', async () => {
  const secret = '"tell nobody"';
  const remote = { is_remote_configuration: true, has_encrypted_payloads: true };
  const client = await gated([on('update')], { ...remote, filters: { ...to(100), payloads: { true: '"old"' } } });
  const answered = await change(client, { filters: { ...to(90), payloads: { true: secret } } });
  expect(answered).toMatchObject({ status: 409 });
  expect(answered.text + (await client.get(REQUESTS)).text).not.toContain('tell nobody');
  expect(answered.text).toContain('(encrypted)');
  await client.as(ANN, 'POST', `${REQUESTS}${idIn(answered)}/approve/`);
  expect(await stateOf(client)).toMatchObject({
    filters: { groups: [{ rollout_percentage: 90 }], payloads: { true: secret } },
  });
});

test.each<[string, JsonObject]>([
  ['enable', { active: false }],
  ['disable', { active: false }],
  ['update', { active: false }],
  ['update', { deleted: true }],
])(
  'a flag with rules is not written where a policy for %s is enabled, and no request is opened: %j',
  async (action, body) => {
    const filters = { version: 2, return_type: 'boolean', default_value: false, rules: [] };
    const client = await gated([on(action)], { version: 4, filters });
    const refused = { status: 400, body: { code: 'unsupported_config_version' } };
    expect(await change(client, { ...body, version: 4 })).toMatchObject(refused);
    const deleted = await client.post(`${FLAGS}bulk_delete/`, { ids: [1] });
    expect(deleted.body).toMatchObject({ deleted: [], errors: [{ id: 1, key: expect.any(String) as string }] });
    expect((await client.get(REQUESTS)).body).toMatchObject({ count: 0 });
    expect(await stateOf(client)).toMatchObject({ active: true, deleted: false, version: 4 });
    const [policy] = (await client.get('/api/projects/1/approval_policies/')).body['results'] as JsonObject[];
    await client.patch(`/api/projects/1/approval_policies/${textOf(policy?.['id'])}/`, { enabled: false });
    expect(await change(client, { ...body, version: 4 })).toMatchObject({
      status: 200,
      body: { active: false, ...body },
    });
  },
);

test('a copy that needs an approval fails, and opens no request', async () => {
  const seed = {
    flags: [{ id: 1, key: 'a', filters: to(25) }],
    approval_policies: [on('enable', { organization: true })],
  };
  const client = await start({ profile: 'posthog', seed, projects: [{ id: '1' }, { id: '2' }] });
  const { body } = await client.post('/api/organizations/@current/feature_flags/copy_flags/', {
    feature_flag_key: 'a',
    from_project: 1,
    target_project_ids: [2],
  });
  expect(body).toMatchObject({
    success: [],
    failed: [{ project_id: 2, error_message: 'The copy needs an approval in the target project.' }],
  });
  expect((await client.get('/api/projects/2/change_requests/')).body).toMatchObject({ count: 0 });
});

test('only the owner writes policies, and a member is named in what the member writes', async () => {
  const client = await gated([on('enable')]);
  const body = { action_key: 'feature_flag.update', approver_config: { quorum: 1 } };
  expect((await client.as(ANN, 'POST', '/api/projects/1/approval_policies/', body)).status).toBe(403);
  await client.as(ANN, 'PATCH', `${FLAGS}1/`, { name: 'by Ann' });
  expect(await stateOf(client)).toMatchObject({ last_modified_by: { email: 'ann@example.org' } });
  expect((await client.get(`${FLAGS}1/activity/`)).body).toMatchObject({ results: [{ user: { first_name: 'Ann' } }] });
  expect((await client.get(`${FLAGS}1/versions/2/`)).body).toMatchObject({ modified_by: 2 });
});

test('a member has access with the own key where only some keys are accepted', async () => {
  const client = await start({ profile: 'posthog', apiKeys: ['phx_test'], seed: { members } });
  expect((await client.get(FLAGS)).status).toBe(200);
  for (const [key, status] of [
    [ANN, 200],
    ['phx_other', 401],
    ['', 401],
  ] as const) {
    expect((await client.request('GET', FLAGS, undefined, { authorization: `Bearer ${key}` })).status).toBe(status);
  }
});

describe('a seed', () => {
  test.each<[string, JsonObject, string]>([
    ['two policies for one action', { approval_policies: [on('enable'), on('enable')] }, '/approval_policies/1'],
    [
      'an unknown approver',
      { approval_policies: [on('enable', { approvers: ['eve'] })] },
      '/approval_policies/0/approvers/0',
    ],
    [
      'an unknown role',
      { approval_policies: [on('enable', { exempt_roles: ['x'] })] },
      '/approval_policies/0/exempt_roles/0',
    ],
    [
      'no duration',
      { approval_policies: [on('enable', { expires_after: 'soon' })] },
      '/approval_policies/0/expires_after',
    ],
    ['no action', { approval_policies: [{}] }, '/approval_policies/0'],
  ])('with %s is refused', async (_name, seed, place) => {
    await expect(start({ profile: 'posthog', seed })).rejects.toThrow(`The seed is invalid at ${place}:`);
  });

  test('with policies in the profile of 2023 gates nothing', async () => {
    const seed = { flags: [{ id: 1, key: 'a', active: false }], approval_policies: [on('enable')] };
    const client = await start({ profile: 'documented', seed });
    expect((await client.patch(`${FLAGS}1/`, { active: true })).status).toBe(200);
  });
});

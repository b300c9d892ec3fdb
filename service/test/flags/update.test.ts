/** Updates of flags: partial writes, deletion and restoration, keys, and PostHog's guards. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, start } from '../harness.ts';

const PROFILES = ['documented', 'posthog'] as const;

describe.each(PROFILES)('in the profile %s', (profile) => {
  test('omitted fields stay', async () => {
    const client = await start({ profile });
    const filters = { groups: [{ rollout_percentage: 10 }] };
    const created = await client.create({ key: 'a', name: 'text', tags: ['x'], filters });
    const { updated_at: _then, version: _one, ...before } = created;
    const updated = await client.patch(pathOf(created), { active: false });
    expect(updated).toMatchObject({ status: 200, body: { ...before, active: false } });
    expect((await client.get(pathOf(created))).body).toEqual(updated.body);
  });

  test('a PATCH deletes and restores a flag, which is found by id in between', async () => {
    const client = await start({ profile });
    const created = await client.create({ key: 'a' });
    const deleted = await client.patch(pathOf(created), { deleted: true });
    expect(deleted.body).toMatchObject({ deleted: true, active: true, key: 'a' });
    expect((await client.get(FLAGS)).body).toMatchObject({ count: 0 });
    expect((await client.get(pathOf(created))).body).toMatchObject({ deleted: true });
    expect((await client.patch(pathOf(created), { deleted: false })).body).toMatchObject({ deleted: false, key: 'a' });
    expect((await client.get(FLAGS)).body).toMatchObject({ count: 1 });
  });

  test('a flag can take a free key or that of a deleted flag, but not that of a live one', async () => {
    const client = await start({ profile });
    const flag = await client.create({ key: 'a' });
    const deleted = await client.create({ key: 'deleted' });
    await client.create({ key: 'live' });
    await client.patch(pathOf(deleted), { deleted: true });
    expect((await client.patch(pathOf(flag), { key: 'a' })).status).toBe(200);
    expect((await client.patch(pathOf(flag), { key: 'free' })).body).toMatchObject({ key: 'free' });
    const refused = await client.patch(pathOf(flag), { key: 'live' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'unique', attr: 'key' } });
    expect((await client.patch(pathOf(flag), { key: 'deleted' })).body).toMatchObject({ key: 'deleted' });
    expect((await client.get(pathOf(deleted))).status).toBe(404);
  });

  test('a flag with can_edit false answers 403 to every write', async () => {
    const client = await start({ profile, seed: [{ id: 1, key: 'a', can_edit: false }] });
    const writes = [
      client.patch(`${FLAGS}1/`, { name: 'x' }),
      profile === 'documented'
        ? client.post(`${FLAGS}1/role_access/`, { role_id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11' })
        : client.request('PUT', `${FLAGS}1/access_controls/`, { access_level: 'viewer' }),
    ];
    for (const answered of await Promise.all(writes)) {
      expect(answered).toMatchObject({
        status: 403,
        body: { type: 'authentication_error', code: 'permission_denied' },
      });
    }
  });
});

test('documented filters are replaced whole, and discarded without groups', async () => {
  const client = await start();
  const filters = { groups: [{}], payloads: { true: { a: 1 } }, anything: 1 };
  const created = await client.create({ key: 'a', filters });
  expect(created['filters']).toEqual(filters);
  const replaced = { groups: [{ rollout_percentage: 5 }] };
  expect((await client.patch(pathOf(created), { filters: replaced })).body['filters']).toEqual(replaced);
  const ignored = await client.patch(pathOf(created), { name: 'x', filters: { payloads: {} } });
  expect(ignored).toMatchObject({ status: 200, body: { name: 'x', filters: replaced } });
});

test('enabling a flag resolves its rollback in the documented profile', async () => {
  const client = await start();
  const created = await client.create({ key: 'a', performed_rollback: true, rollback_conditions: [{ threshold: 1 }] });
  expect(created).toMatchObject({ performed_rollback: true, rollback_conditions: [{ threshold: 1 }] });
  expect((await client.patch(pathOf(created), { name: 'x' })).body).toMatchObject({ performed_rollback: true });
  expect((await client.patch(pathOf(created), { active: true })).body).toMatchObject({ performed_rollback: false });
});

test('PostHog merges filters by their top-level members', async () => {
  const client = await start({ profile: 'posthog' });
  const variants = [{ key: 'a', rollout_percentage: 100 }];
  const created = await client.create({
    key: 'a',
    filters: { groups: [{ rollout_percentage: 5 }], multivariate: { variants }, payloads: { a: '1' } },
  });
  const merged = await client.patch(pathOf(created), { filters: { groups: [] } });
  expect(merged.body['filters']).toEqual({
    groups: [],
    multivariate: { variants },
    payloads: { a: '1' },
    aggregation_group_type_index: null,
  });
  const same = await client.patch(pathOf(created), { filters: {} });
  expect(same.body['filters']).toEqual(merged.body['filters']);
  const removed = await client.patch(pathOf(created), { filters: { multivariate: null, payloads: {} } });
  expect(removed.body['filters']).toMatchObject({ multivariate: null, payloads: {} });
});

test('PostHog counts versions, null as 0', async () => {
  const client = await start({ profile: 'posthog', seed: [{ id: 1, key: 'old', version: null }] });
  expect((await client.patch(`${FLAGS}1/`, {})).body).toMatchObject({ version: 1 });
  expect((await client.patch(`${FLAGS}1/`, {})).body).toMatchObject({ version: 2 });
});

test('PostHog renames a deleted flag with an experiment, and restores its key', async () => {
  const flags = [{ id: 1, key: 'a' }];
  const seed = { flags, experiments: [{ id: 1, flag: 'a' }] };
  const client = await start({ profile: 'posthog', seed });
  expect((await client.patch(`${FLAGS}1/`, { deleted: true })).body).toMatchObject({ key: 'a:deleted:1' });
  const other = await client.create({ key: 'a' });
  expect((await client.patch(`${FLAGS}1/`, { deleted: false })).body).toMatchObject({ key: 'a-2' });
  await client.patch(`${FLAGS}1/`, { key: 'b', deleted: true });
  await client.patch(pathOf(other), { deleted: true });
  expect((await client.patch(`${FLAGS}1/`, { deleted: false })).body).toMatchObject({ key: 'b' });
});

test.each([
  ['posthog', 400, { type: 'validation_error', code: 'invalid_input', attr: null }],
  ['documented', 200, { deleted: true }],
] as const)(
  'the profile %s answers %i to the delete of a flag that session replay uses',
  async (profile, status, body) => {
    const client = await start({ profile, seed: [{ id: 1, key: 'a', is_used_in_replay_settings: true }] });
    expect(await client.patch(`${FLAGS}1/`, { deleted: true })).toMatchObject({ status, body });
    expect(await client.patch(`${FLAGS}1/`, { key: 'b', active: false })).toMatchObject({ status: 200 });
  },
);

test('PostHog protects the flag of a running experiment and its variants', async () => {
  const variants = ['control', 'test'].map((key) => ({ key, rollout_percentage: 50 }));
  const flags = [{ id: 1, key: 'a', filters: { groups: [{}], multivariate: { variants } } }];
  const client = await start({
    profile: 'posthog',
    seed: { flags, experiments: [{ id: 1, flag: 1, is_running: true }] },
  });
  const one = { variants: [{ key: 'control', rollout_percentage: 100 }] };
  const refused: [body: JsonObject, attr: string | null][] = [
    [{ deleted: true }, null],
    [{ filters: { multivariate: one } }, 'filters'],
  ];
  for (const [body, attr] of refused) {
    const answered = await client.patch(`${FLAGS}1/`, body);
    expect(answered).toMatchObject({ status: 400, body: { code: 'invalid_input', attr } });
  }
});

describe('conditions on other flags', () => {
  const on = (id: number | string): JsonObject => ({
    groups: [{ properties: [{ key: id, type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
  });

  test('cannot name a flag of format version 2', async () => {
    const client = await start({ profile: 'posthog', seed: [{ id: 1, key: 'ruled', filters: { version: 2 } }] });
    const body = { code: 'unsupported_dependency_config_version', attr: 'filters' };
    expect(await client.post(FLAGS, { key: 'top', filters: on(1) })).toMatchObject({ status: 400, body });
  });

  test('protect the flag that they name', async () => {
    const client = await start({ profile: 'posthog' });
    const base = await client.create({ key: 'base' });
    const top = await client.create({ key: 'top', filters: on(1) });
    expect(top['filters']).toMatchObject({ groups: [{ properties: [{ key: '1' }] }] });
    const refusedWhileActive = [{ active: false }, { deleted: true }];
    for (const body of refusedWhileActive) {
      const refused = await client.patch(pathOf(base), body);
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_input', attr: null } });
      expect(refused.body['detail']).toContain('top');
    }
    expect((await client.patch(pathOf(top), { active: false })).status).toBe(200);
    expect((await client.patch(pathOf(base), { active: false })).status).toBe(200);
    expect((await client.patch(pathOf(top), { active: true })).status).toBe(400);
    expect((await client.patch(pathOf(base), { active: true })).status).toBe(200);
    expect((await client.patch(pathOf(top), { active: true })).status).toBe(200);
  });

  test.each([
    ['a key', 'base'],
    ['a missing flag', 99],
    ['a deleted flag', 4],
    ['a disabled flag', 3],
    ['the flag itself', 2],
    ['a circle', 5],
  ])('cannot name %s', async (_what, id) => {
    const client = await start({ profile: 'posthog' });
    await client.create({ key: 'base' });
    const flag = await client.create({ key: 'flag' });
    await client.create({ key: 'disabled', active: false });
    await client.create({ key: 'deleted', deleted: true });
    await client.create({ key: 'circle', filters: on(2) });
    const refused = await client.patch(pathOf(flag), { filters: on(id) });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_input', attr: 'filters' } });
  });
});

test('the mark keeps an encrypted payload in PostHog, and is an ordinary string elsewhere', async () => {
  const client = await start({ profile: 'posthog' });
  const mark = '"********* (encrypted)"';
  const filters = (payload: string): JsonObject => ({
    groups: [{ rollout_percentage: 100 }],
    payloads: { true: payload },
  });
  const fields = { is_remote_configuration: true, has_encrypted_payloads: true };
  const secret = await client.create({ key: 'secret', ...fields, filters: filters('"s"') });
  const plain = await client.create({ key: 'plain', filters: filters('"s"') });
  const shown = (payload: string): JsonObject => ({ body: { filters: { payloads: { true: payload } } } });
  expect(await client.patch(pathOf(secret), { filters: filters(mark) })).toMatchObject(shown('"s"'));
  expect(await client.patch(pathOf(secret), { filters: filters('"t"') })).toMatchObject(shown('"t"'));
  expect(await client.patch(pathOf(plain), { filters: filters(mark) })).toMatchObject(shown(mark));
});

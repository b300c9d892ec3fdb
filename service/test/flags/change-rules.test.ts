/** Flags whose filters have rules (format version 2): PostHog lets them only be disabled and deleted. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { holdsAsync } from '../../../test/helpers/runs.ts';
import { FLAGS, start, type Client } from '../harness.ts';

const RULES: JsonObject = {
  version: 2,
  return_type: 'boolean',
  default_value: false,
  rules: [
    {
      id: '3f3b7a9e-8f2e-4f4b-9c7d-2a1e5b6c8d90',
      rule_type: 'targeted_release',
      targeting: { properties: [] },
      value: true,
    },
  ],
};

const PATH = `${FLAGS}1/`;

async function withRules(more: JsonObject = {}): Promise<Client> {
  const flag = { id: 1, key: 'ruled', version: 3, filters: RULES, ...more };
  return start({ profile: 'posthog', seed: [flag, { id: 2, key: 'plain', filters: { groups: [{}] } }] });
}

test('a flag with rules is listed and served as it is', async () => {
  const client = await withRules();
  expect((await client.get(PATH)).body).toMatchObject({ filters: RULES });
  expect((await client.get(`${PATH}?key=ruled`)).body['filters']).toEqual(RULES);
});

test('a flag with rules is left out of definitions, and one that the service cannot read is answered as an error', async () => {
  const client = await withRules({ filters: { ...RULES, version: 3 } });
  const { body: definitions } = await client.get('/flags/definitions?token=phc_1');
  expect(definitions['flags']).toMatchObject([{ key: 'plain' }]);
  const { body } = await client.post('/flags?v=2', { token: 'phc_1', distinct_id: 'ada' });
  expect(body).toMatchObject({
    errorsWhileComputingFlags: true,
    flags: {
      ruled: { enabled: false, failed: true, reason: { code: 'flag_data_parsing_error' } },
      plain: { enabled: true },
    },
  });
});

describe('what is refused', () => {
  test.each<[string, JsonObject, number, string, string | null]>([
    [
      'conditions',
      { version: 3, filters: { groups: [{ rollout_percentage: 5 }] } },
      400,
      'unsupported_config_version',
      'filters',
    ],
    ['no conditions', { version: 3, filters: {} }, 400, 'unsupported_config_version', 'filters'],
    ['rules', { version: 3, filters: RULES }, 400, 'reserved_config_version', 'filters'],
    ['a new name', { version: 3, name: 'Renamed' }, 400, 'unsupported_config_version', null],
    [
      'a new name beside active',
      { version: 3, active: false, name: 'Renamed' },
      400,
      'unsupported_config_version',
      null,
    ],
    ['new tags', { version: 3, tags: ['x'] }, 400, 'unsupported_config_version', null],
    ['archived', { version: 3, archived: true, active: false }, 400, 'unsupported_config_version', null],
    ['disabling without the version', { active: false }, 400, 'required', 'version'],
    ['disabling with a version that is not a number', { version: '3', active: false }, 400, 'invalid_input', 'version'],
    ['disabling with an old version', { version: 2, active: false }, 409, 'conflict', null],
    ['deleting with an old version', { version: 2, deleted: true }, 409, 'conflict', null],
  ])('%s', async (_name, body, status, code, attr) => {
    const client = await withRules();
    const before = (await client.get(PATH)).body;
    expect(await client.patch(PATH, body)).toMatchObject({ status, body: { code, attr } });
    expect((await client.get(PATH)).body).toEqual(before);
  });

  test('enabling and restoring', async () => {
    const disabled = await withRules({ active: false });
    expect(await disabled.patch(PATH, { version: 3, active: true })).toMatchObject({
      body: { code: 'unsupported_config_version' },
    });
    const deleted = await withRules({ deleted: true });
    expect(await deleted.patch(PATH, { version: 3, deleted: false })).toMatchObject({
      body: { code: 'unsupported_config_version' },
    });
  });

  test('a create with rules', async () => {
    const client = await withRules();
    expect(await client.post(FLAGS, { key: 'new', filters: RULES })).toMatchObject({
      status: 400,
      body: { code: 'reserved_config_version', attr: 'filters' },
    });
  });

  test('every write to a remote configuration with rules, or to a later format', async () => {
    for (const more of [
      { is_remote_configuration: true },
      { filters: { version: 3 } },
      { filters: { version: '2' } },
    ]) {
      const client = await withRules(more);
      expect(await client.patch(PATH, { version: 3, active: false })).toMatchObject({
        status: 400,
        body: { code: 'unsupported_config_version', attr: 'filters' },
      });
    }
  });

  test.each([
    ['enable', { active: false }, 'unsupported_config_version'],
    ['disable', {}, 'required'],
    ['archive', {}, 'unsupported_config_version'],
  ])('the action %s, which has no version', async (action, more, code) => {
    const client = await withRules(more);
    expect(await client.post(`${PATH}${action}/`, {})).toMatchObject({ status: 400, body: { code } });
  });

  test('rollout actions', async () => {
    const client = await withRules();
    const answered = await client.post(`${PATH}roll_out_to_everyone/`, { version: 3 });
    expect(answered).toMatchObject({ status: 400, body: { code: 'unsupported_config_version', attr: null } });
  });

  test('a condition that depends on such a flag', async () => {
    const client = await withRules();
    const property = { key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true };
    const answered = await client.post(FLAGS, { key: 'new', filters: { groups: [{ properties: [property] }] } });
    expect(answered).toMatchObject({ status: 400, body: { code: 'unsupported_dependency_config_version' } });
  });
});

describe('what is accepted', () => {
  test('disabling with the version, whatever the echoed members and original_flag', async () => {
    const client = await withRules();
    const { body: original } = await client.get(PATH);
    const answered = await client.patch(PATH, {
      version: 3,
      active: false,
      name: '',
      key: 'ruled',
      original_flag: original,
    });
    expect(answered).toMatchObject({ status: 200, body: { active: false, version: 4, filters: RULES } });
  });

  test('deleting, which disables too', async () => {
    const client = await withRules();
    const answered = await client.patch(PATH, { version: 3, deleted: true });
    expect(answered).toMatchObject({ status: 200, body: { deleted: true, active: false, version: 4 } });
  });

  test('a bulk deletion, which uses the stored version', async () => {
    const client = await withRules();
    const answered = await client.post(`${FLAGS}bulk_delete/`, { ids: [1, 2] });
    expect(answered.body).toMatchObject({ deleted: [{ id: 1 }, { id: 2 }], errors: [] });
    expect((await client.get(PATH)).body).toMatchObject({ deleted: true, active: false, version: 4 });
    expect((await client.get(`${FLAGS}2/`)).body).toMatchObject({ deleted: true, active: true, version: 1 });
  });

  test('numeric 1 is the format of conditions', async () => {
    const client = await withRules({ filters: { version: 1, groups: [{}] } });
    expect((await client.patch(PATH, { name: 'Renamed' })).status).toBe(200);
  });
});

test('no write changes the rules', async () => {
  const member = fc.constantFrom('name', 'key', 'tags', 'active', 'deleted', 'archived', 'filters', 'version');
  const value = fc.oneof(fc.boolean(), fc.constantFrom(3, 2, 'x', null, [], {}, { groups: [{}] }, RULES));
  await holdsAsync(30, [fc.dictionary(member, value, { maxKeys: 4 })], async (body) => {
    const client = await withRules();
    const answered = await client.patch(PATH, body as JsonObject);
    expect(answered.status).toBeLessThan(500);
    expect((await client.get(PATH)).body['filters']).toEqual(RULES);
    await client.service.close();
  });
});

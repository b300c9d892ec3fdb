/** The role access of 2023: granting, reading and revoking. */

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { FLAGS, results, ROLES, start } from '../harness.ts';

const ACCESS = `${FLAGS}1/role_access/`;
const { engineering = '', support = '' } = ROLES;

describe('role access', () => {
  test('is granted, read and revoked', async () => {
    const client = await start();
    await client.create({ key: 'a' });
    const granted = await client.post(ACCESS, { role_id: engineering });
    expect(granted).toMatchObject({
      status: 201,
      body: { id: 1, feature_flag: { id: 1, key: 'a' }, role: { id: engineering, name: 'engineering', members: [] } },
    });
    expect(granted.body).not.toHaveProperty('role_id');
    await client.post(ACCESS, { role_id: support });
    const list = await client.get(ACCESS);
    expect(list.body).toMatchObject({ count: 2, next: null, previous: null });
    expect(results(list)[0]).toEqual({ ...granted.body, role: (await client.get(`${ACCESS}1/`)).body['role'] });
    expect(await client.request('DELETE', `${ACCESS}1/`)).toMatchObject({ status: 204, text: '' });
    expect((await client.get(ACCESS)).body).toMatchObject({ count: 1 });
    expect((await client.get(`${ACCESS}1/`)).status).toBe(404);
    expect((await client.request('DELETE', `${ACCESS}1/`)).status).toBe(404);
  });

  const REFUSED: [body: JsonValue, code: string, attr: string | null][] = [
    [{}, 'required', 'role_id'],
    [{ role_id: null }, 'null', 'role_id'],
    [{ role_id: 5 }, 'incorrect_type', 'role_id'],
    [{ role_id: '0188a2d0-0000-7e61-9f61-2f6f2f6a1c11' }, 'does_not_exist', 'role_id'],
    [[], 'invalid_input', null],
  ];

  test.each(REFUSED)('refuses %j', async (body, code, attr) => {
    const client = await start();
    await client.create({ key: 'a' });
    expect(await client.post(ACCESS, body)).toMatchObject({ status: 400, body: { code, attr } });
  });

  test.each(['9', 'a'])('the flag %s has none', async (id) => {
    const client = await start();
    const path = `${FLAGS}${id}/role_access/`;
    expect((await client.get(path)).status).toBe(404);
    expect((await client.post(path, { role_id: engineering })).status).toBe(404);
  });

  test('an entry belongs to its flag', async () => {
    const client = await start();
    await client.create({ key: 'a' });
    await client.create({ key: 'b' });
    await client.post(ACCESS, { role_id: engineering });
    expect((await client.get(`${FLAGS}2/role_access/1/`)).status).toBe(404);
    expect((await client.request('DELETE', `${FLAGS}2/role_access/1/`)).status).toBe(404);
  });

  test('is removed with a flag that a create removes', async () => {
    const client = await start();
    await client.create({ key: 'a' });
    await client.post(ACCESS, { role_id: engineering });
    await client.patch(`${FLAGS}1/`, { deleted: true });
    expect((await client.get(ACCESS)).body).toMatchObject({ count: 1 });
    await client.create({ key: 'a' });
    expect((await client.get(ACCESS)).status).toBe(404);
    expect((await client.get(`${FLAGS}2/role_access/`)).body).toMatchObject({ count: 0 });
  });
});

test('a role has its level and its flags', async () => {
  const client = await start();
  await client.create({ key: 'a' });
  const { body } = await client.post(ACCESS, { role_id: engineering });
  expect(body['role']).toMatchObject({ feature_flags_access_level: 37, associated_flags: [{ id: 1, key: 'a' }] });
});

test('the list has pages', async () => {
  const client = await start();
  await client.create({ key: 'a' });
  await client.post(ACCESS, { role_id: engineering });
  await client.post(ACCESS, { role_id: support });
  const page = await client.get(`${ACCESS}?limit=1`);
  expect(page.body).toMatchObject({ count: 2, next: `${client.service.url}${ACCESS}?limit=1&offset=1` });
});

test('a second entry for a role is refused', async () => {
  const client = await start();
  await client.create({ key: 'a' });
  await client.post(ACCESS, { role_id: engineering });
  const again = await client.post(ACCESS, { role_id: engineering });
  expect(again).toMatchObject({ status: 400, body: { code: 'unique' } });
  expect((await client.get(ACCESS)).body).toMatchObject({ count: 1 });
});

test('a role keeps its id and gets its new name at the next start', async () => {
  const client = await start({ projects: [{ id: '1', roles: { old: engineering, new: engineering } }] });
  await client.create({ key: 'a' });
  const { body } = await client.post(ACCESS, { role_id: engineering });
  expect(body['role']).toMatchObject({ id: engineering, name: 'new' });
});

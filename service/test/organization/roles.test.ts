/** Bodies that roles and memberships refuse, in the words of Django REST Framework's codes. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { ROLES, start } from '../harness.ts';

const PATH = '/api/organizations/@current/roles/';
const MEMBER = { id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1d01', uuid: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1d02' };

async function service() {
  return start({ profile: 'posthog', seed: { members: [{ ...MEMBER, email: 'ada@example.org' }] } });
}

test.each<[JsonValue, string, string | null]>([
  [null, 'null', null],
  [['support'], 'invalid_input', null],
  [{}, 'required', 'name'],
  [{ name: null }, 'null', 'name'],
  [{ name: 5 }, 'invalid_input', 'name'],
  [{ name: ' ' }, 'blank', 'name'],
  [{ name: 'x'.repeat(201) }, 'max_length', 'name'],
  [{ name: 'ENGINEERING' }, 'unique', 'name'],
])('a new role of %j is refused', async (body, code, attr) => {
  expect(await (await service()).post(PATH, body)).toMatchObject({
    status: 400,
    body: { type: 'validation_error', code, attr },
  });
});

test('a role without a body has no name', async () => {
  const answered = await (await service()).request('POST', PATH);
  expect(answered).toMatchObject({ status: 400, body: { code: 'required', attr: 'name' } });
});

test('a PATCH without a name keeps it, and a role keeps its own name', async () => {
  const client = await service();
  const path = `${PATH}${ROLES['engineering']}/`;
  for (const body of [{}, { name: 'Engineering' }] satisfies JsonObject[]) {
    expect((await client.patch(path, body)).status).toBe(200);
  }
  expect((await client.get(path)).body).toMatchObject({ name: 'Engineering' });
});

test.each<[JsonValue, string, string | null]>([
  [{}, 'required', 'user_uuid'],
  [[], 'required', 'user_uuid'],
  [{ user_uuid: 5 }, 'invalid_input', 'user_uuid'],
  [{ user_uuid: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1dff' }, 'invalid_input', null],
])('a membership of %j is refused', async (body, code, attr) => {
  const client = await service();
  expect(await client.post(`${PATH}${ROLES['engineering']}/role_memberships/`, body)).toMatchObject({
    status: 400,
    body: { code, attr },
  });
});

test('a member has a role once', async () => {
  const client = await service();
  const path = `${PATH}${ROLES['engineering']}/role_memberships/`;
  expect(await client.post(path, { user_uuid: MEMBER.uuid.toUpperCase() })).toMatchObject({
    status: 201,
    body: { user: { email: 'ada@example.org' } },
  });
  expect((await client.post(path, { user_uuid: MEMBER.uuid })).status).toBe(400);
});

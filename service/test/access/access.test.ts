/** Access rules beyond the contract: refusals that a seed switches on, and what the other profile shows of them. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FLAGS, ROLES, start } from '../harness.ts';
import { createWorkspace } from '../../../test/helpers/workspace.ts';

const { engineering = '', support = '' } = ROLES;
const ACCESS = `${FLAGS}1/access_controls/`;

test('without role-based access a level for a role is refused, and a level for everyone is set', async () => {
  const seed = { flags: [{ id: 1, key: 'a' }], missing_features: ['role_based_access'] };
  const { get, request } = await start({ profile: 'posthog', seed });
  expect(await request('PUT', ACCESS, { role: engineering, access_level: 'editor' })).toMatchObject({
    status: 403,
    body: { type: 'authentication_error', code: 'permission_denied' },
  });
  expect((await request('PUT', ACCESS, { access_level: 'viewer' })).status).toBe(200);
  expect((await get(ACCESS)).body).toMatchObject({ access_controls: [{ role: null, access_level: 'viewer' }] });
  expect((await get('/api/organizations/@current/')).body).toMatchObject({
    available_product_features: [{ key: 'access_control' }],
  });
});

test('a flag that the user may not edit shows that its access may not be changed either', async () => {
  const seed = { flags: [{ id: 1, key: 'a', can_edit: false }] };
  const { get, request } = await start({ profile: 'posthog', seed });
  expect((await get(ACCESS)).body).toMatchObject({ user_access_level: 'viewer', user_can_edit_access_levels: false });
  expect((await request('PUT', ACCESS, { access_level: 'viewer' })).status).toBe(403);
});

test('a seed has rules for roles, for members and for everyone', async () => {
  const seed = {
    flags: [{ id: 1, key: 'a' }],
    members: [{ email: 'ada@example.org', roles: ['support'] }],
    role_access: [
      { flag: 'a', role: 'engineering', level: 'manager' },
      { flag: 'a', member: 'ada@example.org', level: 'viewer' },
      { flag: 'a', level: 'none' },
    ],
  };
  const { get } = await start({ profile: 'posthog', seed });
  expect((await get(ACCESS)).body).toMatchObject({
    access_controls: [
      { role: engineering, organization_member: null, access_level: 'manager' },
      { role: null, access_level: 'viewer' },
      { role: null, organization_member: null, access_level: 'none' },
    ],
  });
  expect((await get(`/api/organizations/@current/roles/${support}/`)).body).toMatchObject({
    members: [{ user: { email: 'ada@example.org' } }],
  });
});

test.each([
  [{ flag: 'a', role: 'nobody' }, '/role_access/0/role'],
  [{ flag: 'a', member: 'nobody' }, '/role_access/0/member'],
  [{ flag: 'a', role: 'support', member: 'ada@example.org' }, '/role_access/0'],
  [{ flag: 'a', role: 'support', level: 'owner' }, '/role_access/0/level'],
])('a seed with %j is refused at %s', async (entry, place) => {
  const seed = { flags: [{ key: 'a' }], members: [{ email: 'ada@example.org' }], role_access: [entry] };
  await expect(start({ profile: 'posthog', seed })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(place) as string,
  });
});

test('the profile of 2023 shows the roles that can edit, and a grant raises a lower level', async () => {
  const data = join(createWorkspace().root, 'service.db');
  const today = await start({ data, profile: 'posthog' });
  await today.create({ key: 'a', filters: { groups: [{ properties: [] }] } });
  await today.request('PUT', ACCESS, { role: engineering, access_level: 'manager' });
  await today.request('PUT', ACCESS, { role: support, access_level: 'viewer' });
  await today.service.close();
  const older = await start({ data });
  expect((await older.get(`${FLAGS}1/role_access/`)).body).toMatchObject({ results: [{ role: { id: engineering } }] });
  expect((await older.post(`${FLAGS}1/role_access/`, { role_id: support })).status).toBe(201);
  expect((await older.get(`${FLAGS}1/role_access/`)).body).toMatchObject({ count: 2 });
});

import { expect, test } from 'vitest';
import { clientFor, failureOf } from '../client/support/client.ts';
import { serve, serveInTurn } from '../client/support/server.ts';

const PATH = '/api/projects/1/feature_flags/7/role_access/';
const entry = (id: number) => ({
  id,
  feature_flag: { id: 7, key: 'a' },
  role: { id: `role-${id}`, name: `Role ${id}`, members: [], associated_flags: [{ id: 7, key: 'a' }] },
  added_at: '2026-03-01T09:30:00Z',
});

test('listRoleAccess sends no query parameters', async () => {
  const { host, seen } = await serveInTurn({
    body: { count: 2, next: null, previous: null, results: [entry(1), entry(2)] },
  });
  expect(await clientFor(host).listRoleAccess(7)).toEqual([entry(1), entry(2)]);
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${PATH}`]);
});

test('listRoleAccess reads all pages', async () => {
  const all = Array.from({ length: 5 }, (_, index) => entry(index + 1));
  const { host, seen } = await serve(({ url, headers }) => {
    const offset = Number(new URL(url, 'http://x').searchParams.get('offset') ?? 0);
    const next = offset + 2 < 5 ? `http://${headers.host}${PATH}?limit=2&offset=${offset + 2}` : null;
    return { body: { count: 5, next, results: all.slice(offset, offset + 2) } };
  });
  expect(await clientFor(host).listRoleAccess(7)).toEqual(all);
  expect(seen.map(({ url }) => url).sort()).toEqual([PATH, `${PATH}?limit=2&offset=2`, `${PATH}?limit=2&offset=4`]);
});

test('listRoleAccess fails with not_found if the service has no role access', async () => {
  const { host } = await serveInTurn({ status: 404, body: { code: 'not_found', detail: 'Not found.' } });
  expect(await failureOf(clientFor(host).listRoleAccess(7))).toMatchObject({
    failure: { kind: 'not_found', detail: 'Not found.' },
    operation: 'listRoleAccess',
  });
});

test('createRoleAccess sends only the role id', async () => {
  const { host, seen } = await serveInTurn({ status: 201, body: entry(3) });
  expect(await clientFor(host).createRoleAccess(7, 'role-3')).toEqual(entry(3));
  expect(seen).toMatchObject([{ method: 'POST', url: PATH, body: '{"role_id":"role-3"}' }]);
});

test('getRoleAccess reads one entry', async () => {
  const { host, seen } = await serveInTurn({ body: entry(3) });
  expect(await clientFor(host).getRoleAccess(7, 3)).toEqual(entry(3));
  expect(seen).toMatchObject([{ method: 'GET', url: `${PATH}3/` }]);
});

test('deleteRoleAccess deletes one entry', async () => {
  const { host, seen } = await serveInTurn({ status: 204 });
  expect(await clientFor(host).deleteRoleAccess(7, 3)).toBeUndefined();
  expect(seen).toMatchObject([{ method: 'DELETE', url: `${PATH}3/`, body: '' }]);
});

test('deleteRoleAccess fails with not_found for a missing entry', async () => {
  const { host } = await serveInTurn({ status: 404 });
  expect(await failureOf(clientFor(host).deleteRoleAccess(7, 3))).toMatchObject({ failure: { kind: 'not_found' } });
});

test('a role without a name gets its id as the name', async () => {
  const { host } = await serveInTurn({ body: { id: 3, role: { id: 'r' } } });
  expect(await clientFor(host).getRoleAccess(7, 3)).toEqual({ id: 3, role: { id: 'r', name: 'r' } });
});

test.each([
  [{ id: 3 }, '/role'],
  [{ id: 3, role: { name: 'x' } }, '/role/id'],
  [{ role: { id: 'r', name: 'x' } }, '/id'],
])('%j is an invalid answer', async (body, at) => {
  const { host } = await serveInTurn({ body });
  expect(await failureOf(clientFor(host).getRoleAccess(7, 3))).toMatchObject({
    failure: { kind: 'invalid_answer', why: 'shape', at },
  });
});

test.each<[string, object, { at: string; expected: string }]>([
  ['another role', entry(4), { at: '/role/id', expected: "'role-3'" }],
  ['another flag', { ...entry(3), feature_flag: { id: 8, key: 'a' } }, { at: '/feature_flag/id', expected: '7' }],
])('a grant answered with the entry of %s may have happened', async (_name, body, shape) => {
  const { host } = await serveInTurn({ status: 201, body });
  expect(await failureOf(clientFor(host).createRoleAccess(7, 'role-3'))).toMatchObject({
    failure: { kind: 'invalid_answer', why: 'shape', ...shape },
    mayHaveHappened: true,
  });
});

test('an entry without its flag is accepted', async () => {
  const { host } = await serveInTurn({ status: 201, body: { id: 1, role: { id: 'role-3', name: 'x' } } });
  expect(await clientFor(host).createRoleAccess(7, 'role-3')).toMatchObject({ id: 1 });
});

test('role ids are compared case-insensitively', async () => {
  const { host } = await serveInTurn({ status: 201, body: entry(3) });
  expect(await clientFor(host).createRoleAccess(7, 'ROLE-3')).toEqual(entry(3));
});

const RULES = '/api/projects/1/feature_flags/7/access_controls/';
const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const rule = (fields: object): object => ({ access_level: 'viewer', role: null, organization_member: null, ...fields });

test('getAccess reads the rules of a flag, with the ids of roles in lower case', async () => {
  const body = { access_controls: [rule({ role: ROLE.toUpperCase() })], user_can_edit_access_levels: true, new: 1 };
  const { host, seen } = await serveInTurn({ body });
  expect(await clientFor(host).getAccess(7)).toEqual({ ...body, access_controls: [rule({ role: ROLE })] });
  expect(seen).toMatchObject([{ method: 'GET', url: RULES }]);
});

test.each([
  [{}, '/access_controls'],
  [{ access_controls: [{ role: null }] }, '/access_controls/0/access_level'],
  [{ access_controls: [rule({ role: 7 })] }, '/access_controls/0/role'],
])('getAccess refuses %j', async (body, at) => {
  const { host } = await serveInTurn({ body });
  expect(await failureOf(clientFor(host).getAccess(7))).toMatchObject({ failure: { kind: 'invalid_answer', at } });
});

test('setAccess sets one level', async () => {
  const { host, seen } = await serveInTurn({ body: rule({ role: ROLE }) });
  expect(await clientFor(host).setAccess(7, { role: ROLE, level: 'viewer' })).toMatchObject({ access_level: 'viewer' });
  expect(seen).toMatchObject([{ method: 'PUT', url: RULES }]);
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ role: ROLE, organization_member: null, access_level: 'viewer' });
});

test('setAccess removes a level', async () => {
  const { host } = await serveInTurn({ status: 204 });
  expect(await clientFor(host).setAccess(7, { role: null, level: null })).toBeUndefined();
});

test.each([
  [rule({ role: null }), '/role'],
  [rule({ role: ROLE, access_level: 'editor' }), '/access_level'],
])('setAccess refuses the answer %j to another request', async (body, at) => {
  const { host } = await serveInTurn({ body });
  expect(await failureOf(clientFor(host).setAccess(7, { role: ROLE, level: 'viewer' }))).toMatchObject({
    failure: { kind: 'invalid_answer', at },
    mayHaveHappened: true,
  });
});

test('getProject, getOrganization and listRoles follow the project to the roles of its organization', async () => {
  const { host, seen } = await serveInTurn(
    { body: { id: 1, organization: 'o-1' } },
    { body: { id: 'o-1', available_product_features: [] } },
    { body: { count: 1, next: null, results: [{ id: ROLE.toUpperCase(), name: 'engineering' }] } },
  );
  const client = clientFor(host);
  expect(await client.getProject()).toMatchObject({ organization: 'o-1' });
  expect(await client.getOrganization('o-1')).toMatchObject({ id: 'o-1' });
  expect(await client.listRoles('@current')).toEqual([{ id: ROLE, name: 'engineering' }]);
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/projects/1/',
    '/api/organizations/o-1/',
    '/api/organizations/@current/roles/?limit=100',
  ]);
});

const object = (more: object) => ({ resource: 'feature_flag', resource_id: '7', access_level: 'viewer', ...more });

test('getAccessSettings reads whether rules are locked, and nothing else counts as that', async () => {
  const { host, seen } = await serveInTurn({ body: { lock_terraform_managed_rules: true } }, { body: {} });
  expect((await clientFor(host).getAccessSettings()).lock_terraform_managed_rules).toBe(true);
  expect(seen[0]?.url).toBe('/api/projects/1/access_control_management_settings/');
  expect(await failureOf(clientFor(host).getAccessSettings())).toMatchObject({
    failure: { kind: 'invalid_answer', at: '/lock_terraform_managed_rules' },
  });
});

test('listDefaultAccess, listAccessOfRole, listAccessOfMember and listMembers read access by subject, of flags only', async () => {
  const { host, seen } = await serveInTurn(
    { body: { results: [object({}), object({ resource: 'dashboard', resource_id: 'x' })] } },
    { body: { results: [object({ access_level: 'manager' })] } },
    { body: { results: [] } },
    { body: { count: 1, next: null, results: [{ id: 'm-1', level: 15 }] } },
  );
  const client = clientFor(host);
  expect(await client.listDefaultAccess()).toEqual([{ flagId: 7, level: 'viewer' }]);
  expect(await client.listAccessOfRole(ROLE)).toEqual([{ flagId: 7, level: 'manager' }]);
  expect(await client.listAccessOfMember('m-1')).toEqual([]);
  expect(await client.listMembers('o-1')).toEqual([{ id: 'm-1', level: 15 }]);
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/projects/1/access_control_default_objects/',
    `/api/projects/1/access_control_role_objects/?role_id=${ROLE}`,
    '/api/projects/1/access_control_member_objects/?member_id=m-1',
    '/api/organizations/o-1/members/?limit=500',
  ]);
});

test.each([
  [{}, '/results'],
  [{ results: [{}] }, '/results/0/resource'],
  [{ results: [object({ resource_id: '7a' })] }, '/results/0/resource_id'],
  [{ results: [object({ access_level: null })] }, '/results/0/access_level'],
])('listDefaultAccess refuses %j', async (body, at) => {
  const { host } = await serveInTurn({ body });
  expect(await failureOf(clientFor(host).listDefaultAccess())).toMatchObject({
    failure: { kind: 'invalid_answer', at },
  });
});

/** Declared flags: created, changed, renamed and removed in one step, and recorded in the activity. */

import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { FlagDeclaration } from '../src/index.ts';
import { FLAGS, keysOf, results, ROLES, start } from './harness.ts';
import { createWorkspace } from '../../test/helpers/workspace.ts';

const declaration = { projectId: '1', flags: [], removed: [] };

function flag(key: string, fields: JsonObject = {}, previousKeys: readonly string[] = []) {
  return { key, previousKeys, fields };
}

test('ids stay, and only differences are written', async () => {
  const client = await start({ profile: 'posthog' });
  const { service } = client;
  service.declare({ ...declaration, flags: [flag('a', { name: 'A' }), flag('b')] });
  const before = results(await client.get(FLAGS));
  service.declare({ ...declaration, flags: [flag('a', { name: 'A' }), flag('c', { active: false }, ['b'])] });
  const after = results(await client.get(FLAGS));
  expect(after.map(({ id, key, version }) => [id, key, version])).toEqual([
    [before[0]?.['id'], 'c', 2],
    [before[1]?.['id'], 'a', 2],
  ]);
  const log = await client.get(`${FLAGS}activity/`);
  expect(results(log).map(({ activity }) => activity)).toEqual(['updated', 'updated', 'created', 'created']);
});

test('a field that is no longer declared gets the default of a new flag', async () => {
  const client = await start({ profile: 'posthog' });
  const { service } = client;
  const shown = async (): Promise<JsonObject> => {
    const [{ version: _version, updated_at: _updated, ...rest } = {}] = results(await client.get(FLAGS));
    return rest;
  };
  service.declare({ ...declaration, flags: [flag('a')] });
  const before = await shown();
  const filters = { groups: [{ rollout_percentage: 5 }] };
  const fields = { name: 'A', active: false, filters, tags: ['x'], evaluation_runtime: 'server' };
  service.declare({ ...declaration, flags: [flag('a', fields)] });
  expect(await shown()).toMatchObject({ name: 'A', active: false, evaluation_runtime: 'server' });
  service.declare({ ...declaration, flags: [flag('a')] });
  expect(await shown()).toEqual(before);
});

test('dependencies are declared by key in any order and stored by id', async () => {
  const client = await start({ profile: 'posthog' });
  const on = (key: string | number): JsonObject => ({ key, type: 'flag', operator: 'flag_evaluates_to', value: true });
  const filters = { groups: [{ properties: [on('later'), on(1), on('nowhere')] }] };
  client.service.declare({ ...declaration, flags: [flag('first', { filters }), flag('later')] });
  const [, first] = results(await client.get(FLAGS));
  expect(first).toMatchObject({
    filters: { groups: [{ properties: [{ key: '2' }, { key: '1' }, { key: 'nowhere' }] }] },
  });
});

test('a removed flag is soft-deleted and can be restored unchanged', async () => {
  const client = await start();
  await client.create({ key: 'mine' });
  const { service } = client;
  service.declare({ ...declaration, flags: [flag('a')] });
  service.declare({ ...declaration, removed: ['a', 'never'] });
  expect(keysOf(await client.get(FLAGS))).toBe('mine');
  service.declare({ ...declaration, flags: [flag('a')] });
  expect(keysOf(await client.get(FLAGS))).toBe('a mine');
});

test('a flag that is no longer declared is deleted, also after a restart', async () => {
  const data = path.join(createWorkspace().root, 'service.db');
  const client = await start({ data });
  await client.create({ key: 'mine' });
  client.service.declare({ ...declaration, flags: [flag('kept'), flag('gone'), flag('old')] });
  await client.service.close();
  const again = await start({ data });
  again.service.declare({ ...declaration, flags: [flag('kept'), flag('new', {}, ['old'])] });
  expect(keysOf(await again.get(FLAGS))).toBe('new kept mine');
  // A flag restored by a PATCH is no longer a declared one.
  await again.patch(`${FLAGS}3/`, { deleted: false });
  again.service.declare({ ...declaration, flags: [flag('kept')] });
  expect(keysOf(await again.get(FLAGS))).toBe('gone kept mine');
});

test('a seed loads everything but flags if flags are declared', async () => {
  const seed = {
    flags: [{ key: 'seeded', filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 7 }] }] } }],
    roles: [{ id: ROLES['support'] ?? '', name: 'support' }],
    role_access: [{ flag: 'seeded', role: 'support' }],
    experiments: [{ id: 7, flag: 'seeded' }],
    persons: [{ distinct_ids: ['ada'] }],
  };
  const client = await start({ seed, seedFlags: false });
  client.service.declare({ ...declaration, flags: [flag('a')] });
  expect(keysOf(await client.get(FLAGS))).toBe('a');
  expect(results(await client.get('/api/projects/1/persons/'))).toMatchObject([{ distinct_ids: ['ada'] }]);
});

test('levels are set, also of everyone, and removed', async () => {
  const client = await start({ profile: 'posthog' });
  const engineering = ROLES['engineering'] ?? '';
  const rules = async (): Promise<unknown> =>
    ((await client.get(`${FLAGS}1/access_controls/`)).body['access_controls'] as JsonObject[]).map(
      ({ role, access_level: level }) => [role, level],
    );
  const declare = (access: Partial<FlagDeclaration>): void =>
    client.service.declare({ ...declaration, flags: [{ ...flag('a'), ...access }] });
  declare({ roles: [{ id: engineering, level: 'viewer' }], everyone: 'none' });
  expect(await rules()).toEqual([
    [null, 'none'],
    [engineering, 'viewer'],
  ]);
  declare({});
  expect(await rules()).toHaveLength(2);
  declare({ roles: [{ id: engineering }], everyone: null });
  expect(await rules()).toEqual([[engineering, 'editor']]);
});

test('roles are granted, revoked or not changed', async () => {
  const client = await start();
  const engineering = ROLES['engineering'] ?? '';
  const support = ROLES['support'] ?? '';
  const names = async (): Promise<unknown[]> =>
    results(await client.get(`${FLAGS}1/role_access/`)).map(({ role }) => (role as JsonObject)['name']);
  const declare = (roles?: readonly { id: string; name?: string }[]): void =>
    client.service.declare({ ...declaration, flags: [{ ...flag('a'), ...(roles && { roles }) }] });
  declare([{ id: engineering }, { id: 'f0000000-0000-4000-8000-000000000000', name: 'new' }]);
  expect(await names()).toEqual(['engineering', 'new']);
  declare();
  expect(await names()).toEqual(['engineering', 'new']);
  declare([{ id: support }]);
  expect(await names()).toEqual(['support']);
  declare([]);
  expect(await names()).toEqual([]);
});

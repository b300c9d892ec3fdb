/** Copies of flags with their dependencies and cohorts, beyond what PostHog's own tests demand. */

import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { results, start, type Client } from '../harness.ts';

const COPIES = '/api/organizations/@current/feature_flags/copy_flags/';
const PROJECTS = [{ id: '1' }, { id: '2' }];
const EVERYONE: JsonObject = { groups: [{ rollout_percentage: 100 }] };

async function project(...flags: readonly JsonObject[]): Promise<Client> {
  return start({ profile: 'posthog', projects: PROJECTS, seed: { flags } });
}

function dependsOn(...keys: readonly JsonValue[]): JsonObject {
  const properties = keys.map((key) => ({ key, type: 'flag', operator: 'flag_evaluates_to', value: true }));
  return { groups: [{ properties, rollout_percentage: 100 }] };
}

async function copy(client: Client, body: JsonObject = {}) {
  return client.post(COPIES, { feature_flag_key: 'a', from_project: 1, target_project_ids: [2], ...body });
}

test('a dependency of several flags is created once, before them', async () => {
  const client = await project(
    { id: 1, key: 'a', filters: dependsOn('2', '3') },
    { id: 2, key: 'left', filters: dependsOn('4') },
    { id: 3, key: 'right', filters: dependsOn('4') },
    { id: 4, key: 'base', filters: EVERYONE },
  );
  expect((await copy(client, { copy_dependencies: true })).body).toMatchObject({
    success: [{ copied_dependency_keys: ['base', 'left', 'right'], active: true }],
    failed: [],
  });
  const copied = results(await client.get('/api/projects/2/feature_flags/'));
  expect(new Set(copied.map(({ key }) => key))).toEqual(new Set(['a', 'base', 'left', 'right']));
});

test('more than 50 dependencies are refused', async () => {
  const chain = Array.from({ length: 52 }, (_, index) => ({
    id: index + 1,
    key: index === 0 ? 'a' : `f${index}`,
    filters: index === 51 ? EVERYONE : dependsOn(String(index + 2)),
  }));
  expect(await copy(await project(...chain), { copy_dependencies: true })).toMatchObject({
    status: 400,
    body: { error: 'The flag depends on more than 50 flags; copy it without them.' },
  });
  const shorter = await project(...chain.slice(1).map((flag, index) => (index === 0 ? { ...flag, key: 'a' } : flag)));
  expect((await copy(shorter, { copy_dependencies: true })).body).toMatchObject({ success: [{ key: 'a' }] });
});

test('a dependency that the user may not edit is not copied', async () => {
  const client = await project(
    { id: 1, key: 'a', filters: dependsOn('2') },
    { id: 2, key: 'base', filters: EVERYONE, can_edit: false },
  );
  expect(await copy(client, { copy_dependencies: true })).toMatchObject({ status: 403 });
  expect((await copy(client)).body).toMatchObject({
    success: [
      {
        active: false,
        flag_dependency_warnings: [expect.stringContaining('could not be resolved'), expect.any(String)],
      },
    ],
  });
});

test.each<[string, JsonValue, boolean]>([
  ['an id', '7', true],
  ['a number', 7, true],
  ['the key', 'base', true],
  ['a key of digits', '2030', true],
  ['an unknown id', '99', false],
  ['nothing', ' ', false],
])('a condition that names its flag by %s', async (_, name, isFound) => {
  const client = await project(
    { id: 1, key: 'a', filters: dependsOn(name) },
    { id: 7, key: 'base', filters: EVERYONE },
    { id: 8, key: '2030', filters: EVERYONE },
  );
  for (const key of ['base', '2030']) {
    await client.post('/api/projects/2/feature_flags/', { key, filters: EVERYONE });
  }
  const { success } = (await copy(client)).body as { success: JsonObject[] };
  expect([success[0]?.['active'], success[0]?.['flag_dependency_warnings'] === undefined]).toEqual([isFound, isFound]);
});

test('a flag of the target that the user may not edit is not replaced', async () => {
  const seed = { project_id: 2, flags: [{ id: 5, key: 'a', name: 'kept', filters: EVERYONE, can_edit: false }] };
  const client = await start({ profile: 'posthog', projects: PROJECTS, seed });
  await client.post('/api/projects/1/feature_flags/', { key: 'a', filters: EVERYONE });
  expect((await copy(client)).body).toMatchObject({
    success: [],
    failed: [{ project_id: 2, error_message: 'You do not have permission to copy flags to this project.' }],
  });
  expect((await client.get('/api/projects/2/feature_flags/5/')).body).toMatchObject({ name: 'kept' });
});

test('a static cohort is copied by name, without its persons', async () => {
  const inCohort = { key: 'id', type: 'cohort', value: 1 };
  const client = await start({
    profile: 'posthog',
    projects: PROJECTS,
    seed: {
      cohorts: [{ id: 1, name: 'Listed', persons: ['ada'] }],
      flags: [{ id: 1, key: 'a', filters: { groups: [{ properties: [inCohort] }] } }],
      persons: [{ distinct_ids: ['ada'] }],
    },
  });
  expect((await copy(client)).body).toMatchObject({
    success: [{ filters: { groups: [{ properties: [{ type: 'cohort', cohort_name: 'Listed' }] }] } }],
  });
  expect(results(await client.get('/api/projects/2/cohorts/'))).toMatchObject([{ name: 'Listed', is_static: true }]);
});

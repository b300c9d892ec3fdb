/**
 * A listing of the real service is loaded and answered unchanged; other seeds are read; invalid ones are refused with
 * the place.
 */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { FLAGS, fixture, pathOf, results, ROLES, start } from './harness.ts';
import { createWorkspace } from '../../test/helpers/workspace.ts';

const LISTINGS = [
  ['posthog', 'flags-today.json'],
  ['documented', 'flags-2023.json'],
] as const;

describe.each(LISTINGS)('a listing in the profile %s', (profile, file) => {
  test('is answered unchanged', async () => {
    const listing = fixture(file);
    // The status depends on the clock.
    const client = await start({ profile, seed: listing, now: () => new Date('2026-11-20T00:00:00Z') });
    const page = await client.get(`${FLAGS}?limit=1000`);
    expect(page.body['count']).toBe(300);
    expect(results(page)).toEqual(listing['results']);
  });

  test('accepts every answered flag as an update', async () => {
    const client = await start({ profile, seed: fixture(file) });
    for (const flag of results(await client.get(`${FLAGS}?limit=1000`))) {
      const { key = null, name = null, active = null, filters = null, tags = null } = flag;
      const answered = await client.patch(pathOf(flag), { key, name, active, filters, tags });
      if (flag['can_edit'] === false) {
        expect(answered.status).toBe(403);
      } else {
        expect([answered.status, answered.body]).toMatchObject([200, { key, name, active, tags }]);
        expect(answered.body['filters']).toEqual(filters);
      }
    }
  });
});

test('a seed document: roles, role access, cohorts, experiments, defaults', async () => {
  const seed = {
    project_id: 1,
    roles: [{ id: ROLES['support'] ?? '', name: 'support', feature_flags_access_level: 21 }],
    cohorts: [{ id: 7, name: 'Seven' }],
    experiments: [{ id: 3, name: 'Colour', flag: 'a', is_running: true }],
    persons: [{ distinct_ids: ['p'] }],
    flags: [
      { key: 'b', created_at: '2026-01-01T00:00:00Z' },
      { id: 1, key: 'a', created_at: '2026-01-02T00:00:00Z', deleted: false },
      { key: 'gone', deleted: true },
    ],
    role_access: [{ flag: 'a', role: 'support' }],
  };
  const client = await start({ profile: 'posthog', seed });
  const page = await client.get(FLAGS);
  expect(results(page).map(({ key }) => key)).toEqual(['a', 'b']);
  expect(results(page)[0]).toMatchObject({
    id: 1,
    version: 1,
    active: true,
    filters: { groups: [] },
    experiment_set: [3],
    experiment_set_metadata: [{ id: 3, name: 'Colour', is_running: true }],
    created_by: { email: 'embedded@example.org' },
  });
  const access = await client.get(`${FLAGS}1/access_controls/`);
  expect(access.body).toMatchObject({ access_controls: [{ role: ROLES['support'], access_level: 'editor' }] });
});

test('is loaded only into a project without flags', async () => {
  const data = join(createWorkspace().root, 'sub', 'service.db');
  const seed = [{ key: 'a' }, { key: 'b' }];
  const first = await start({ data, seed });
  const [flag = {}] = results(await first.get(FLAGS));
  await first.patch(pathOf(flag), { name: 'changed' });
  await first.service.close();
  const second = await start({ data, seed });
  const page = await second.get(FLAGS);
  expect(page.body['count']).toBe(2);
  expect(results(page).map(({ name }) => name)).toContain('changed');
});

const BAD_SEEDS: [what: string, seed: JsonValue, place: string][] = [
  ['not a seed', 'flags', 'the top level'],
  ['an unknown member', { flag: [] }, '/flag: "flag" is not known here. Did you mean "flags"?'],
  ['a flag without a key', { flags: [{ key: 'a' }, {}] }, '/flags/1: "key" is missing. Add "key".'],
  ['a wrong type in a listing', { results: [{ key: 'a', active: 'yes' }] }, '/results/0/active'],
  ['a wrong type in an array', [{ key: 5 }], '/0/key'],
  ['a duplicate key', [{ key: 'a' }, { key: 'a' }], '/1/key'],
  [
    'a duplicate id',
    [
      { key: 'a', id: 1 },
      { key: 'b', id: 1 },
    ],
    '/1/id',
  ],
  ['an invalid time', { flags: [{ key: 'a', created_at: 'yesterday' }] }, '/flags/0/created_at'],
  [
    'role access to an unknown flag',
    { flags: [{ key: 'a' }], role_access: [{ flag: 'b', role: 'support' }] },
    '/role_access/0/flag',
  ],
  [
    'role access of an unknown role',
    { flags: [{ key: 'a' }], role_access: [{ flag: 'a', role: 'x' }] },
    '/role_access/0/role',
  ],
  ['an experiment of an unknown flag', { flags: [], experiments: [{ id: 1, flag: 'x' }] }, '/experiments/0/flag'],
  [
    'the same role access twice',
    {
      flags: [{ key: 'a' }],
      role_access: [
        { flag: 'a', role: 'support' },
        { flag: 'a', role: 'support', level: 'viewer' },
      ],
    },
    '/role_access/1',
  ],
  [
    'a scheduled change of an unknown flag',
    {
      flags: [{ key: 'a' }],
      scheduled_changes: [
        { flag: 'b', payload: { operation: 'update_status', value: true }, scheduled_at: '2026-01-01T00:00:00Z' },
      ],
    },
    '/scheduled_changes/0/flag',
  ],
  [
    'a scheduled change at an invalid time',
    {
      flags: [{ key: 'a' }],
      scheduled_changes: [
        { flag: 'a', payload: { operation: 'update_status', value: true }, scheduled_at: 'tomorrow' },
      ],
    },
    '/scheduled_changes/0/scheduled_at: "tomorrow" is not a date and time',
  ],
  ['another project', { project_id: '2' }, 'project 2'],
];

test.each(BAD_SEEDS)('refuses %s', async (_what, seed, place) => {
  const refused = start({ seed });
  await expect(refused).rejects.toMatchObject({ code: 'usage' });
  await expect(refused).rejects.toThrow(place);
});

test('an old flag with odd filters is listed unchanged until it is saved', async () => {
  const odd: JsonObject = {
    groups: [{ rollout_percentage: null }],
    super_groups: [{ properties: [] }],
    left: { over: 1 },
  };
  const client = await start({ profile: 'posthog', seed: [{ key: 'odd', filters: odd, version: null }] });
  const [flag = {}] = results(await client.get(FLAGS));
  expect(flag).toMatchObject({ filters: odd, version: null });
  const saved = await client.patch(pathOf(flag), { name: 'saved' });
  const { super_groups: _gone, ...kept } = odd;
  expect(saved.body).toMatchObject({ version: 1 });
  expect(saved.body['filters']).toEqual(kept);
});

/** The activity log has one entry for each change, with user, time and every field before and after. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, results, start, type Client } from '../harness.ts';

const LOG = `${FLAGS}activity/`;

test('an update records its changes', async () => {
  const client = await start({ now: () => new Date('2026-05-04T03:02:01Z'), randomUuid: () => 'uuid-1' });
  const flag = await client.create({ key: 'a', filters: { groups: [] } });
  const filters = { groups: [{ rollout_percentage: 5 }] };
  await client.patch(pathOf(flag), { active: false, name: 'a', filters, rollback_conditions: [] });
  await client.patch(pathOf(flag), { rollback_conditions: null, name: 'a' });
  const change = (field: string, before: unknown, after: unknown, action = 'changed') => ({
    type: 'FeatureFlag',
    action,
    field,
    before,
    after,
  });
  const log = await client.get(`${pathOf(flag)}activity/`);
  expect(log.body).toMatchObject({ next: null, previous: null, total_count: 3 });
  const [removed, updated, created] = results(log);
  expect(removed).toMatchObject({ detail: { changes: [change('rollback_conditions', [], null, 'deleted')] } });
  expect(updated).toEqual({
    user: { first_name: 'Embedded', email: 'embedded@example.org' },
    activity: 'updated',
    scope: 'FeatureFlag',
    item_id: '1',
    detail: {
      name: 'a',
      short_id: null,
      trigger: null,
      changes: [
        change('name', '', 'a'),
        change('filters', { groups: [] }, filters),
        change('active', true, false),
        change('rollback_conditions', null, [], 'created'),
      ],
    },
    created_at: '2026-05-04T03:02:01Z',
  });
  expect(created).toMatchObject({ activity: 'created', detail: { name: 'a', changes: null } });
});

test.each([
  ['documented', 1],
  ['posthog', 2],
] as const)('an update without changes adds an entry in PostHog only: %s has %i', async (profile, total) => {
  const client = await start({ profile });
  const flag = await client.create({ key: 'a' });
  await client.patch(pathOf(flag), { name: '' });
  const log = await client.get(`${pathOf(flag)}activity/`);
  expect(log.body['total_count']).toBe(total);
  if (total === 2)
    expect(results(log)[0]).toMatchObject({ detail: { changes: [{ field: 'version', before: 1, after: 2 }] } });
});

test('a refused write adds no entry', async () => {
  const client = await start();
  const flag = await client.create({ key: 'a' });
  await client.create({ key: 'b' });
  await client.patch(pathOf(flag), { key: 'b' });
  await client.post(FLAGS, { key: 'a' });
  expect((await client.get(LOG)).body).toMatchObject({ total_count: 2 });
});

test('the log keeps the entries of a flag that was removed for good', async () => {
  const client = await start();
  const flag = await client.create({ key: 'a' });
  await client.patch(pathOf(flag), { deleted: true });
  await client.create({ key: 'a' });
  expect(results(await client.get(LOG)).map((entry) => entry['item_id'])).toEqual(['2', '1', '1']);
  expect((await client.get(`${pathOf(flag)}activity/`)).status).toBe(404);
});

describe('pages', () => {
  async function withEntries(profile: 'documented' | 'posthog'): Promise<Client> {
    const client = await start({ profile });
    for (let index = 0; index < 12; index += 1) await client.create({ key: `k${index}` });
    return client;
  }

  test.each([
    ['', 10, '?page=2&limit=10', null],
    ['?page=2', 2, null, '?page=1&limit=10'],
    ['?limit=5&page=2', 5, '?limit=5&page=3', '?limit=5&page=1'],
    ['?page=7', 0, null, '?page=6&limit=10'],
  ])('%j', async (query, length, next, previous) => {
    const client = await withEntries('posthog');
    const page = await client.get(`${LOG}${query}`);
    const base = `${client.service.url}${LOG}`;
    expect(results(page)).toHaveLength(length);
    expect(page.body).toMatchObject({
      total_count: 12,
      next: next === null ? null : base + next,
      previous: previous === null ? null : base + previous,
    } satisfies JsonObject);
  });

  test.each(['?limit=0', '?page=0', '?page=x', '?limit=-3'])(
    '%s is refused by PostHog and ignored in the documented profile',
    async (query) => {
      const strict = await (await withEntries('posthog')).get(`${LOG}${query}`);
      expect(strict).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
      expect(results(await (await withEntries('documented')).get(`${LOG}${query}`))).toHaveLength(10);
    },
  );
});

/** Lists of flags: hidden flags, the effect of each parameter, and names added on read. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, keysOf, pathOf, results, start } from '../harness.ts';

const SEED = [
  { id: 1, key: 'new-checkout', name: 'One-page', created_at: '2026-01-04T00:00:00Z' },
  { id: 2, key: 'Old_Banner', name: 'Winter sale', active: false, created_at: '2026-01-03T00:00:00Z' },
  { id: 3, key: 'stale', last_called_at: '2020-01-01T00:00:00Z', created_at: '2026-01-02T00:00:00.000002Z' },
  { id: 4, key: 'kept', active: false, archived: true, created_at: '2026-01-02T00:00:00.000001Z' },
  { id: 5, key: 'gone', deleted: true, created_at: '2026-01-01T00:00:00Z' },
];

const SPLIT = { groups: [], multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] } };

const LISTS: [query: string, keys: string][] = [
  ['', 'new-checkout Old_Banner stale'],
  ['?archived=true', 'kept'],
  ['?archived=false', 'new-checkout Old_Banner stale'],
  ['?archived=', 'new-checkout Old_Banner stale'],
  ['?active=true', 'new-checkout stale'],
  ['?active=false', 'Old_Banner'],
  ['?active=STALE', 'stale'],
  ['?key=NEW-CHECKOUT', 'new-checkout'],
  ['?key=new', ''],
  ['?search=check', 'new-checkout'],
  ['?search=old+banner', 'Old_Banner'],
  ['?search=new check', 'new-checkout'],
  ['?search=new_check', ''],
  ['?search=winter+SALE', 'Old_Banner'],
  ['?search=winter-SALE', ''],
  ['?search=*', ''],
  ['?search=%25', ''],
  ['?order=key', 'Old_Banner new-checkout stale'],
  ['?order=-id', 'stale Old_Banner new-checkout'],
  ['?order=filters;--', 'new-checkout Old_Banner stale'],
  ['?unknown=1', 'new-checkout Old_Banner stale'],
];

test.each(LISTS)('PostHog lists %s', async (query, keys) => {
  const client = await start({ profile: 'posthog', seed: SEED });
  const page = await client.get(`${FLAGS}${query}`);
  expect(keysOf(page)).toBe(keys);
  expect(page.body['count']).toBe(results(page).length);
});

const MIXED = [
  { id: 1, key: 'split', tags: ['web', 'old'], created_by: { id: 7 }, filters: SPLIT },
  { id: 2, key: 'tried', experiment_set: [5], evaluation_runtime: 'server', created_by: null },
  { id: 3, key: 'config', is_remote_configuration: true, tags: ['web'], created_by: { id: 8 } },
  {
    id: 4,
    key: 'plain',
    evaluation_contexts: ['app'],
    filters: { groups: [], multivariate: null },
    created_by: { id: 9 },
  },
];

test.each([
  ['tags=["web"]', 'split config'],
  ['tags=["old","none"]', 'split'],
  ['tags=[]', 'split tried config plain'],
  ['excluded_tags=["old"]', 'tried config plain'],
  ['tags=["web"]&excluded_tags=["old"]', 'config'],
  ['excluded_properties=["split","plain"]', 'tried config'],
  ['type=boolean', 'tried config plain'],
  ['type=multivariant', 'split'],
  ['type=experiment', 'tried'],
  ['type=remote_config', 'config'],
  ['type=other', 'split tried config plain'],
  ['created_by_id=7', 'split'],
  ['created_by_id=7,8', 'split config'],
  ['created_by_id=["8",9]', 'config plain'],
  ['evaluation_runtime=server', 'tried'],
  ['evaluation_runtime=all', 'split config plain'],
  ['has_evaluation_contexts=true', 'plain'],
  ['has_evaluation_contexts=false', 'split tried config'],
])('PostHog filters the list by %s, the documented profile does not', async (query, keys) => {
  const path = `${FLAGS}?order=id&${encodeURI(query)}`;
  const client = await start({ profile: 'posthog', seed: MIXED });
  expect(keysOf(await client.get(path))).toBe(keys);
  const documented = await start({ seed: MIXED });
  expect(results(await documented.get(path))).toHaveLength(4);
});

test.each(['tags', 'excluded_tags', 'excluded_properties', 'created_by_id'])(
  'an invalid %s is ignored',
  async (name) => {
    const client = await start({ profile: 'posthog', seed: MIXED });
    for (const text of ['{}', 'web', '[{}]']) {
      const listed = await client.get(`${FLAGS}?${name}=${encodeURIComponent(text)}`);
      expect(results(listed)).toHaveLength(4);
    }
  },
);

test('a search that is too long is 400', async () => {
  const client = await start({ profile: 'posthog' });
  expect(await client.get(`${FLAGS}?search=${'x'.repeat(201)}`)).toMatchObject({
    status: 400,
    body: { attr: null },
  });
});

test('the documented list has no filters and no archive', async () => {
  const client = await start({ seed: SEED });
  expect(keysOf(await client.get(`${FLAGS}?key=stale&active=false&search=x&archived=true`))).toBe(
    'new-checkout Old_Banner stale kept',
  );
});

test('PostHog shows the names of cohorts and groups, and never stores them', async () => {
  const seed = {
    flags: [{ key: 'seeded' }],
    groups: [{ group_type_index: 0, key: 'acme', name: 'Acme Inc' }],
  };
  const client = await start({ profile: 'posthog', seed });
  const cohort = { key: 'id', type: 'cohort', value: 42, operator: 'in' };
  const group = { key: '$group_key', type: 'group', group_type_index: 0, operator: 'exact', value: ['acme', 'other'] };
  const created = await client.create({
    key: 'a',
    filters: {
      groups: [
        { properties: [{ ...cohort, cohort_name: 'echoed' }] },
        { properties: [group], aggregation_group_type_index: 0 },
      ],
    },
  });
  expect(created['filters']).toEqual({
    groups: [
      { properties: [{ ...cohort, cohort_name: 'beta' }], aggregation_group_type_index: null },
      {
        properties: [{ ...group, group_key_names: { acme: 'Acme Inc' } }],
        aggregation_group_type_index: 0,
      },
    ],
    aggregation_group_type_index: null,
  });
  const filters = created['filters'] as JsonObject;
  const echoed = await client.patch(pathOf(created), { filters: { ...filters, feature_enrollment: true } });
  expect(echoed.body['filters']).toEqual({ ...filters, feature_enrollment: true });
  const log = await client.get(`${pathOf(created)}activity/`);
  expect(log.text).toContain('feature_enrollment');
  expect(log.text).not.toContain('cohort_name');
});

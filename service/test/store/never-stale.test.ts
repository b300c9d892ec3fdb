/** Whatever was written by whatever route and process, a service answers as one that has just opened the file. */

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { runs } from '../../../test/helpers/runs.ts';
import { createWorkspace } from '../../../test/helpers/workspace.ts';
import { FLAGS, results, ROLES, start, type Client } from '../harness.ts';

const PROJECT = '/api/projects/1/';
const COHORT = 42;
const PEOPLE = ['ada', 'bob'];
const DAY = 24 * 60 * 60 * 1000;

type Body = JsonObject;
type Write = readonly [method: string, path: string, body?: Body];

/** The write about a flag, or another resource, that `n` chooses. */
const WRITES: Readonly<Record<string, (id: number, n: number) => Write>> = {
  create: (_, n) => ['POST', FLAGS, { key: `new-${n}`, filters: filtersOf(n) }],
  filters: (id, n) => ['PATCH', `${FLAGS}${id}/`, { filters: filtersOf(n) }],
  key: (id, n) => ['PATCH', `${FLAGS}${id}/`, { key: `renamed-${n}` }],
  tags: (id, n) => ['PATCH', `${FLAGS}${id}/`, { tags: [`tag-${n}`] }],
  switch: (id, n) => ['PATCH', `${FLAGS}${id}/`, { active: n % 2 === 0 }],
  delete: (id) => ['PATCH', `${FLAGS}${id}/`, { deleted: true }],
  restore: (id) => ['PATCH', `${FLAGS}${id}/`, { deleted: false }],
  refuse: (id) => ['PATCH', `${FLAGS}${id}/`, { name: 'Refused', analytics_dashboards: [5] }],
  archive: (id, n) => ['POST', `${FLAGS}${id}/${n % 2 === 0 ? 'archive' : 'unarchive'}/`],
  enable: (id, n) => ['POST', `${FLAGS}${id}/${n % 2 === 0 ? 'enable' : 'disable'}/`],
  rollOut: (id) => ['POST', `${FLAGS}${id}/roll_out_to_everyone/`, {}],
  bulkDelete: (id) => ['POST', `${FLAGS}bulk_delete/`, { ids: [id, id + 1] }],
  bulkTags: (id, n) => ['POST', `${FLAGS}bulk_update_tags/`, { ids: [id, id + 1], action: 'add', tags: [`bulk-${n}`] }],
  cohort: (_, n) => ['PATCH', `${PROJECT}cohorts/${COHORT}/`, n % 2 === 0 ? { name: `Cohort ${n}` } : cohortOf(n)],
  newCohort: (_, n) => ['POST', `${PROJECT}cohorts/`, { name: `Cohort ${n}`, ...cohortOf(n) }],
  noCohort: (_, n) => ['PATCH', `${PROJECT}cohorts/${COHORT}/`, { deleted: n % 2 === 0 }],
  groupType: (_, n) => ['POST', '/capture', groupIdentified(n)],
  person: (_, n) => ['POST', '/capture', personSeen(n)],
  feature: (id, n) => [
    'POST',
    `${PROJECT}early_access_feature/`,
    { name: `Feature ${n}`, stage: stageOf(n), feature_flag_id: id },
  ],
  stage: (_, n) => ['PATCH', `${PROJECT}early_access_feature/${FEATURE}/`, { stage: stageOf(n) }],
  noFeature: () => ['DELETE', `${PROJECT}early_access_feature/${FEATURE}/`],
  role: (id) => ['POST', `${FLAGS}${id}/role_access/`, { role_id: ROLES['engineering'] ?? '' }],
  access: (id, n) => ['PUT', `${FLAGS}${id}/access_controls/`, { access_level: n % 2 === 0 ? 'viewer' : 'editor' }],
  experiment: (id, n) => [
    'PATCH',
    `${FLAGS}${id}/`,
    { filters: experimentOf(n), ensure_experience_continuity: n % 2 === 0 },
  ],
  copy: (id) => ['POST', '/api/organizations/@current/feature_flags/copy_flags/', copyOf(id)],
};

/** In a path: the id of the first feature. */
const FEATURE = '{feature}';

function filtersOf(n: number): Body {
  const property = [
    { key: 'email', type: 'person', operator: 'icontains', value: '@acme' },
    { key: 'id', type: 'cohort', operator: 'in', value: COHORT },
    { key: '$group_key', type: 'group', group_type_index: 0, operator: 'exact', value: ['acme'] },
    { key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true },
  ][n % 4] as JsonValue;
  const ofGroups = n % 4 === 2 ? { aggregation_group_type_index: 0 } : {};
  return { groups: [{ properties: [property], rollout_percentage: 50 + n }], ...ofGroups };
}

function experimentOf(n: number): Body {
  const share = 10 * (n % 10);
  const variants = [
    { key: 'control', rollout_percentage: share },
    { key: 'test', rollout_percentage: 100 - share },
  ];
  return { groups: [{ properties: [], rollout_percentage: 100 }], multivariate: { variants }, payloads: { test: n } };
}

function cohortOf(n: number): Body {
  const leaf = { key: 'email', type: 'person', operator: 'icontains', value: n % 3 === 0 ? '@acme' : '@other' };
  return { filters: { properties: { type: 'OR', values: [{ type: 'AND', values: [leaf] }] } } };
}

function groupIdentified(n: number): Body {
  const properties = { $group_type: 'company', $group_key: 'acme', $group_set: { name: `Acme ${n}` } };
  return { api_key: 'phc_1', event: '$groupidentify', distinct_id: 'ada', properties };
}

function personSeen(n: number): Body {
  const properties = { $set: { email: n % 2 === 0 ? 'ada@acme.example' : 'ada@other.example' } };
  return { api_key: 'phc_1', event: '$identify', distinct_id: PEOPLE[n % 2] ?? '', properties };
}

function stageOf(n: number): string {
  return ['draft', 'beta', 'general-availability'][n % 3] ?? '';
}

function copyOf(id: number): Body {
  return { feature_flag_key: `flag-${id}`, from_project: 1, target_project_ids: [1] };
}

const step = fc.record({
  /** Writes that go out together, each to one of two services. */
  writes: fc.array(
    fc.record({
      what: fc.constantFrom(...Object.keys(WRITES)),
      id: fc.integer({ min: 1, max: 5 }),
      n: fc.nat(11),
      second: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  /** A flag that everybody has is stale after 30 days. */
  days: fc.constantFrom(0, 0, 40),
});

test.each(['documented', 'posthog'] as const)('%s: no answer is stale', async (profile) => {
  const sequences = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
    let time = Date.UTC(2026, 0, 1);
    const options = { data: join(createWorkspace().root, 'service.db'), profile, now: () => new Date(time) };
    const seed = {
      flags: [1, 2, 3, 4, 5].map((id) => ({ id, key: `flag-${id}`, filters: id === 5 ? {} : filtersOf(id + 2) })),
      experiments: [{ id: 7, name: 'Trial', flag: 'flag-1' }],
    };
    const writers = [await start({ ...options, seed }), await start(options)] as const;
    for (const { writes, days } of steps) {
      for (const writer of writers) await readAll(writer);
      const feature = await firstFeature(writers[0]);
      await Promise.all(
        writes.map(async ({ what, id, n, second }) => {
          const [method, path, body] = WRITES[what]?.(id, n) ?? ['GET', FLAGS];
          return writers[second ? 1 : 0].request(method, path.replace(FEATURE, feature), body);
        }),
      );
      time += days * DAY;
      const found = await Promise.all(writers.map(readAll));
      // Opened last: a service that starts writes to the file, which makes the others forget.
      const fresh = await start(options);
      const expected = await readAll(fresh);
      await fresh.service.close();
      expect(found).toEqual([expected, expected]);
    }
    for (const { service } of writers) await service.close();
  });
  await fc.assert(sequences, { numRuns: runs(15) });
});

async function firstFeature(client: Client): Promise<string> {
  const page = await client.get(`${PROJECT}early_access_feature/`);
  const [feature] = page.status === 200 ? results(page) : [];
  return typeof feature?.['id'] === 'string' ? feature['id'] : 'none';
}

/** What the service shows of flags, in all ways. */
async function readAll(client: Client): Promise<string[]> {
  const lists = ['', '?limit=2&offset=1', '?active=STALE', '?active=true', '?order=key', '?search=flag'];
  const paths = [
    ...lists.map((query) => `${FLAGS}${query}`),
    ...[1, 2, 3, 4, 5].map((id) => `${FLAGS}${id}/`),
    ...['local_evaluation', 'local_evaluation?send_cohorts', 'my_flags'].map((name) => `${FLAGS}${name}`),
    `${FLAGS}1/role_access/`,
    `${FLAGS}1/access_controls/`,
    `${PROJECT}cohorts/`,
    `${PROJECT}early_access_feature/`,
    '/flags/definitions',
    '/api/feature_flag/local_evaluation',
  ];
  const people = PEOPLE.flatMap((id): [string, Body][] => {
    const body = { token: 'phc_1', distinct_id: id, groups: { company: 'acme' } };
    return [
      ['/flags?v=2', body],
      ['/decide?v=3', body],
    ];
  });
  const read = [
    ...paths.map(async (path) => client.get(path)),
    ...people.map(async ([path, body]) => client.post(path, body)),
  ];
  const texts = (await Promise.all(read)).map(({ status, text }) => `${status} ${text}`);
  return texts.map((text) => text.replaceAll(client.service.url, '').replaceAll(/"requestId":"[^"]*"/g, ''));
}

import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import { ServiceError } from '../../../src/posthog/client/service-error.ts';
import { clientFor } from '../client/support/client.ts';
import { testLostAnswers } from '../client/support/lost-answers.ts';
import { serve } from '../client/support/server.ts';

test('listCohorts reads every page, and keeps what it does not know', async () => {
  const cohorts = [3, 2, 1].map((id) => ({ id, name: `Cohort ${id}`, is_static: true, later: [id] }));
  const { host, seen } = await serve(({ url }) => {
    const offset = Number(new URL(url, 'http://x').searchParams.get('offset') ?? 0);
    const next = offset === 0 ? 'http://elsewhere/?limit=2&offset=2' : null;
    return { body: { count: 3, next, previous: null, results: cohorts.slice(offset, offset + 2) } };
  });
  expect(await clientFor(host).listCohorts()).toEqual(cohorts);
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/projects/1/cohorts/?limit=100',
    '/api/projects/1/cohorts/?limit=2&offset=2',
  ]);
});

test.each([
  [
    'a key without the scope',
    { status: 403, body: { type: 'authentication_error', code: 'permission_denied', detail: 'x', attr: null } },
    'forbidden',
  ],
  [
    'a cohort without an id',
    { body: { count: 1, next: null, previous: null, results: [{ name: 'a' }] } },
    'invalid_answer',
  ],
])('listCohorts reports %s', async (_what, answer, kind) => {
  const { host } = await serve(() => answer);
  const error = await clientFor(host)
    .listCohorts()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ServiceError);
  expect((error as ServiceError).failure.kind).toBe(kind);
});

test('getCohort, createCohort and updateCohort send one request each and return the whole cohort', async () => {
  const cohort = { id: 7, name: 'Beta', filters: { properties: { type: 'AND', values: [] } }, later: 1 };
  const { host, seen } = await serve(() => ({ body: cohort }));
  const client = clientFor(host);
  expect(await client.getCohort(7)).toEqual(cohort);
  expect(await client.createCohort({ name: 'Beta' })).toEqual(cohort);
  expect(await client.updateCohort(7, { deleted: true })).toEqual(cohort);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/projects/1/cohorts/7/', ''],
    ['POST', '/api/projects/1/cohorts/', '{"name":"Beta"}'],
    ['PATCH', '/api/projects/1/cohorts/7/', '{"deleted":true}'],
  ]);
});

test.each([
  ['getCohort', (client: ServiceClient) => client.getCohort(8)],
  ['updateCohort', (client: ServiceClient) => client.updateCohort(8, {})],
])('%s takes no other cohort for an answer', async (_name, call) => {
  const { host } = await serve(() => ({ body: { id: 7 } }));
  const error = await call(clientFor(host)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ failure: { kind: 'invalid_answer', why: 'shape', expected: '8' } });
});

test('the activity of one cohort, and of all, is read by page', async () => {
  const page = { results: [{ id: 'e1', activity: 'updated' }], total_count: 1, next: null };
  const { host, seen } = await serve(() => ({ body: page }));
  const client = clientFor(host);
  expect(await client.cohortActivity(7, { limit: 5, page: 2 })).toEqual(page);
  expect(await client.projectCohortActivity({ limit: 5 })).toEqual(page);
  expect(seen.map(({ method, url }) => [method, url])).toEqual([
    ['GET', '/api/projects/1/cohorts/7/activity/?limit=5&page=2'],
    ['GET', '/api/projects/1/cohorts/activity/?limit=5'],
  ]);
});

testLostAnswers([
  ['a read is repeated', 'getCohort', (client) => client.getCohort(7), 5],
  ['a read of the log is repeated', 'cohortActivity', (client) => client.cohortActivity(7), 5],
  ['a read of all logs is repeated', 'projectCohortActivity', (client) => client.projectCohortActivity(), 5],
  ['a list is repeated', 'listCohorts', (client) => client.listCohorts(), 5],
  ['a create is not', 'createCohort', (client) => client.createCohort({ name: 'B' }), 1],
  ['an update is not', 'updateCohort', (client) => client.updateCohort(7, { name: 'B' }), 1],
]);

import { expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import { clientFor } from '../client/support/client.ts';
import { testLostAnswers } from '../client/support/lost-answers.ts';
import { serve } from '../client/support/server.ts';

const ID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1e01';
const OTHER_ID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1e02';
const FEATURE = { id: ID, name: 'Sharing', stage: 'beta', feature_flag: { id: 7, key: 'sharing' }, later: 1 };

test('listEarlyAccessFeatures reads every page, and keeps what it does not know', async () => {
  const features = ['a', 'b', 'c'].map((name) => ({ ...FEATURE, id: name, name }));
  const { host, seen } = await serve(({ url }) => {
    const offset = Number(new URL(url, 'http://x').searchParams.get('offset') ?? 0);
    const next = offset === 0 ? 'http://elsewhere/?limit=2&offset=2' : null;
    return { body: { count: 3, next, previous: null, results: features.slice(offset, offset + 2) } };
  });
  expect(await clientFor(host).listEarlyAccessFeatures()).toEqual(features);
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/projects/1/early_access_feature/?limit=100',
    '/api/projects/1/early_access_feature/?limit=2&offset=2',
  ]);
});

test.each([
  ['without an id', { name: 'a', stage: 'beta' }, '/results/0/id'],
  ['without a stage', { id: ID, name: 'a' }, '/results/0/stage'],
  ['without a name', { id: ID, name: null, stage: 'beta' }, '/results/0/name'],
])('listEarlyAccessFeatures refuses a feature %s', async (_what, feature, at) => {
  const { host } = await serve(() => ({ body: { count: 1, next: null, previous: null, results: [feature] } }));
  const error = await clientFor(host)
    .listEarlyAccessFeatures()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ failure: { kind: 'invalid_answer', why: 'shape', at } });
});

test('each of the other operations sends one request', async () => {
  const { host, seen } = await serve(({ method }) => (method === 'DELETE' ? { status: 204 } : { body: FEATURE }));
  const client = clientFor(host);
  expect(await client.getEarlyAccessFeature(ID)).toEqual(FEATURE);
  expect(await client.createEarlyAccessFeature({ name: 'Sharing', stage: 'beta' })).toEqual(FEATURE);
  expect(await client.updateEarlyAccessFeature(ID, { stage: 'archived' })).toEqual(FEATURE);
  expect(await client.deleteEarlyAccessFeature(ID)).toBeUndefined();
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', `/api/projects/1/early_access_feature/${ID}/`, ''],
    ['POST', '/api/projects/1/early_access_feature/', '{"name":"Sharing","stage":"beta"}'],
    ['PATCH', `/api/projects/1/early_access_feature/${ID}/`, '{"stage":"archived"}'],
    ['DELETE', `/api/projects/1/early_access_feature/${ID}/`, ''],
  ]);
});

test.each([
  ['getEarlyAccessFeature', (client: ServiceClient) => client.getEarlyAccessFeature(OTHER_ID)],
  ['updateEarlyAccessFeature', (client: ServiceClient) => client.updateEarlyAccessFeature(OTHER_ID, {})],
])('%s takes no other feature for an answer', async (_name, call) => {
  const { host } = await serve(() => ({ body: FEATURE }));
  const error = await call(clientFor(host)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ failure: { kind: 'invalid_answer', why: 'shape', at: '/id', expected: OTHER_ID } });
});

test('deleteEarlyAccessFeature takes no page for an answer', async () => {
  const { host } = await serve(() => ({ status: 200, body: {} }));
  const error = await clientFor(host)
    .deleteEarlyAccessFeature(ID)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ failure: { kind: 'invalid_answer' } });
});

testLostAnswers([
  ['a list is repeated', 'listEarlyAccessFeatures', (client) => client.listEarlyAccessFeatures(), 5],
  ['a read is repeated', 'getEarlyAccessFeature', (client) => client.getEarlyAccessFeature(ID), 5],
  ['a create is not', 'createEarlyAccessFeature', (client) => client.createEarlyAccessFeature({ name: 'B' }), 1],
  ['an update is not', 'updateEarlyAccessFeature', (client) => client.updateEarlyAccessFeature(ID, { name: 'B' }), 1],
  ['a delete is not', 'deleteEarlyAccessFeature', (client) => client.deleteEarlyAccessFeature(ID), 1],
]);

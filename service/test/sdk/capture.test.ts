/** Events as SDKs send them: what is stored of each, and what is skipped. */

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { results, start, type Client } from '../harness.ts';

const PERSONS = '/api/projects/1/persons/';

async function captured(...bodies: readonly JsonValue[]): Promise<Client> {
  const client = await start({ profile: 'posthog' });
  for (const body of bodies) {
    expect(await client.post('/capture?token=phc_1', body)).toMatchObject({ status: 200, body: { status: 1 } });
  }
  return client;
}

async function personsOf(client: Client): Promise<unknown[]> {
  return results(await client.get(PERSONS)).map((person) => person['distinct_ids']);
}

test.each<[string, JsonValue]>([
  ['an event', { event: 'seen', distinct_id: 'ada' }],
  ['an event with a number as the id', { event: 'seen', distinct_id: 7 }],
  ['an id among the properties', { event: 'seen', properties: { distinct_id: 'ada' } }],
  ['a list', [{ event: 'seen', distinct_id: 'ada' }]],
  ['a batch', { batch: [{ event: 'seen', distinct_id: 'ada' }, 'no event'] }],
])('%s creates its person', async (_, body) => {
  const client = await captured(body);
  expect(await personsOf(client)).toEqual([[JSON.stringify(body).includes('7') ? '7' : 'ada']]);
});

test.each<[string, JsonValue]>([
  ['a number', 5],
  ['no event', {}],
  ['an event without an id', { event: 'seen' }],
  ['an event without a name', { event: '', distinct_id: 'ada' }],
  ['an event with an id that is none', { event: 'seen', distinct_id: ['ada'] }],
])('%s creates nobody', async (_, body) => {
  expect(await personsOf(await captured(body))).toEqual([]);
});

async function groupsOf(client: Client): Promise<unknown> {
  const { body } = await client.get('/flags/definitions?token=phc_1');
  return body['group_type_mapping'];
}

const identify = (properties: JsonObject): JsonObject => ({
  event: '$groupidentify',
  distinct_id: 'ada',
  properties,
});

test('a group creates its type once, and at most five types exist', async () => {
  const types = ['company', 'team', 'company', 'shop', 'region', 'branch', 'sixth'];
  const client = await captured(...types.map(($group_type) => identify({ $group_type, $group_key: 'acme' })));
  expect(await groupsOf(client)).toEqual({ '0': 'company', '1': 'team', '2': 'shop', '3': 'region', '4': 'branch' });
});

test.each<[JsonObject]>([
  [{ $group_key: 'acme' }],
  [{ $group_type: 'company' }],
  [{ $group_type: '', $group_key: 'acme' }],
  [{ $group_type: 'company', $group_key: '' }],
  [{ $group_type: 5, $group_key: 'acme' }],
])('a group without a type or a key is skipped: %j', async (properties) => {
  expect(await groupsOf(await captured(identify(properties)))).toEqual({});
});

test.each<[string, string, string]>([
  ['a form without data', 'application/x-www-form-urlencoded', 'other=1'],
  ['base64 of no JSON', 'application/x-www-form-urlencoded', 'data=aGVsbG8%3D'],
  ['broken JSON', 'application/json', '{"event":'],
])('%s is refused', async (_, type, body) => {
  const client = await start({ profile: 'posthog' });
  const response = await fetch(`${client.service.url}/capture?token=phc_1`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'parse_error' }]);
});

test('a form may have its JSON in the clear, or in base64 with a plus sign that is read as a space', async () => {
  const client = await start({ profile: 'posthog' });
  const event = JSON.stringify({ event: 'seen', distinct_id: '>>>???' });
  const encoded = Buffer.from(event).toString('base64');
  for (const body of [`data=${encodeURIComponent(event)}`, `data=${encoded}`]) {
    const response = await fetch(`${client.service.url}/capture?token=phc_1`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    expect(response.status).toBe(200);
  }
  expect(await personsOf(client)).toEqual([['>>>???']]);
});

test.each(['/flags?v=2', '/batch', '/flags?v=2&compression=gzip-js'])(
  'a compressed body that %s gets as plain text is read',
  async (path) => {
    const client = await start({ profile: 'posthog' });
    const sent = {
      token: 'phc_1',
      api_key: 'phc_1',
      distinct_id: 'ada',
      batch: [{ event: 'seen', distinct_id: 'ada' }],
    };
    const response = await fetch(`${client.service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: gzipSync(JSON.stringify(sent)),
    });
    expect(response.status).toBe(200);
  },
);

test('a body that only begins like a compressed one is refused', async () => {
  const client = await start({ profile: 'posthog' });
  const body = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);
  const response = await fetch(`${client.service.url}/flags?v=2`, { method: 'POST', body });
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'parse_error' }]);
});

test('/flags answers the configuration of other products on request, and knows a number as the id', async () => {
  const client = await start({ profile: 'posthog' });
  const { body } = await client.post('/flags?v=2&config=true', { token: 'phc_1', distinct_id: 5 });
  expect(body).toMatchObject({ flags: {}, supportedCompression: ['gzip', 'gzip-js'] });
  expect((await client.post('/flags?v=2', { token: 'phc_1', distinct_id: 5 })).body).not.toHaveProperty('config');
});

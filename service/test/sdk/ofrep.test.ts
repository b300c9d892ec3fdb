/** OFREP: entity tags, whose project a token is, limits, failures, and flags that change while an SDK polls. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, results, start, type Answered, type Client } from '../harness.ts';

const ALL = '/ofrep/v1/evaluate/flags';
const PLAN = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const SEED: JsonObject = {
  flags: [
    { key: 'everybody', filters: { groups: [{ rollout_percentage: 100 }] } },
    { key: 'paying', filters: { groups: [{ properties: [PLAN], rollout_percentage: 100 }] } },
  ],
  persons: [{ distinct_ids: ['ada'], properties: { plan: 'free' } }],
};
const ADA = { targetingKey: 'ada', seats: 5, address: { city: 'Paris' } };

async function ask(client: Client, context: JsonObject, headers: Record<string, string> = {}): Promise<Answered> {
  return client.request('POST', ALL, { context }, { authorization: '', ...headers });
}

async function tagFor(client: Client, context: JsonObject = ADA): Promise<string> {
  const tag = (await ask(client, context)).headers.get('etag') ?? '';
  expect(tag).toMatch(/^W\/"\w+"$/);
  const known = await ask(client, context, { 'if-none-match': tag });
  expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', tag]);
  return tag;
}

async function changeFlag(client: Client, key: string, body: JsonObject): Promise<void> {
  const flag = results(await client.get(FLAGS)).find((one) => one['key'] === key) ?? {};
  expect((await client.patch(pathOf(flag), body)).status).toBe(200);
}

describe('the entity tag', () => {
  test.each<[change: string, context: JsonObject]>([
    ['another person', { ...ADA, targetingKey: 'grace' }],
    ['another property', { ...ADA, seats: 6 }],
    ['one property more', { ...ADA, beta: true }],
    ['a nested property', { ...ADA, address: { city: 'Rome' } }],
    ['a group', { ...ADA, groups: { company: 'acme' } }],
    ['properties of a group', { ...ADA, group_properties: { company: { size: 5 } } }],
  ])('is another for %s, though the values are the same', async (_change, context) => {
    const client = await start({ seed: SEED });
    expect((await ask(client, context)).body).toEqual((await ask(client, ADA)).body);
    expect(await tagFor(client, context)).not.toBe(await tagFor(client));
  });

  test('is the same for the same context in another order, in either profile', async () => {
    for (const profile of ['documented', 'posthog'] as const) {
      const client = await start({ profile, seed: SEED });
      const turned = Object.fromEntries(Object.entries(ADA).toReversed());
      expect(await tagFor(client, turned)).toBe(await tagFor(client));
    }
  });

  test.each<[change: string, make: (client: Client) => Promise<unknown>]>([
    ['a flag whose value changes', async (client) => changeFlag(client, 'everybody', { active: false })],
    ['a flag whose value stays', async (client) => changeFlag(client, 'paying', { filters: { groups: [] } })],
    ['a new flag', async (client) => client.create({ key: 'new', filters: { groups: [{ rollout_percentage: 0 }] } })],
    ['a deleted flag', async (client) => changeFlag(client, 'paying', { deleted: true })],
    [
      'a stored person',
      async (client) =>
        client.post('/capture', { token: 'phc_1', event: 'e', distinct_id: 'ada', $set: { plan: 'pro' } }),
    ],
  ])('is another after a change of %s', async (_change, make) => {
    const client = await start({ profile: 'posthog', seed: SEED });
    const before = await tagFor(client);
    await make(client);
    expect((await ask(client, ADA, { 'if-none-match': before })).status).toBe(200);
    expect(await tagFor(client)).not.toBe(before);
  });

  test('is another for a changed manifest, and the same for an unchanged one', async () => {
    const client = await start();
    const declareWith = (groups: JsonObject[]): void =>
      client.service.declare({
        projectId: '1',
        flags: [{ key: 'a', previousKeys: [], fields: { filters: { groups } } }],
        removed: [],
      });
    declareWith([{ rollout_percentage: 0 }]);
    const before = await tagFor(client);
    declareWith([{ rollout_percentage: 0 }]);
    expect(await tagFor(client)).toBe(before);
    declareWith([{ rollout_percentage: 0 }, { rollout_percentage: 0 }]);
    expect(await tagFor(client)).not.toBe(before);
  });
});

describe('the project', () => {
  test.each<[sent: string, headers: Record<string, string>, status: number, keys: readonly string[]]>([
    ['a bearer token', { authorization: 'Bearer phc_22' }, 200, ['second']],
    ['X-API-Key', { 'x-api-key': 'phc_22' }, 200, ['second']],
    ['X-API-Key, which precedes', { 'x-api-key': 'phc_22', authorization: 'Bearer phc_1' }, 200, ['second']],
    ['the token of the other project', { 'x-api-key': 'phc_1' }, 200, []],
    ['an unknown token', { 'x-api-key': 'phc_3' }, 401, []],
    ['no token', {}, 401, []],
    ['another scheme', { authorization: 'Basic phc_22' }, 401, []],
  ])('of two is named by %s', async (_sent, headers, status, keys) => {
    const flags = [{ key: 'second', filters: { groups: [{ rollout_percentage: 100 }] } }];
    const client = await start({ projects: [{ id: '1' }, { id: '22' }], seed: { project_id: '22', flags } });
    const answered = await ask(client, ADA, headers);
    expect(answered.status).toBe(status);
    const found = (answered.body['flags'] ?? []) as JsonObject[];
    expect(found.map(({ key }) => key)).toEqual(keys);
    if (status === 401) expect(answered.body).toMatchObject({ errorCode: 'GENERAL' });
  });

  test.each([
    [{ 'x-api-key': 'phx_right' }, 200],
    [{ authorization: 'Bearer phx_right' }, 200],
    [{ 'x-api-key': 'phc_1' }, 401],
    [{}, 401],
  ])('is closed to other keys where only some are accepted: %j', async (headers, status) => {
    const client = await start({ apiKeys: ['phx_right'], seed: SEED });
    expect((await ask(client, ADA, headers)).status).toBe(status);
  });

  test('is closed to a page that points its own domain at this machine', async () => {
    const { service } = await start({ seed: SEED });
    const { port } = new URL(service.url);
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      const sent = request({ port, path: ALL, method: 'POST', headers: { host: 'evil.example.com' } });
      sent.on('response', (response) => resolve(response.resume().statusCode)).end('{}');
    });
    expect(status).toBe(403);
  });
});

test('a flag for one side is not shown to the other', async () => {
  const flags = ['server', 'client', 'all'].map((side) => ({ key: `for-${side}`, evaluation_runtime: side }));
  const client = await start({ profile: 'posthog', seed: { flags } });
  const { flags: all } = (await ask(client, ADA)).body;
  expect((all as JsonObject[]).map(({ key }) => key)).toEqual(['for-all', 'for-client']);
  const statuses = await Promise.all(
    flags.map(async ({ key }) => (await client.post(`${ALL}/${key}`, { context: ADA })).status),
  );
  expect(statuses).toEqual([200, 404, 200]);
});

test('a variant, its absence, and a flag whose format is not known', async () => {
  const variants = [{ key: 'blue', rollout_percentage: 100 }];
  const { service: _service, ...client } = await start({
    profile: 'posthog',
    seed: {
      flags: [
        { key: 'rules', filters: { version: 2, rules: [] } },
        { key: 'held', filters: { groups: [{ rollout_percentage: 0 }], multivariate: { variants } } },
        {
          key: 'colour',
          active: false,
          filters: { groups: [{ rollout_percentage: 100 }], multivariate: { variants } },
        },
      ],
    },
  });
  const one = async (key: string): Promise<readonly [number, JsonObject]> => {
    const { status, body } = await client.post(`${ALL}/${key}`, { context: ADA });
    const { metadata: _metadata, ...rest } = body;
    return [status, rest];
  };
  expect(await one('colour')).toEqual([200, { key: 'colour', reason: 'DISABLED', variant: 'false' }]);
  expect(await one('held')).toEqual([200, { key: 'held', reason: 'SPLIT', variant: 'false' }]);
  expect(await one('rules')).toMatchObject([400, { key: 'rules', errorCode: 'PARSE_ERROR' }]);
  const bulk = await client.post(ALL, { context: ADA });
  expect([bulk.status, bulk.body]).toMatchObject([
    200,
    { flags: [{ key: 'colour' }, { key: 'held' }, { key: 'rules', errorCode: 'PARSE_ERROR' }] },
  ]);
});

test('the rate limit counts evaluations, but no preflight', async () => {
  const client = await start({ seed: SEED, rateLimit: { requests: 2, windowMs: 60_000 } });
  await client.request('OPTIONS', ALL);
  await ask(client, ADA);
  await client.post(`${ALL}/everybody`, { context: ADA });
  const { status, headers, body } = await client.post(`${ALL}/everybody`, { context: ADA });
  expect([status, body]).toMatchObject([429, { key: 'everybody', errorCode: 'GENERAL' }]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
});

test('an unexpected error is a 500 without details, and reaches the log', async () => {
  const errors: unknown[] = [];
  let isBroken = false;
  const now = (): Date => {
    if (isBroken) throw new Error('the clock stopped');
    return new Date();
  };
  const client = await start({ seed: SEED, now, onRequest: ({ error }) => errors.push(error) });
  isBroken = true;
  const { status, body, headers } = await client.post(`${ALL}/everybody`, { context: ADA });
  expect(status).toBe(500);
  expect(body).toEqual({ key: 'everybody', errorCode: 'GENERAL', errorDetails: 'A server error occurred.' });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(errors).toMatchObject([{ message: 'the clock stopped' }]);
});

test('an SDK that polls while manifests reload never sees a mixture', async () => {
  const client = await start();
  const declareAll = (active: boolean): void => {
    const keys = Array.from({ length: 20 }, (_, index) => `flag-${index}`);
    const fields = { active, filters: { groups: [{ rollout_percentage: 100 }] } };
    const flags = keys.map((key) => ({ key, previousKeys: [], fields }));
    client.service.declare({ projectId: '1', flags, removed: [] });
  };
  declareAll(true);
  const seen: string[] = [];
  let tag = '';
  let isDone = false;
  const poll = async (): Promise<void> => {
    while (!isDone) {
      const { status, body, headers } = await ask(client, ADA, { 'if-none-match': tag });
      tag = headers.get('etag') ?? '';
      if (status === 304) continue;
      const values = (body['flags'] as JsonObject[]).map(({ value }) => value);
      seen.push(JSON.stringify([values.length, ...new Set(values)]));
    }
  };
  const polls = Promise.all([poll(), poll()]);
  for (let count = 0; count < 20; count += 1) {
    const before = seen.length;
    declareAll(count % 2 === 1);
    await expect.poll(() => seen.length, { interval: 1 }).toBeGreaterThan(before);
  }
  isDone = true;
  await polls;
  expect(new Set(seen)).toEqual(new Set(['[20,true]', '[20,false]']));
});

describe('a regular expression that only PostHog can evaluate', () => {
  const OPEN = { key: 'email', type: 'person', operator: 'regex', value: '(?:)*ada' };
  const seed = { flags: [{ key: 'open', filters: { groups: [{ properties: [OPEN], rollout_percentage: 100 }] } }] };
  const context = { targetingKey: 'ada', email: 'ada@acme.com' };

  test('is an error in OFREP, and a failed flag in /flags', async () => {
    const client = await start({ seed, profile: 'posthog' });
    const one = await client.request('POST', `${ALL}/open`, { context }, { authorization: '' });
    expect([one.status, one.body]).toMatchObject([400, { key: 'open', errorCode: 'PARSE_ERROR' }]);
    expect((await ask(client, context)).body).toMatchObject({ flags: [{ key: 'open', errorCode: 'PARSE_ERROR' }] });
    const token = { distinct_id: 'ada', person_properties: { email: 'ada@acme.com' } };
    const all = await client.request(
      'POST',
      '/flags?v=2',
      { ...token, token: 'phc_embedded_1' },
      { authorization: '' },
    );
    expect(all.body).toMatchObject({
      errorsWhileComputingFlags: true,
      flags: { open: { enabled: false, failed: true, reason: { code: 'flag_data_parsing_error' } } },
    });
  });

  test('decides nothing for a person whom another filter leaves out', async () => {
    const client = await start({ seed, profile: 'posthog' });
    const { body } = await ask(client, { targetingKey: 'grace' });
    expect(body).toMatchObject({ flags: [{ key: 'open', value: false }] });
  });
});

/** Faults over a real socket, in front of a real database. */

import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { readYaml } from '../../../src/base/yaml/read.ts';
import { OPERATION_NAMES } from '../../src/faults/faults.ts';
import type { FaultRule } from '../../src/faults/script.ts';
import { createEvent } from '../../../test/helpers/event.ts';
import { turns } from '../../../test/helpers/timers.ts';
import { until } from '../../../test/helpers/until.ts';
import { FLAGS, pathOf, results, start, type Client } from '../harness.ts';
import { readSchema } from '../../../test/helpers/published-schema.ts';

async function startWith(...faults: FaultRule[]): Promise<Client> {
  return start({ profile: 'posthog', faults: { faults } as unknown as JsonValue });
}

/** A service that reports its waits, which last until `over`. */
async function startSleeping(rule: FaultRule, over?: Promise<void>): Promise<{ client: Client; slept: number[] }> {
  const slept: number[] = [];
  const faults = { faults: [rule] } as unknown as JsonValue;
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    await over;
  };
  return { client: await start({ profile: 'posthog', faults, sleep }), slept };
}

const ON_CREATE = { match: { operation: 'createFlag' } } as const;

async function keys(client: Client): Promise<unknown[]> {
  return results(await client.get(FLAGS)).map((flag) => flag['key']);
}

/** The answer as received, including answers that are not JSON or end early. */
async function raw(client: Client, method: string, body?: JsonValue): Promise<Response> {
  return fetch(`${client.service.url}${FLAGS}`, {
    method,
    redirect: 'manual',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

describe('a replaced answer', () => {
  test.each<[FaultRule['answer'] & object, number, JsonObject]>([
    [{ status: 500 }, 500, { type: 'server_error', code: 'error' }],
    [{ status: 401 }, 401, { type: 'authentication_error', code: 'authentication_failed' }],
    [{ status: 403 }, 403, { code: 'permission_denied' }],
    [{ status: 404 }, 404, { code: 'not_found' }],
    [{ status: 409 }, 409, { type: 'server_error', code: 'conflict' }],
    [
      { status: 409, code: 'approval_required', extra: { change_request_id: 'cr-1' } },
      409,
      { code: 'approval_required', change_request_id: 'cr-1' },
    ],
    [{ status: 400, code: 'unique', detail: 'taken' }, 400, { code: 'unique', detail: 'taken', attr: null }],
  ])('%j', async (answer, status, body) => {
    const client = await startWith({ ...ON_CREATE, answer });
    const answered = await client.post(FLAGS, { key: 'a' });
    expect(answered).toMatchObject({ status, body });
    expect(await keys(client)).toEqual([]);
    expect((await client.post(FLAGS, { key: 'a' })).status).toBe(201);
  });

  test.each([
    ['html', /^text\/html/, /<h1>502<\/h1>/],
    ['text', /^application\/json/, /upstream said 502/],
    ['nothing', /^$/, /^$/],
  ] as const)('a body of %s', async (body, type, text) => {
    const client = await startWith({ ...ON_CREATE, answer: { status: 502, body } });
    const response = await raw(client, 'POST', { key: 'a' });
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type') ?? '').toMatch(type);
    expect(await response.text()).toMatch(text);
  });

  test('after the request is handled', async () => {
    const client = await startWith({ ...ON_CREATE, answer: { status: 503, when: 'after' } });
    expect((await client.post(FLAGS, { key: 'a' })).status).toBe(503);
    expect(await keys(client)).toEqual(['a']);
  });

  test('a redirect', async () => {
    const client = await startWith({
      answer: { status: 302, location: 'https://elsewhere.example.com/', body: 'nothing' },
    });
    const response = await raw(client, 'GET');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://elsewhere.example.com/');
  });

  test('429 with seconds, with a date, with the wait in the detail, and without a wait', async () => {
    const answer = { status: 429, retry_after: 7 };
    const client = await startWith(
      { answer },
      { from: 2, answer: { ...answer, retry_after_as: 'date' } },
      { from: 3, answer: { ...answer, retry_after_as: 'detail' } },
      { from: 4, answer: { status: 429 } },
    );
    const [first, second, third, fourth] = [
      await client.get(FLAGS),
      await client.get(FLAGS),
      await client.get(FLAGS),
      await client.get(FLAGS),
    ];
    expect(first.headers.get('retry-after')).toBe('7');
    const { headers } = second;
    expect(Date.parse(headers.get('retry-after') ?? '') - Date.parse(headers.get('date') ?? '')).toBe(7000);
    expect(third.headers.get('retry-after')).toBeNull();
    expect(third.body['detail']).toContain('7 seconds');
    expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, null]);
    expect((await client.get(FLAGS)).status).toBe(200);
  });

  test('429 for a time window', async () => {
    let now = 1_000_000;
    const faults = { faults: [{ for_ms: 2000, answer: { status: 429, retry_after: 1 } }] };
    const client = await start({ faults, now: () => new Date(now) });
    const statuses = [];
    for (const later of [0, 1000, 1999, 2000, 9000]) {
      now = 1_000_000 + later;
      statuses.push((await client.get(FLAGS)).status);
    }
    expect(statuses).toEqual([429, 429, 429, 200, 200]);
  });
});

describe('the connection', () => {
  test.each([
    ['before', []],
    ['after', ['a']],
  ] as const)('is reset %s the request is handled', async (when, left) => {
    const client = await startWith({ ...ON_CREATE, reset: { when } });
    await expect(raw(client, 'POST', { key: 'a' })).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await keys(client)).toEqual(left);
  });

  test.each([
    ['before', []],
    ['after', ['a']],
  ] as const)('hangs %s the request is handled', async (when, left) => {
    const hangs = createEvent();
    const client = await start({
      profile: 'posthog',
      faults: { faults: [{ ...ON_CREATE, hang: { when } }] },
      onRequest: ({ status }) => {
        if (status === 0) hangs.happen();
      },
    });
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
    const request = httpRequest(`${client.service.url}${FLAGS}`, { method: 'POST', headers, agent: false });
    const answered = new Promise((resolve) => request.on('response', () => resolve('answered')).on('close', resolve));
    request.on('error', () => undefined).end('{"key": "a"}');
    await hangs.happened;
    await turns();
    request.destroy();
    expect(await answered).toBeUndefined();
    expect(await keys(client)).toEqual(left);
  });

  test.each([undefined, 0, 10, 1_000_000])('a body cut after %s bytes', async (bytes) => {
    const client = await startWith({ ...ON_CREATE, truncate: bytes === undefined ? {} : { bytes } });
    const response = await raw(client, 'POST', { key: 'a' });
    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toThrow();
    expect(await keys(client)).toEqual(['a']);
  });

  test('a 204 is cut too', async () => {
    const client = await startWith({ match: { operation: 'setAccess' }, from: 2, truncate: {} });
    const path = `${pathOf(await client.create({ key: 'a' }))}access_controls/`;
    await client.request('PUT', path, { access_level: 'viewer' });
    await expect(client.request('PUT', path, { access_level: null })).rejects.toThrow();
    expect((await client.get(path)).body).toMatchObject({ access_controls: [] });
  });

  test('an endless body runs until the client disconnects', async () => {
    const client = await startWith({ endless: {} });
    const received = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${client.service.url}${FLAGS}`, { headers: { authorization: 'Bearer k' } });
      request.on('error', reject).on('response', (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > 500_000) response.destroy();
        });
        response.on('close', () => resolve(bytes));
      });
      request.end();
    });
    expect(received).toBeGreaterThan(500_000);
    expect((await client.get(FLAGS)).status).toBe(200);
  });

  test('a slow drip', async () => {
    const { client, slept } = await startSleeping({ drip: { bytes: 20, every_ms: 20 } });
    const { body, text } = await client.get(FLAGS);
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] });
    expect(slept).toEqual(Array.from({ length: Math.ceil(text.length / 20) }, () => 20));
  });

  test.each(['before', 'after'] as const)('latency %s the request is handled', async (when) => {
    const over = createEvent();
    const { client, slept } = await startSleeping({ ...ON_CREATE, latency: { ms: 200, when } }, over.happened);
    const slow = client.post(FLAGS, { key: 'a' });
    await until(() => expect(slept).toEqual([200]));
    expect(await keys(client)).toEqual(when === 'after' ? ['a'] : []);
    over.happen();
    expect((await slow).status).toBe(201);
  });
});

describe('the content of an answer', () => {
  test('a content type other than JSON', async () => {
    const client = await startWith({ content_type: 'text/html' });
    const response = await raw(client, 'GET');
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(await response.json()).toMatchObject({ count: 0 });
  });

  test('unknown members', async () => {
    const client = await startWith({ match: { access: 'read' }, unknown_fields: { brand_new: [1], key: 'mine' } });
    await client.create({ key: 'a' });
    const { body } = await client.get(FLAGS);
    expect(body).toMatchObject({ count: 1, brand_new: [1], results: [{ key: 'a', brand_new: [1] }] });
  });

  test('nothing changes in an answer that is a list', async () => {
    const client = await startWith({ match: { access: 'read' }, unknown_fields: { brand_new: 1 }, shrink: { by: 1 } });
    await client.create({ key: 'a' });
    expect((await client.get(`${FLAGS}my_flags/`)).body).toMatchObject([{ feature_flag: { key: 'a' } }]);
  });

  test('links to another host', async () => {
    const client = await startWith({ next: 'https://elsewhere.example.com' });
    await client.create({ key: 'a' });
    await client.create({ key: 'b' });
    const first = await client.get(`${FLAGS}?limit=1`);
    expect(first.body['next']).not.toContain('elsewhere');
    const other = await startWith({ match: { access: 'read' }, next: 'https://elsewhere.example.com/' });
    await other.create({ key: 'a' });
    await other.create({ key: 'b' });
    const page = await other.get(`${FLAGS}?limit=1`);
    expect(page.body['next']).toBe(`https://elsewhere.example.com${FLAGS}?limit=1&offset=1`);
    expect(page.body['previous']).toBeNull();
  });

  test('a page with missing entries', async () => {
    const client = await startWith({ match: { access: 'read' }, shrink: { by: 2 } });
    for (const key of ['a', 'b', 'c']) await client.create({ key });
    const page = await client.get(FLAGS);
    expect(page.body['count']).toBe(3);
    expect(results(page)).toHaveLength(1);
    expect(results(await client.get(FLAGS))).toHaveLength(3);
  });
});

describe('another user', () => {
  const EDIT = { method: 'PATCH', path: 'feature_flags/{id}/', body: { name: 'theirs' } } as const;

  test.each([
    ['before', 'ours'],
    ['after', 'theirs'],
  ] as const)('edits %s', async (when, name) => {
    const client = await startWith({ match: { operation: 'updateFlag' }, edit: { ...EDIT, when } });
    const path = pathOf(await client.create({ key: 'a' }));
    await client.patch(path, { name: 'ours' });
    expect((await client.get(path)).body['name']).toBe(name);
    const entries = results(await client.get(`${path}activity/`)).filter((entry) => entry['activity'] === 'updated');
    const emails = entries.map((entry) => (entry['user'] as JsonObject)['email']);
    const [ours, theirs] = ['embedded@example.org', 'another.user@example.org'];
    expect(emails).toEqual(when === 'before' ? [ours, theirs] : [theirs, ours]);
  });

  test('creates the same flag before us, under its own name', async () => {
    const edit = { method: 'POST', path: 'feature_flags/', body: { key: 'a', name: 'theirs' } } as const;
    const client = await startWith({ ...ON_CREATE, edit });
    expect(await client.post(FLAGS, { key: 'a' })).toMatchObject({ status: 400, body: { code: 'unique' } });
    const [flag] = results(await client.get(FLAGS));
    expect(flag).toMatchObject({ name: 'theirs', created_by: { email: 'another.user@example.org' } });
  });

  test('addresses a flag by key, needs no accepted API key, and is recorded', async () => {
    const seen: string[] = [];
    const client = await start({
      apiKeys: ['phx_test'],
      faults: { faults: [{ match: { method: 'GET' }, edit: { ...EDIT, path: 'feature_flags/{flag:a}/' } }] },
      onRequest: ({ method, path, status }) => seen.push(`${method} ${path} ${status}`),
    });
    const path = pathOf(await client.create({ key: 'a' }));
    expect((await client.get(path)).body['name']).toBe('theirs');
    expect(seen.slice(1)).toEqual([`PATCH ${path} 200`, `GET ${path} 200`]);
  });

  test('an edit beside a request that names no project is refused', async () => {
    const seen: string[] = [];
    const client = await start({
      profile: 'posthog',
      faults: { faults: [{ match: { method: 'POST' }, edit: EDIT }] },
      onRequest: ({ path, status }) => seen.push(`${path} ${status}`),
    });
    await client.post('/flags', { token: '1', distinct_id: 'ada' });
    expect(seen).toEqual(['/api/projects//feature_flags/0/ 404', '/flags 200']);
  });

  test('an edit that the service refuses is recorded with its status', async () => {
    const seen: number[] = [];
    const client = await start({
      faults: { faults: [{ match: { method: 'GET' }, edit: { ...EDIT, path: 'feature_flags/{flag:none}/' } }] },
      onRequest: ({ status }) => seen.push(status),
    });
    await client.get(FLAGS);
    expect(seen).toEqual([404, 200]);
  });
});

test('the first of two endings applies, and latencies add up', async () => {
  const slept: number[] = [];
  const client = await start({
    faults: {
      faults: [{ latency: { ms: 60 } }, { latency: { ms: 50 }, answer: { status: 502 } }, { answer: { status: 503 } }],
    },
    sleep: async (ms) => void slept.push(ms),
  });
  expect((await client.get(FLAGS)).status).toBe(502);
  expect(slept).toEqual([110]);
});

test('a request without an answer is recorded with status 0', async () => {
  const seen: number[] = [];
  const client = await start({ faults: { faults: [{ reset: {} }] }, onRequest: ({ status }) => seen.push(status) });
  await expect(client.get(FLAGS)).rejects.toThrow();
  await client.get(FLAGS);
  expect(seen).toEqual([0, 200]);
});

describe('an invalid script is refused with the place of the problem', () => {
  test.each<[JsonValue, string]>([
    [[], 'at the top level'],
    [{}, 'faults'],
    [{ faults: [{ reset: {} }, { match: { operation: 'creatFlag' }, reset: {} }] }, 'at /faults/1/match/operation'],
    [{ faults: [{ resett: {} }] }, 'Did you mean "reset"'],
    [{ faults: [{ answer: { status: 99 } }] }, 'at /faults/0/answer/status'],
    [{ faults: [{ answer: {} }] }, 'status'],
    [{ faults: [{ reset: { when: 'during' } }] }, 'at /faults/0/reset/when'],
    [{ faults: [{ from: 0, reset: {} }] }, 'at /faults/0/from'],
    [{ faults: [{ reset: {}, hang: {} }] }, 'reset'],
    [{ faults: [{ count: 1, for_ms: 5, reset: {} }] }, 'for_ms'],
    [{ faults: [{ from: 2 }] }, 'The rule does nothing'],
  ])('%j', async (faults, words) => {
    const starting = start({ faults });
    await expect(starting).rejects.toMatchObject({ code: 'usage' });
    await expect(starting).rejects.toThrow(words);
  });
});

test('the schema has exactly the known operations, and its examples are valid', async () => {
  const schema = readSchema('faults') as {
    readonly examples: readonly JsonValue[];
    readonly $defs: { readonly match: { readonly properties: { readonly operation: { readonly enum: string[] } } } };
  };
  expect(schema.$defs.match.properties.operation.enum).toEqual(OPERATION_NAMES);
  for (const faults of schema.examples) await start({ faults });
});

describe('docs/faults.md', () => {
  const page = readFileSync(new URL('../../../docs/faults.md', import.meta.url), 'utf8');
  const schema = readSchema('faults') as {
    readonly $defs: Readonly<Record<'rule' | 'match' | 'answer', { readonly properties: JsonObject }>>;
  };

  test.each([...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text))(
    'an example starts: %s',
    async (text) => {
      const { documents, diagnostics } = readYaml('faults.yaml', text);
      expect(diagnostics).toEqual([]);
      await start({ faults: documents[0]?.value ?? null });
    },
  );

  test('describes every member', () => {
    const { rule, match, answer } = schema.$defs;
    const members = [
      ...Object.keys(rule.properties).filter((name) => name !== 'match'),
      ...Object.keys(match.properties).map((name) => `match.${name}`),
      ...Object.keys(answer.properties),
      ...OPERATION_NAMES,
    ];
    expect(members.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });
});

describe('an answer other than JSON', () => {
  test.each<FaultRule>([
    { match: { method: 'GET', path: '**/persons/**' }, truncate: { bytes: 12 } },
    { match: { method: 'GET', path: '**/persons/**' }, drip: { bytes: 8, every_ms: 1 } },
  ] as unknown as FaultRule[])('is cut or dripped with its own content: %j', async (fault) => {
    const client = await startWith(fault);
    const url = `${client.service.url}/api/projects/1/persons/?format=csv`;
    const response = await fetch(url, { headers: { authorization: 'Bearer k' } });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    const text = await response.text().catch(() => 'cut');
    expect(text).toMatch(/^(cut|[^\n]*distinct_ids)/);
  });
});

import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../../src/posthog/service-client.ts';
import { clientFor, failureOf } from '../support/client.ts';
import { serve, serveInTurn, type Reply, type TestServer } from '../support/server.ts';

const PERSONS = '/api/projects/1/persons/';
const UUID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const ADA = { id: 7, uuid: UUID, name: 'Ada', distinct_ids: ['a'], properties: { email: 'ada@example.org' } };

/** A list of the real service: no count, and a link on every full page. */
function servePersons(count: number, { cap = Infinity }: { cap?: number } = {}): Promise<TestServer> {
  return serve(({ url, headers }) => {
    const query = new URL(url, `http://${headers.host}`).searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const limit = Math.min(cap, Number(query.get('limit') ?? 100));
    const results = Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, index) => ({
      id: offset + index + 1,
    }));
    const next =
      results.length >= limit ? `http://elsewhere.invalid${PERSONS}?limit=${limit}&offset=${offset + limit}` : null;
    return { body: { next, previous: null, results } };
  });
}

describe('pagePersons', () => {
  test('a page has the number of all persons, where the service tells it, and where the next one begins', async () => {
    const { host, seen } = await serveInTurn(
      { body: { count: 9, next: `http://elsewhere.invalid${PERSONS}?limit=2&offset=4`, results: [ADA, { id: 8 }] } },
      { body: { next: null, results: [ADA] } },
    );
    const client = clientFor(host);
    expect(await client.pagePersons({ pageSize: 2, offset: 2 })).toEqual({
      persons: [ADA, { id: 8 }],
      total: 9,
      next: 4,
    });
    expect(await client.pagePersons()).toEqual({ persons: [ADA] });
    expect(seen.map(({ url }) => url)).toEqual([
      `${PERSONS}?limit=2&offset=2&include_total=true`,
      `${PERSONS}?limit=1000&offset=0&include_total=true`,
    ]);
  });

  test('a page that is not after this one is refused', async () => {
    const { host } = await serve(() => ({ body: { next: `${PERSONS}?offset=2`, results: [ADA] } }));
    expect(await failureOf(clientFor(host).pagePersons({ offset: 2 }))).toMatchObject({
      failure: { kind: 'invalid_answer', at: '/next' },
      operation: 'pagePersons',
    });
  });
});

describe('listPersons', () => {
  test.each([
    [0, 10, 1],
    [9, 10, 1],
    [10, 10, 2],
    [25, 10, 3],
  ])('%i persons in pages of %i are %i requests, each person once', async (count, pageSize, requests) => {
    const { host, seen } = await servePersons(count);
    const ids: (number | string)[] = [];
    for await (const person of clientFor(host).listPersons({ pageSize })) ids.push(person.id);
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(seen).toHaveLength(requests);
  });

  test('requests are lazy: each page is requested when the previous one is used up', async () => {
    const { host, seen } = await servePersons(100);
    const persons = clientFor(host).listPersons({ pageSize: 10 });
    expect(seen).toHaveLength(0);
    let used = 0;
    for await (const person of persons) {
      used += 1;
      expect(seen).toHaveLength(Math.ceil(used / 10));
      if (person.id === 31) break;
    }
    expect(seen).toHaveLength(4);
  });

  test('pages, and everything at once', async () => {
    const { host } = await servePersons(25);
    const persons = clientFor(host).listPersons({ pageSize: 10 });
    const sizes: number[] = [];
    for await (const page of persons.pages()) sizes.push(page.length);
    expect(sizes).toEqual([10, 10, 5]);
    expect(await persons.all()).toHaveLength(25);
  });

  test('a service that returns less than requested decides the step', async () => {
    const { host, seen } = await servePersons(25, { cap: 10 });
    expect(await clientFor(host).listPersons().all()).toHaveLength(25);
    expect(seen.map(({ url }) => url)).toEqual([
      `${PERSONS}?limit=1000&offset=0`,
      `${PERSONS}?limit=10&offset=10`,
      `${PERSONS}?limit=10&offset=20`,
    ]);
  });

  test('every page has the filters', async () => {
    const { host, seen } = await servePersons(3);
    const properties = [{ key: 'plan', value: ['pro', 'max'], operator: 'exact' }];
    const query = { distinctId: 'a b', email: 'a@b', search: 'x&y', properties, pageSize: 2, offset: 1 };
    await clientFor(host).listPersons(query).all();
    const filters = new URLSearchParams({
      distinct_id: 'a b',
      email: 'a@b',
      search: 'x&y',
      properties: JSON.stringify(properties),
    }).toString();
    expect(seen.map(({ url }) => url)).toEqual([
      `${PERSONS}?${filters}&limit=2&offset=1`,
      `${PERSONS}?${filters}&limit=2&offset=3`,
    ]);
  });

  test('a person that moved to the next page is returned once', async () => {
    const { host } = await serveInTurn(
      { body: { next: '?limit=2&offset=2', results: [{ id: 3 }, { id: 2 }] } },
      { body: { next: null, results: [{ id: 2 }, { id: 1 }] } },
    );
    expect((await clientFor(host).listPersons().all()).map(({ id }) => id)).toEqual([3, 2, 1]);
  });

  test.each([
    ['a page that links backwards', { next: '?limit=10&offset=0', results: [{ id: 1 }] }, '/next'],
    ['an invalid link', { next: 7, results: [{ id: 1 }] }, '/next'],
    ['a person without an id', { next: null, results: [{ id: 1 }, { name: 'x' }] }, '/results/1/id'],
    ['no list', { results: { id: 1 } }, '/results'],
  ])('%s is an invalid answer', async (_name, body, at) => {
    const { host } = await serveInTurn({ body });
    expect(await failureOf(clientFor(host).listPersons().all())).toMatchObject({
      failure: { kind: 'invalid_answer', why: 'shape', at },
      operation: 'listPersons',
      path: PERSONS,
    });
  });

  test('an empty page ends the list, whatever it links to', async () => {
    const { host, seen } = await serveInTurn({ body: { next: '?limit=10&offset=10', results: [] } });
    expect(await clientFor(host).listPersons().all()).toEqual([]);
    expect(seen).toHaveLength(1);
  });
});

interface Write {
  readonly call: (client: ServiceClient) => Promise<unknown>;
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
  /** The answers of the document, of 2023 and of late 2025. */
  readonly replies: readonly [Reply, Reply, Reply];
  readonly results?: readonly unknown[];
}

const PERSON: Reply = { body: ADA };
const SUCCESS: Reply = { status: 201, body: { success: true } };

const WRITES: readonly (readonly [string, Write])[] = [
  [
    'updatePerson',
    {
      call: (c) => c.updatePerson(7, { plan: 'pro' }),
      method: 'PATCH',
      url: '7/',
      body: { properties: { plan: 'pro' } },
      replies: [PERSON, { status: 204 }, { status: 202 }],
    },
  ],
  [
    'splitPerson',
    {
      call: (c) => c.splitPerson(UUID, { mainDistinctId: 'a' }),
      url: `${UUID}/split/`,
      body: { main_distinct_id: 'a' },
      replies: [PERSON, SUCCESS, SUCCESS],
    },
  ],
  [
    'setPersonProperty',
    {
      call: (c) => c.setPersonProperty(7, 'plan', 'pro max'),
      url: '7/update_property/?key=plan&value=pro+max',
      body: { key: 'plan', value: 'pro max' },
      replies: [PERSON, { status: 204 }, { status: 202 }],
    },
  ],
  [
    'setPersonProperty with a value that is not text',
    {
      call: (c) => c.setPersonProperty(7, 'seats', [1, { a: null }]),
      url: '7/update_property/?key=seats&value=%5B1%2C%7B%22a%22%3Anull%7D%5D',
      body: { key: 'seats', value: [1, { a: null }] },
      replies: [PERSON, { status: 204 }, { status: 202 }],
    },
  ],
  [
    'setPersonProperty with a value too long for an address',
    {
      call: (c) => c.setPersonProperty(7, 'bio', 'x'.repeat(1001)),
      url: '7/update_property/?key=bio',
      body: { key: 'bio', value: 'x'.repeat(1001) },
      replies: [PERSON, { status: 204 }, { status: 202 }],
    },
  ],
  [
    'unsetPersonProperty',
    {
      call: (c) => c.unsetPersonProperty(7, 'plan'),
      url: '7/delete_property/?%24unset=plan',
      body: { $unset: 'plan' },
      replies: [PERSON, SUCCESS, SUCCESS],
    },
  ],
];

describe.each(WRITES)('%s', (_name, { call, method = 'POST', url, body, replies }) => {
  test.each([
    ['the document', replies[0], ADA],
    ['2023', replies[1], undefined],
    ['2025', replies[2], undefined],
  ])('as %s answers', async (_generation, reply, result) => {
    const { host, seen } = await serveInTurn(reply);
    expect(await call(clientFor(host))).toEqual(result);
    expect(seen).toMatchObject([{ method, url: PERSONS + url, body: JSON.stringify(body) }]);
  });

  test('is not repeated when it may have been executed', async () => {
    const { host, seen } = await serveInTurn({ status: 502, body: '<html>' });
    expect(await failureOf(call(clientFor(host)))).toMatchObject({ mayHaveHappened: true });
    expect(seen).toHaveLength(1);
  });
});

describe('createPerson', () => {
  test('the document creates one', async () => {
    const { host, seen } = await serveInTurn({ status: 201, body: ADA });
    expect(await clientFor(host).createPerson({ email: 'ada@example.org' })).toEqual(ADA);
    expect(seen).toMatchObject([{ method: 'POST', url: PERSONS, body: '{"properties":{"email":"ada@example.org"}}' }]);
  });

  test('the real service lacks the method', async () => {
    const { host } = await serveInTurn({
      status: 405,
      body: { type: 'invalid_request', code: 'method_not_allowed', detail: 'Method "POST" not allowed.', attr: null },
    });
    expect(await failureOf(clientFor(host).createPerson({}))).toMatchObject({
      failure: { kind: 'unexpected_status', status: 405, code: 'method_not_allowed' },
      mayHaveHappened: false,
    });
  });
});

describe('deletePerson', () => {
  test.each([204, 202])('answered with %i', async (status) => {
    const { host, seen } = await serveInTurn({ status });
    expect(await clientFor(host).deletePerson(7)).toBeUndefined();
    expect(seen).toMatchObject([{ method: 'DELETE', url: `${PERSONS}7/`, body: '' }]);
  });

  test.each([
    [true, '7/?delete_events=true'],
    [false, '7/'],
  ])('deleteEvents %s', async (deleteEvents, url) => {
    const { host, seen } = await serveInTurn({ status: 204 });
    await clientFor(host).deletePerson(7, { deleteEvents });
    expect(seen[0]?.url).toBe(PERSONS + url);
  });

  test('a repetition after a lost answer may find nothing', async () => {
    const { host, seen } = await serveInTurn({ status: 502 }, { status: 404, body: { detail: 'Not found.' } });
    await clientFor(host).deletePerson(7);
    expect(seen).toHaveLength(2);
  });
});

describe('getPerson', () => {
  test.each<[number | string, string]>([
    [7, '7/'],
    [UUID, `${UUID}/`],
    ['a/b?c', 'a%2Fb%3Fc/'],
  ])('%s', async (id, url) => {
    const { host, seen } = await serveInTurn(PERSON);
    expect(await clientFor(host).getPerson(id)).toEqual(ADA);
    expect(seen[0]?.url).toBe(PERSONS + url);
  });

  test.each(['', '.', '..'])('%j is no id', async (id) => {
    const { host, seen } = await serveInTurn(PERSON);
    expect(() => clientFor(host).getPerson(id)).toThrow(/is not the id/);
    expect(seen).toHaveLength(0);
  });

  test('404', async () => {
    const { host } = await serveInTurn({ status: 404, body: { detail: 'Not found.' } });
    expect(await failureOf(clientFor(host).getPerson(7))).toMatchObject({
      failure: { kind: 'not_found' },
      operation: 'getPerson',
    });
  });

  test('a person known by its UUID only', async () => {
    const { host } = await serveInTurn({ body: { uuid: UUID } });
    expect(await clientFor(host).getPerson(UUID)).toEqual({ id: UUID, uuid: UUID });
  });
});

test('an answer that reports a failure is no success', async () => {
  const { host } = await serveInTurn({ status: 201, body: { success: false } });
  expect(await failureOf(clientFor(host).splitPerson(7))).toMatchObject({
    failure: { kind: 'invalid_answer', at: '/success' },
  });
});

describe('a success answer that the service never gives to a write', () => {
  const WRITES: readonly (readonly [name: string, call: (client: ServiceClient) => Promise<unknown>])[] = [
    ['createPerson', (client) => client.createPerson({})],
    ['updatePerson', (client) => client.updatePerson(7, {})],
    ['deletePerson', (client) => client.deletePerson(7)],
    ['splitPerson', (client) => client.splitPerson(7)],
    ['setPersonProperty', (client) => client.setPersonProperty(7, 'a', 1)],
    ['unsetPersonProperty', (client) => client.unsetPersonProperty(7, 'a')],
  ];
  const REPLIES: readonly (readonly [name: string, reply: Reply])[] = [
    ['a page', { status: 200, body: '<html>' }],
    ['an empty 200', { status: 200 }],
    ['an empty 201', { status: 201 }],
    ['null', { status: 200, body: 'null' }],
    ['a list', { status: 201, body: [ADA] }],
    ['an object', { status: 201, body: {} }],
  ];
  const cases = WRITES.flatMap(([write, call]) => REPLIES.map(([name, reply]) => ({ write, call, name, reply })));

  test.each(cases)('$write answered with $name may have happened, and is no success', async ({ call, reply }) => {
    const { host, seen } = await serveInTurn(reply);
    expect(await failureOf(call(clientFor(host)))).toMatchObject({
      failure: { kind: 'invalid_answer' },
      mayHaveHappened: true,
    });
    expect(seen).toHaveLength(1);
  });
});

import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import { clientFor, failureOf } from '../client/support/client.ts';
import { serve, serveInTurn, type TestServer } from '../client/support/server.ts';

const FLAGS = '/api/projects/1/feature_flags/';

/** A listing as the service gives it, `cap` flags at most per page. */
function serveFlags(
  count: number,
  { cap = 100, nextHost }: { cap?: number; nextHost?: string } = {},
): Promise<TestServer> {
  const flags = Array.from({ length: count }, (_, index) => ({ id: index + 1, key: `flag-${index + 1}` }));
  return serve(({ url, headers }) => {
    const { pathname, searchParams } = new URL(url, `http://${headers.host}`);
    const offset = Number(searchParams.get('offset') ?? 0);
    const limit = Math.min(cap, Number(searchParams.get('limit') ?? 100));
    const end = offset + limit;
    const next = `${nextHost ?? `http://${headers.host}`}${pathname}?limit=${limit}&offset=${end}`;
    return {
      body: { count, next: end < count ? next : null, previous: null, results: flags.slice(offset, end) },
    };
  });
}

describe('listFlags', () => {
  test.each([
    [0, 100, 1],
    [1, 100, 1],
    [100, 100, 1],
    [101, 100, 2],
    [1000, 100, 10],
    [120, 50, 3],
  ])('%i flags in pages of %i cost %i requests', async (count, cap, requests) => {
    const { host, seen } = await serveFlags(count, { cap });
    const client = clientFor(host);
    const flags = await client.listFlags();
    expect(flags.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(seen).toHaveLength(requests);
    expect(client.stats()).toMatchObject({ requests, retries: 0, pausedMs: 0 });
    expect(seen[0]?.url).toBe(`${FLAGS}?limit=500`);
  });

  test('a next page on another host is read from the configured host', async () => {
    const other = await serve(() => ({ body: { count: 0, results: [] } }));
    const { host } = await serveFlags(250, { nextHost: other.host });
    expect(await clientFor(host).listFlags()).toHaveLength(250);
    expect(other.seen).toEqual([]);
  });

  test('a next page on another host is read from the configured host, even without a count', async () => {
    const other = await serve(() => ({ body: { results: [] } }));
    const { host, seen } = await serve(({ url }) => ({
      body: url.includes('offset=1')
        ? { results: [{ id: 2, key: 'b' }], next: null }
        : { results: [{ id: 1, key: 'a' }], next: `${other.host}${FLAGS}?limit=1&offset=1&evil=1` },
    }));
    expect(await clientFor(host).listFlags()).toHaveLength(2);
    expect(seen.map(({ url }) => url)).toEqual([`${FLAGS}?limit=500`, `${FLAGS}?limit=1&offset=1`]);
    expect(other.seen).toEqual([]);
  });

  test('every page has the filters', async () => {
    const { host, seen } = await serveFlags(3, { cap: 2 });
    await clientFor(host).listFlags({ archived: true, key: 'a b', search: 'x&y', order: '-key', pageSize: 2 });
    const filters = 'archived=true&key=a+b&search=x%26y&order=-key';
    expect(seen.map(({ url }) => url)).toEqual([`${FLAGS}?${filters}&limit=2`, `${FLAGS}?${filters}&limit=2&offset=2`]);
  });

  test('a listing that shrinks with every page is an error', async () => {
    let count = 300;
    const { host } = await serve(() => {
      count -= 1;
      const results = Array.from({ length: 100 }, (_, index) => ({ id: count * 1000 + index, key: 'a' }));
      return { body: { count, next: null, results } };
    });
    expect(await failureOf(clientFor(host).listFlags())).toMatchObject({
      failure: { kind: 'invalid_answer', why: 'listing_unstable' },
      operation: 'listFlags',
      path: FLAGS,
    });
  });

  test.each([
    ['no results', { count: 0 }, '/results'],
    ['a flag without an id', { count: 1, results: [{ key: 'a' }] }, '/results/0/id'],
    ['a list', [], ''],
  ])('%s is an invalid answer', async (_name, body, at) => {
    const { host } = await serveInTurn({ body });
    expect(await failureOf(clientFor(host).listFlags())).toMatchObject({
      failure: { kind: 'invalid_answer', why: 'shape', at },
    });
  });

  test('a page that fails fails the listing', async () => {
    const { host } = await serve(({ url }) =>
      url.includes('offset=100')
        ? { status: 403, body: { detail: 'No.' } }
        : { body: { count: 300, results: Array.from({ length: 100 }, (_, id) => ({ id, key: `k${id}` })) } },
    );
    expect(await failureOf(clientFor(host).listFlags())).toMatchObject({
      failure: { kind: 'forbidden', detail: 'No.' },
    });
  });
});

describe('one flag', () => {
  const FLAG = { id: 7, key: 'a', filters: { groups: [] }, never_seen: { before: [true] } };

  test('getFlag reads the flag', async () => {
    const { host, seen } = await serveInTurn({ body: FLAG });
    expect(await clientFor(host).getFlag(7)).toEqual(FLAG);
    expect(seen).toMatchObject([{ method: 'GET', url: `${FLAGS}7/`, body: '' }]);
    expect(seen[0]?.headers['content-type']).toBeUndefined();
  });

  test('createFlag sends the fields', async () => {
    const { host, seen } = await serveInTurn({ status: 201, body: FLAG });
    expect(await clientFor(host).createFlag({ key: 'a', name: 'é', gone: undefined })).toEqual(FLAG);
    expect(seen).toMatchObject([
      { method: 'POST', url: FLAGS, body: '{"key":"a","name":"é"}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  test('updateFlag sends the changed fields', async () => {
    const { host, seen } = await serveInTurn({ body: FLAG });
    expect(await clientFor(host).updateFlag(7, { active: false })).toEqual(FLAG);
    expect(seen).toMatchObject([{ method: 'PATCH', url: `${FLAGS}7/`, body: '{"active":false}' }]);
  });

  test('disableFlag sends no body', async () => {
    const { host, seen } = await serveInTurn({ body: FLAG });
    expect(await clientFor(host).disableFlag(7)).toEqual(FLAG);
    expect(seen).toMatchObject([{ method: 'POST', url: `${FLAGS}7/disable/`, body: '' }]);
  });

  test('deleteFlag is refused by the service', async () => {
    const { host, seen } = await serveInTurn({ status: 405 });
    expect(await failureOf(clientFor(host).deleteFlag(7))).toMatchObject({
      failure: { kind: 'unexpected_status', status: 405 },
      mayHaveHappened: false,
    });
    expect(seen).toMatchObject([{ method: 'DELETE', url: `${FLAGS}7/` }]);
  });

  test('deleteFlag fails if the service does not refuse it', async () => {
    const { host } = await serveInTurn({ status: 204 });
    expect(await failureOf(clientFor(host).deleteFlag(7))).toMatchObject({
      failure: { kind: 'invalid_answer', why: 'shape', expected: 'a refusal' },
      mayHaveHappened: true,
    });
  });
});

describe('an answer with another flag', () => {
  const OTHER = { id: 8, key: 'b' };

  test.each<[string, (client: ServiceClient) => Promise<unknown>, unknown, object]>([
    ['getFlag', (client) => client.getFlag(7), OTHER, { at: '/id', expected: '7' }],
    ['createFlag', (client) => client.createFlag({ key: 'a' }), OTHER, { at: '/key', expected: "'a'" }],
    ['updateFlag', (client) => client.updateFlag(7, { active: false }), OTHER, { at: '/id', expected: '7' }],
    ['disableFlag', (client) => client.disableFlag(7), OTHER, { at: '/id', expected: '7' }],
    ['a rename by updateFlag', (client) => client.updateFlag(8, { key: 'c' }), OTHER, { at: '/key', expected: "'c'" }],
  ])('is invalid for %s', async (name, call, body, shape) => {
    const { host } = await serveInTurn({ body });
    expect(await failureOf(call(clientFor(host)))).toMatchObject({
      failure: { kind: 'invalid_answer', why: 'shape', ...shape },
      mayHaveHappened: name !== 'getFlag',
    });
  });

  test('is valid for a restore if only the key differs', async () => {
    const { host } = await serveInTurn({ body: { ...OTHER, key: 'a-2' } });
    expect((await clientFor(host).updateFlag(8, { deleted: false, key: 'a' })).key).toBe('a-2');
  });
});

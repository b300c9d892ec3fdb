/** One attempt of a call: its request, its redirects, and what its events say. */

import { describe, expect, test } from 'vitest';
import type { ServiceEvent } from '../../../src/posthog/client/events.ts';
import { clientFor, failureOf } from './support/client.ts';
import { serve, type Reply } from './support/server.ts';

const FLAG = { id: 1, key: 'a' };
const PATH = '/api/projects/1/feature_flags/1/';

describe('a redirect of a read', () => {
  test.each([301, 302, 303, 307, 308])('%i within the origin is followed', async (status) => {
    const { host, seen } = await serve(({ url }) =>
      url === '/moved/?a=1' ? { body: FLAG } : { status, headers: { location: '/moved/?a=1' } },
    );
    const client = clientFor(host);
    expect(await client.getFlag(1)).toEqual(FLAG);
    expect(seen.map(({ url }) => url)).toEqual([PATH, '/moved/?a=1']);
    expect(client.stats().requests).toBe(2);
  });

  test('to another origin is not followed, so the key is not sent there', async () => {
    const other = await serve(() => ({ body: FLAG }));
    const { host } = await serve(() => ({ status: 302, headers: { location: `${other.host}${PATH}` } }));
    expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({
      failure: { kind: 'redirected', status: 302, location: `${other.host}${PATH}` },
      attempts: 1,
    });
    expect(other.seen).toEqual([]);
  });

  test.each([
    ['without a location', undefined],
    ['to an invalid URL', 'http://[broken'],
    ['to another scheme', 'file:///etc/passwd'],
    ['to another host without a scheme', '//127.0.0.2:1/'],
  ])('%s is not followed', async (_name, location) => {
    const { host, seen } = await serve(() => ({ status: 302, ...(location ? { headers: { location } } : {}) }));
    expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({ failure: { kind: 'redirected' } });
    expect(seen).toHaveLength(1);
  });

  test('in a cycle ends after three', async () => {
    const { host, seen } = await serve(({ url }) => ({ status: 301, headers: { location: url } }));
    expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({ failure: { kind: 'redirected' }, attempts: 4 });
    expect(seen).toHaveLength(4);
  });
});

test('a redirect of a write is not followed', async () => {
  const { host, seen } = await serve((): Reply => ({ status: 307, headers: { location: '/elsewhere/' } }));
  expect(await failureOf(clientFor(host).createFlag({ key: 'a' }))).toMatchObject({
    failure: { kind: 'redirected', status: 307, location: '/elsewhere/' },
    mayHaveHappened: false,
  });
  expect(seen).toHaveLength(1);
});

describe('whether a write may have happened', () => {
  const REFUSALS = [301, 307, 308, 400, 401, 403, 404, 405, 409, 413, 422, 499];
  const UNCERTAIN = [300, 302, 303, 305, 408, 500, 502, 504, 599];

  test.each([...REFUSALS.map((status) => [status, false]), ...UNCERTAIN.map((status) => [status, true])] as const)(
    'answered %i: %s',
    async (status, mayHaveHappened) => {
      const { host, seen } = await serve(() => ({ status: Number(status), headers: { location: '/elsewhere/' } }));
      const client = clientFor(host);
      expect(await failureOf(client.createFlag({ key: 'a' }))).toMatchObject({ mayHaveHappened });
      expect(seen).toHaveLength(1);
      expect(await failureOf(client.getFlag(1))).toMatchObject({ mayHaveHappened: false });
    },
  );
});

test('only redirects with a location are followed', async () => {
  const { host, seen } = await serve(({ url }) =>
    url === PATH ? { status: 304, headers: { location: '/moved/' } } : { body: FLAG },
  );
  expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({ failure: { kind: 'redirected', status: 304 } });
  expect(seen).toHaveLength(1);
});

test('three redirects are followed, to a path or to a whole address, with the query of each', async () => {
  const { host, seen } = await serve(({ url, headers }) => {
    const turn = url === PATH ? 0 : Number(url.slice(-1));
    const next = `/moved/?n=${turn + 1}`;
    return turn === 3
      ? { body: FLAG }
      : { status: 302, headers: { location: turn === 1 ? `http://${headers.host}${next}` : next } };
  });
  const client = clientFor(host);
  expect(await client.getFlag(1)).toEqual(FLAG);
  expect(seen.map(({ url }) => url)).toEqual([PATH, '/moved/?n=1', '/moved/?n=2', '/moved/?n=3']);
});

test('a redirect is relative to the URL that sent it', async () => {
  const { host, seen } = await serve(({ url }) =>
    url.endsWith('?limit=500')
      ? { status: 302, headers: { location: '?offset=1' } }
      : { body: { count: 0, results: [] } },
  );
  await clientFor(host).listFlags();
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/projects/1/feature_flags/?limit=500',
    '/api/projects/1/feature_flags/?offset=1',
  ]);
});

describe('the events of one exchange', () => {
  const told = async (reply: Reply | undefined): Promise<ServiceEvent[]> => {
    const events: ServiceEvent[] = [];
    const { host } = await serve((_request, response) => {
      if (reply === undefined) response.destroy();
      return reply;
    });
    const client = clientFor(host, { onEvent: (event) => events.push(event) });
    await client.createFlag({ key: 'a' }).catch(() => undefined);
    return events;
  };
  const exchange = { operation: 'createFlag', method: 'POST', path: '/api/projects/1/feature_flags/' };
  const ms = expect.any(Number) as number;

  test('an answer has its status and its bytes', async () => {
    expect(await told({ status: 201, body: '{"id":1,"key":"a"}' })).toEqual([
      { kind: 'request', ...exchange },
      { kind: 'response', ...exchange, status: 201, bytes: 18, ms, waitedMs: ms, serviceTime: ms },
    ]);
  });

  test('no answer has no status', async () => {
    expect(await told(undefined)).toEqual([
      { kind: 'request', ...exchange },
      { kind: 'response', ...exchange, bytes: 0, ms, waitedMs: ms },
    ]);
  });
});

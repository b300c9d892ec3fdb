import { describe, expect, test } from 'vitest';
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

  test('to another origin is not followed: no key goes there', async () => {
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
    ['to nowhere', 'http://[broken'],
    ['to another scheme', 'file:///etc/passwd'],
    ['to another host without a scheme', '//127.0.0.2:1/'],
  ])('%s is not followed', async (_name, location) => {
    const { host, seen } = await serve(() => ({ status: 302, ...(location ? { headers: { location } } : {}) }));
    expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({ failure: { kind: 'redirected' } });
    expect(seen).toHaveLength(1);
  });

  test('in a circle ends after three', async () => {
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

/** A listing as one call: its requests page by page, and its failure. */

import { describe, expect, test } from 'vitest';
import { clientFor, failureOf } from './support/client.ts';
import { serve, serveInTurn } from './support/server.ts';

const FLAGS = '/api/projects/1/feature_flags/';
const flags = (...ids: number[]): object[] => ids.map((id) => ({ id, key: `f${id}` }));

test('a listing that keeps changing fails as one call, with every request counted', async () => {
  let count = 10;
  const { host, seen } = await serve(() => ({ body: { count: (count += 1), next: null, results: flags(count) } }));
  const error = await failureOf(clientFor(host).listFlags());
  expect(error).toMatchObject({
    failure: { kind: 'invalid_answer', why: 'listing_unstable' },
    operation: 'listFlags',
    method: 'GET',
    path: FLAGS,
    mayHaveHappened: false,
  });
  expect(error.attempts).toBe(seen.length);
});

test('a listing that contradicts itself fails with the place', async () => {
  const { host } = await serveInTurn({ body: { next: '?offset=0', results: flags(1) } });
  expect(await failureOf(clientFor(host).listFlags())).toMatchObject({
    failure: { kind: 'invalid_answer', why: 'shape', at: '/next', expected: 'a later page' },
    attempts: 1,
  });
});

describe('page by page', () => {
  const at = (...urls: string[]): string[] => urls.map((url) => `${FLAGS}${url}`);

  test('a link with only an offset keeps the page size, one without an offset continues after the last entry', async () => {
    const { host, seen } = await serveInTurn(
      { body: { next: '?offset=7', results: flags(1, 2) } },
      { body: { next: '?limit=3', results: flags(3) } },
      { body: { next: null, results: flags(4) } },
    );
    const pages = clientFor(host).pageFlags({ pageSize: 2, search: 'x' });
    expect((await pages.all()).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(seen.map(({ url }) => url)).toEqual(
      at('?search=x&limit=2&offset=0', '?search=x&limit=2&offset=7', '?search=x&limit=3&offset=8'),
    );
  });

  test('a page that repeats the previous one is skipped', async () => {
    const { host } = await serveInTurn(
      { body: { next: '?offset=2', results: flags(1, 2) } },
      { body: { next: '?offset=4', results: flags(2, 1) } },
      { body: { next: null, results: flags(3, 1) } },
    );
    const sizes: number[][] = [];
    for await (const page of clientFor(host).pageFlags({ pageSize: 2 }).pages()) sizes.push(page.map(({ id }) => id));
    // Only adjacent pages are compared: memory holds one page.
    expect(sizes).toEqual([[1, 2], [3]]);
  });

  test('each iteration reads again, and one that ends early reads no further', async () => {
    const { host, seen } = await serveInTurn({ body: { next: '?limit=1&offset=1', results: flags(1) } });
    const pages = clientFor(host).pageFlags({ pageSize: 1 });
    for (let round = 1; round <= 2; round += 1) {
      for await (const { id } of pages) {
        expect(id).toBe(1);
        break;
      }
      expect(seen).toHaveLength(round);
    }
  });
});

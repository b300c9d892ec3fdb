/** Limits, offsets and links of a real list. */

import { expect, test } from 'vitest';
import { FLAGS, keysOf, results, start, type Client } from '../harness.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];

async function seeded(): Promise<Client> {
  return start({ seed: KEYS.map((key, index) => ({ key, created_at: `2026-01-0${5 - index}T00:00:00Z` })) });
}

const PAGES: [query: string, keys: string, next: string | null, previous: string | null][] = [
  ['', 'abcde', null, null],
  ['?limit=2', 'ab', '?limit=2&offset=2', null],
  ['?limit=2&offset=2', 'cd', '?limit=2&offset=4', '?limit=2'],
  ['?limit=2&offset=3', 'de', null, '?limit=2&offset=1'],
  ['?limit=2&offset=1', 'bc', '?limit=2&offset=3', '?limit=2'],
  ['?limit=5', 'abcde', null, null],
  ['?offset=9&limit=3', '', null, '?limit=3&offset=6'],
  ['?limit=0', 'abcde', null, null],
  ['?limit=-1', 'abcde', null, null],
  ['?limit=two', 'abcde', null, null],
  ['?limit=99999999999999999999', 'abcde', null, null],
  ['?limit=2&offset=-4', 'ab', '?limit=2&offset=2', null],
  ['?limit=2&offset=x&z=1', 'ab', '?limit=2&offset=2&z=1', null],
];

test.each(PAGES)('the page %j', async (query, keys, next, previous) => {
  const client = await seeded();
  const page = await client.get(`${FLAGS}${query}`);
  const base = `${client.service.url}${FLAGS}`;
  expect(keysOf(page).replaceAll(' ', '')).toBe(keys);
  expect(page.body).toMatchObject({
    count: 5,
    next: next === null ? null : base + next,
    previous: previous === null ? null : base + previous,
  });
});

test('the default page size is 100', async () => {
  const client = await start({ seed: Array.from({ length: 101 }, (_, index) => ({ key: `k${index}` })) });
  const page = await client.get(FLAGS);
  expect(results(page)).toHaveLength(100);
  expect(page.body['next']).toBe(`${client.service.url}${FLAGS}?limit=100&offset=100`);
});

test('flags of the same time keep their order across pages', async () => {
  const seed = Array.from({ length: 10 }, (_, index) => ({ key: `k${index}`, created_at: '2026-01-01T00:00:00Z' }));
  const client = await start({ seed });
  const keys: unknown[] = [];
  for (let offset = 0; offset < 10; offset += 3) {
    keys.push(...results(await client.get(`${FLAGS}?limit=3&offset=${offset}`)).map(({ key }) => key));
  }
  expect(keys).toEqual(Array.from({ length: 10 }, (_, index) => `k${9 - index}`));
});

test('links have the host of the request', async () => {
  const client = await seeded();
  const url = client.service.url.replace('127.0.0.1', 'localhost');
  const response = await fetch(`${url}${FLAGS}?limit=2`, { headers: { authorization: 'Bearer k' } }).catch(() => null);
  if (response === null) return; // localhost is IPv6 only here
  expect(await response.json()).toMatchObject({ next: `${url}${FLAGS}?limit=2&offset=2` });
});

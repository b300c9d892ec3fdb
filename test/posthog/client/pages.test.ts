/** A whole listing from its pages, and page by page. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countPageReads,
  readAllPages,
  readPage,
  UnstableListing,
  type Page,
  type PagePosition,
} from '../../../src/posthog/client/listing.ts';
import { readInteger, readObject, UnexpectedShape } from '../../../src/posthog/client/shape.ts';
import { turns } from '../../helpers/timers.ts';

interface Entry {
  readonly id: number;
}

const entriesOf = (count: number): Entry[] => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

/** A service that returns at most `cap` entries; `live(request)` is what it holds when a request arrives. */
function listingOf(live: (request: number) => readonly Entry[], cap: number, counts = true) {
  const asked: PagePosition[] = [];
  const read = async ({ limit = 100, offset = 0 }: PagePosition): Promise<Page<Entry>> => {
    asked.push({ limit, offset });
    const all = live(asked.length);
    const size = Math.min(limit, cap);
    const end = offset + size;
    return {
      results: all.slice(offset, end),
      ...(counts ? { count: all.length } : {}),
      ...(end < all.length ? { next: { limit: size, offset: end } } : {}),
    };
  };
  return { asked, listing: { read, first: { limit: 100 }, concurrency: 4 } };
}

describe.each([true, false])('count told: %s', (counts) => {
  test('every entry once, with ceil(N / page) requests, whatever page size the service uses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(400), fc.integer({ min: 1, max: 120 }), async (count, cap) => {
        const { listing, asked } = listingOf(() => entriesOf(count), cap, counts);
        expect(await readAllPages(listing)).toEqual(entriesOf(count));
        expect(asked).toHaveLength(Math.max(1, Math.ceil(count / Math.min(cap, 100))));
      }),
    );
  });
});

describe('a listing that changes while it is read', () => {
  const CASES: readonly [string, (request: number) => readonly Entry[]][] = [
    ['an entry of the first page is removed', (request) => (request <= 1 ? entriesOf(30) : entriesOf(30).slice(1))],
    ['an entry is added in front', (request) => (request <= 1 ? entriesOf(30) : [{ id: 99 }, ...entriesOf(30)])],
    ['two entries swap places', (request) => (request <= 1 ? entriesOf(30) : swapped(entriesOf(30), 9, 10))],
    ['the last page is removed', (request) => (request <= 1 ? entriesOf(21) : entriesOf(20))],
  ];
  test.each(CASES)('%s: it is read again', async (_name, live) => {
    const { listing } = listingOf(live, 10);
    expect(await readAllPages(listing)).toEqual(live(2));
  });

  test('in every reading: an error after three readings, never a partial listing', async () => {
    const { listing, asked } = listingOf((request) => entriesOf(30).slice(request % 3), 10);
    await expect(readAllPages(listing)).rejects.toThrow(UnstableListing);
    expect(asked.length).toBeLessThanOrEqual(9);
  });
});

describe('a service that contradicts itself', () => {
  const CASES: readonly [string, Page<Entry>, typeof UnstableListing | typeof UnexpectedShape][] = [
    ['a count without entries', { results: [], count: 5 }, UnstableListing],
    ['fewer counted than given', { results: entriesOf(5), count: 3 }, UnstableListing],
    [
      'complete by its count, and a next page',
      { results: entriesOf(5), count: 5, next: { offset: 5 } },
      UnstableListing,
    ],
    ['an absurd count', { results: entriesOf(1), count: 1e12 }, UnexpectedShape],
    ['a next page that is this one', { results: entriesOf(5), next: { offset: 0 } }, UnexpectedShape],
    ['the same page forever', { results: [], next: {} }, UnexpectedShape],
  ];
  test.each(CASES)('%s', async (_name, page, error) => {
    await expect(readAllPages({ read: async () => page, first: {}, concurrency: 2 })).rejects.toThrow(error);
  });

  test('a count that grows between two pages', async () => {
    const counts = [20, 21];
    const read = async ({ offset = 0 }: PagePosition): Promise<Page<Entry>> => ({
      results: entriesOf(20).slice(offset, offset + 10),
      count: counts.shift() ?? 20,
    });
    expect(await readAllPages({ read, first: {}, concurrency: 2 })).toHaveLength(20);
    expect(counts).toEqual([]);
    const growing = async (position: PagePosition): Promise<Page<Entry>> => ({
      ...(await read(position)),
      count: position.offset === undefined ? 20 : 21,
    });
    await expect(readAllPages({ read: growing, first: {}, concurrency: 2 })).rejects.toThrow(UnstableListing);
  });

  test('a next page that is this one ends the listing at once', async () => {
    const read = async (): Promise<Page<Entry>> => ({ results: entriesOf(5), next: { offset: 0 } });
    await expect(readAllPages({ read, first: {}, concurrency: 2 })).rejects.toThrow('a later page');
  });
});

test('the first request follows the listing, the others the size of the first page', async () => {
  const { listing, asked } = listingOf(() => entriesOf(120), 50);
  await readAllPages(listing);
  expect(asked).toEqual([
    { limit: 100, offset: 0 },
    { limit: 50, offset: 50 },
    { limit: 50, offset: 100 },
  ]);
});

test('after a failed page no further page is requested', async () => {
  let asked = 0;
  const read = async ({ offset = 0 }: PagePosition): Promise<Page<Entry>> => {
    asked += 1;
    if (offset > 0) throw new Error('gone');
    return { results: entriesOf(1), count: 500 };
  };
  await expect(readAllPages({ read, first: {}, concurrency: 3 })).rejects.toThrow('gone');
  await turns();
  expect(asked).toBeLessThanOrEqual(7);
});

describe('the envelope', () => {
  const read = (body: never): Page<Entry> =>
    readPage(body, (value, path) => ({ id: readInteger(readObject(value, path)['id'], [...path, 'id']) }));

  const LINKS: readonly [string | null, PagePosition | undefined][] = [
    ['https://elsewhere.example/feature_flags/?limit=10&offset=20', { limit: 10, offset: 20 }],
    ['/api/projects/1/feature_flags/?offset=20', { offset: 20 }],
    ['?limit=5&offset=-1&evil=1', { limit: 5 }],
    ['', undefined],
    [null, undefined],
  ];
  test.each(LINKS)('of %s only offset and limit count', (next, expected) => {
    expect(read({ results: [], next } as never).next).toEqual(expected);
  });

  const WRONG: readonly [unknown, string][] = [
    [null, ''],
    [[], ''],
    ['text', ''],
    [{}, '/results'],
    [{ results: {} }, '/results'],
    [{ results: [{ id: 1 }, null] }, '/results/1'],
    [{ results: [{ id: '1' }] }, '/results/0/id'],
    [{ results: [{ id: 1.5 }] }, '/results/0/id'],
    [{ results: [], count: 'many' }, '/count'],
    [{ results: [], next: 7 }, '/next'],
  ];
  test.each(WRONG)('%j is refused at %s', (body, at) => {
    expect(() => read(body as never)).toThrow(expect.objectContaining({ name: 'UnexpectedShape', at }));
  });
});

function swapped(entries: Entry[], a: number, b: number): Entry[] {
  const copy = [...entries];
  [copy[a], copy[b]] = [copy[b] as Entry, copy[a] as Entry];
  return copy;
}

test.each<[string, PagePosition | undefined]>([
  ['?limit=999999999999999', { limit: 999_999_999_999_999 }],
  ['?limit=9999999999999999', {}],
  ['?limit=5x&offset=x5', {}],
  ['?limit=&offset=', {}],
  ['?offset=0', { offset: 0 }],
])('of the link %s', (next, expected) => {
  expect(readPage({ results: [], next }, () => ({ id: 1 })).next).toEqual(expected);
});

test('a page without a count or a link has neither', () => {
  expect(readPage({ results: [], count: null, next: null }, () => ({ id: 1 }))).toEqual({ results: [] });
  expect(readPage({ results: [7], count: 3 }, (value) => value)).toEqual({ results: [7], count: 3 });
});

test('the path of an entry is its place in the page', () => {
  const paths: unknown[] = [];
  readPage({ results: ['a', 'b'] }, (_value, path) => paths.push(path));
  expect(paths).toEqual([
    ['results', 0],
    ['results', 1],
  ]);
});

describe('without a count', () => {
  const follow = async (pages: readonly Page<Entry>[]): Promise<PagePosition[]> => {
    const asked: PagePosition[] = [];
    const read = async (position: PagePosition): Promise<Page<Entry>> => {
      asked.push(position);
      return pages[asked.length - 1] ?? { results: [] };
    };
    await readAllPages({ read, first: { limit: 2 }, concurrency: 1 });
    return asked;
  };

  test('a link without an offset continues after the last entry', async () => {
    const pages = [
      { results: entriesOf(2), next: { limit: 2 } },
      { results: [{ id: 3 }], next: { limit: 9, offset: 5 } },
    ];
    expect(await follow(pages)).toEqual([{ limit: 2 }, { limit: 2, offset: 2 }, { limit: 9, offset: 5 }]);
  });

  test('a link to an earlier page is not followed', async () => {
    const pages = [
      { results: entriesOf(2), next: { offset: 2 } },
      { results: [{ id: 3 }], next: { offset: 2 } },
    ];
    await expect(follow(pages)).rejects.toMatchObject({ at: '/next', expected: 'a later page' });
  });

  test('an endless listing is not followed forever', async () => {
    let asked = 0;
    const read = async ({ offset = 0 }: PagePosition): Promise<Page<Entry>> => {
      asked += 1;
      return { results: [{ id: offset }], next: { offset: offset + 1 } };
    };
    await expect(readAllPages({ read, first: {}, concurrency: 1 })).rejects.toMatchObject({
      at: '/next',
      expected: 'at most 10000 pages',
    });
    expect(asked).toBe(10_000);
  });
});

test('ten thousand pages are read, one more is refused', async () => {
  const read = async ({ offset = 0 }: PagePosition): Promise<Page<Entry>> => ({ results: [{ id: offset }], count });
  let count = 10_000;
  expect(await readAllPages({ read, first: {}, concurrency: 50 })).toHaveLength(10_000);
  count = 10_001;
  await expect(readAllPages({ read, first: {}, concurrency: 50 })).rejects.toMatchObject({
    at: '/count',
    expected: 'at most 10000 pages',
  });
});

test('pages are read with exactly the given concurrency', async () => {
  let open = 0;
  let most = 0;
  const read = async ({ offset = 0 }: PagePosition): Promise<Page<Entry>> => {
    most = Math.max(most, (open += 1));
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return { results: [{ id: offset }], count: 20 };
  };
  await readAllPages({ read, first: {}, concurrency: 3 });
  expect(most).toBe(3);
});

test.each([
  [1, 'it is read'],
  [3, 'it is read'],
  [4, 'it is an error'],
])('a listing that is stable at reading %i: %s', async (stillAt, expected) => {
  let readings = 0;
  const read = async ({ offset = 0 }: PagePosition): Promise<Page<Entry>> => {
    if (offset === 0) readings += 1;
    const isMoving = offset > 0 && readings < stillAt;
    return { results: entriesOf(20).slice(offset, offset + 10), count: isMoving ? 21 : 20 };
  };
  const outcome = await readAllPages({ read, first: {}, concurrency: 2 }).then(
    () => 'it is read',
    (error: unknown) => (error instanceof UnstableListing ? 'it is an error' : error),
  );
  expect(outcome).toBe(expected);
  expect(readings).toBe(Math.min(stillAt, 3));
});

test.each([
  [0, [1, 0]],
  [1, [1, 0]],
  [100, [1, 0]],
  [101, [1, 1]],
  [205, [1, 2]],
])('%i entries in pages of 100 are read in rounds of %j requests', (entries, rounds) => {
  expect(countPageReads(entries, 100).map(({ requests }) => requests)).toEqual(rounds);
});

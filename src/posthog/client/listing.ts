/**
 * A listing as one call, read whole from its pages, or failed: an entry that was not read never counts as absent. Or read page by page. Failures
 * are reported as those of the call.
 */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { JsonPath } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { ServiceError } from './service-error.ts';
import { type Failure } from './failure.ts';
import type { Callee } from './failure-table.ts';
import type { Operations, RequestSpec, Send } from './request-spec.ts';
import { UnexpectedShape, readArray, readInteger, readObject } from './shape.ts';
import pLimit from 'p-limit';
import { pages, type RequestRound } from '../../core/engine/forecast.ts';

export interface ListingSpec<T> {
  readonly operation: string;
  readonly path: string;
  /** Filters of every page. */
  readonly query?: RequestSpec<T>['query'];
  readonly first: PagePosition;
  readonly concurrency: number;
  /** Used in errors. */
  readonly callee?: Callee;
  readonly readEntry: (value: JsonValue, path: JsonPath) => T;
}

interface CollectionCalls<T extends { readonly id: number | string }> {
  /** The path of one of them. */
  readonly pathOf: (id: T['id']) => string;
  readonly list: () => Promise<readonly T[]>;
  readonly get: (id: T['id']) => Promise<T>;
  readonly create: (body: JsonObject) => Promise<T>;
  readonly update: (id: T['id'], body: JsonObject) => Promise<T>;
}

/** The calls on a collection of a project. `noun`: one of it, as in the names of the client's methods. */
export function collectionCalls<T extends { readonly id: number | string }>(
  { send, concurrency, callee }: Operations,
  {
    path,
    noun,
    readEntry,
  }: Pick<ListingSpec<T>, 'path'> & {
    readonly noun: string;
    readonly readEntry: (value: JsonValue | undefined, path: JsonPath) => T;
  },
): CollectionCalls<T> {
  const pathOf = (id: T['id']): string => `${path}${encodeURIComponent(id)}/`;
  /** The one that was requested or written; an answer that holds another one has an unexpected shape. */
  const ofOne = (id: T['id']): Pick<RequestSpec<T>, 'path' | 'read'> => ({
    path: pathOf(id),
    read: (body) => {
      const one = readEntry(body, []);
      if (String(one.id).toLowerCase() === String(id).toLowerCase()) return one;
      throw new UnexpectedShape(['id'], String(id));
    },
  });
  return {
    pathOf,
    list: async () =>
      readListing(send, {
        operation: `list${noun}s`,
        path,
        first: { limit: PER_PAGE },
        concurrency,
        callee,
        readEntry,
      }),
    get: async (id) => send({ operation: `get${noun}`, method: 'GET', repeat: 'freely', ...ofOne(id) }),
    create: async (body) =>
      send({
        operation: `create${noun}`,
        method: 'POST',
        path,
        body,
        repeat: 'unless_sent',
        read: (answer) => readEntry(answer, []),
      }),
    update: async (id, body) =>
      send({ operation: `update${noun}`, method: 'PATCH', body, repeat: 'unless_sent', ...ofOne(id) }),
  };
}

/** Entries asked for per request. */
const PER_PAGE = 100;

/** Every entry once. Rejects with `ServiceError`. */
export async function readListing<T extends { readonly id: number | string }>(
  send: Send,
  spec: ListingSpec<T>,
): Promise<T[]> {
  const { operation, path, query, first, concurrency, callee, readEntry } = spec;
  let requests = 0;
  try {
    return await readAllPages({
      first,
      concurrency,
      read: (position) => {
        requests += 1;
        return send({
          operation,
          method: 'GET',
          path,
          query: { ...query, ...position },
          repeat: 'freely',
          read: (body) => readPage(body, readEntry),
        });
      },
    });
  } catch (error) {
    if (!(error instanceof UnstableListing || error instanceof UnexpectedShape)) throw error;
    const failure: Failure =
      error instanceof UnstableListing
        ? { kind: 'invalid_answer', why: 'listing_unstable' }
        : { kind: 'invalid_answer', why: 'shape', at: error.at, expected: error.expected };
    const call = { operation, method: 'GET', path, attempts: requests, mayHaveHappened: false };
    throw new ServiceError({ ...call, failure, ...defined({ callee }) });
  }
}

/**
 * A listing that may be too long for memory, one page after the other. An entry that moved to the next page between two
 * reads is returned once. Rejects with `ServiceError`.
 */
export function pagedListing<T extends { readonly id: number | string }>(
  send: Send,
  first: OffsetPosition,
  specAt: (position: OffsetPosition) => RequestSpec<Page<T>>,
): Paged<T> {
  interface ListingPosition {
    readonly position: OffsetPosition;
    /** Ids on the previous page. */
    readonly before: ReadonlySet<number | string>;
  }
  return paged<T, ListingPosition>({ position: first, before: new Set() }, async ({ position, before }) => {
    const spec = specAt(position);
    const { page, next } = await send({
      ...spec,
      read: (body, status) => {
        const read = spec.read(body, status);
        return { page: read, next: positionAfter(position, read) };
      },
    });
    return {
      results: page.results.filter(({ id }) => !before.has(id)),
      ...(next && { next: { position: next, before: new Set(page.results.map(({ id }) => id)) } }),
    };
  });
}

export interface OffsetPosition {
  readonly limit: number;
  readonly offset: number;
}

/** A link may point beyond the end (docs/service/persons.md): an empty page is the last one. */
export function positionAfter({ limit, offset }: OffsetPosition, page: Page<unknown>): OffsetPosition | undefined {
  if (page.next === undefined || page.results.length === 0) return undefined;
  return { limit: page.next.limit ?? limit, offset: offsetAfter(offset, page, page.next) };
}

function offsetAfter(offset: number, page: Page<unknown>, next: PagePosition): number {
  const nextOffset = next.offset ?? offset + page.results.length;
  if (nextOffset <= offset) throw new UnexpectedShape(['next'], 'a later page');
  return nextOffset;
}

export interface PagePosition {
  readonly limit?: number;
  readonly offset?: number;
}

export interface Page<T> {
  readonly results: readonly T[];
  /** Entries in the whole listing; some listings give no count. */
  readonly count?: number;
  /** The position of the next page; absent on the last one. */
  readonly next?: PagePosition;
}

interface Listing<T> {
  readonly read: (position: PagePosition) => Promise<Page<T>>;
  /** The query of the first request; empty for a listing that refuses query parameters. */
  readonly first: PagePosition;
  /** Pages read at the same time. */
  readonly concurrency: number;
}

/** The listing changed during every reading. */
export class UnstableListing extends Error {
  override readonly name = 'UnstableListing';
  readonly readings: number = READINGS;
}

/** The total number of readings of a listing that changes while it is read. */
const READINGS = 3;

/** Larger than any listing; a service that announces more pages is refused. */
const MOST_PAGES = 10_000;

/** Every entry once. N entries cost ceil(N / page) requests where the service gives the count. */
export async function readAllPages<T extends { readonly id: number | string }>(listing: Listing<T>): Promise<T[]> {
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const first = await listing.read(listing.first);
    if (first.count === undefined) return followNext(listing, first);
    const entries = await readByCount(listing, first, first.count);
    if (entries !== undefined) return entries;
  }
  throw new UnstableListing();
}

/** The requests of `readAllPages` in rounds: the first page, then the others together. An empty list is a page too. */
export function countPageReads(
  entries: number,
  pageSize: number,
): readonly [first: RequestRound, others: RequestRound] {
  return [pages(1), pages(Math.max(1, Math.ceil(entries / pageSize)) - 1)];
}

/** Reads the page envelope; `readEntry` is called for each of `results`. */
export function readPage<T>(body: JsonValue | undefined, readEntry: (value: JsonValue, path: JsonPath) => T): Page<T> {
  const envelope = readObject(body);
  const results = readArray(envelope['results'], ['results']).map((entry, index) =>
    readEntry(entry, ['results', index]),
  );
  const count = envelope['count'] ?? undefined;
  const next = readNext(envelope['next']);
  return {
    results,
    ...(count === undefined ? {} : { count: readInteger(count, ['count']) }),
    ...defined({ next }),
  };
}

/** Reads all pages after the first at once. `undefined` when they do not add up: an entry was added, removed or moved. */
async function readByCount<T extends { readonly id: number | string }>(
  listing: Listing<T>,
  first: Page<T>,
  count: number,
): Promise<T[] | undefined> {
  // The first page's actual length is the step: a service may return fewer entries than requested.
  const step = first.results.length;
  if (count > step * MOST_PAGES) {
    if (step === 0) return undefined;
    throw new UnexpectedShape(['count'], `at most ${MOST_PAGES} pages`);
  }
  const offsets: number[] = [];
  for (let offset = step; offset < count; offset += step) offsets.push(offset);
  const limit = pLimit(listing.concurrency);
  const others = offsets.map((offset) => limit(() => listing.read({ limit: step, offset })));
  const read = [first, ...(await Promise.all(others).finally(() => limit.clearQueue()))];
  const entries = withoutRepetitions(read);
  const addsUp =
    entries.length === count && read.every((page) => page.count === count) && read.at(-1)?.next === undefined;
  return addsUp ? entries : undefined;
}

/** One page after the other, where only `next` says whether another page exists. */
async function followNext<T extends { readonly id: number | string }>(
  listing: Listing<T>,
  first: Page<T>,
): Promise<T[]> {
  const read = [first];
  let page = first;
  let offset = 0;
  while (page.next !== undefined) {
    offset = offsetAfter(offset, page, page.next);
    if (read.length >= MOST_PAGES) throw new UnexpectedShape(['next'], `at most ${MOST_PAGES} pages`);
    page = await listing.read({ ...page.next, offset });
    read.push(page);
  }
  return withoutRepetitions(read);
}

function withoutRepetitions<T extends { readonly id: number | string }>(pages: readonly Page<T>[]): T[] {
  const entries = new Map<T['id'], T>();
  for (const page of pages) for (const entry of page.results) entries.set(entry.id, entry);
  return [...entries.values()];
}

/** Takes only `offset` and `limit` from the link, so that the key is sent to no other address. */
export function readNext(next: JsonValue | undefined): PagePosition | undefined {
  if (next === undefined || next === null || next === '') return undefined;
  const base = 'http://localhost';
  if (typeof next !== 'string' || !URL.canParse(next, base)) throw new UnexpectedShape(['next'], 'a link or null');
  const query = new URL(next, base).searchParams;
  const [limit, offset] = ['limit', 'offset'].map((name) => {
    const text = query.get(name) ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  });
  return defined({ limit, offset });
}

/**
 * The first page is requested with the first entry, and each further page when the one before it is used up.
 * Each iteration reads the listing again.
 */
export interface Paged<T> extends AsyncIterable<T> {
  /** Page by page, as the service returns them; no page is empty. */
  pages(): AsyncIterable<readonly T[]>;
  /** All entries at once, for listings that are known to be short. */
  all(): Promise<readonly T[]>;
}

/**
 * A listing that is read page by page while it is used: memory holds one page, however long the listing is. `read` gets the position that the
 * previous page named; `next` is absent on the last one.
 */
export function paged<T, Position>(
  first: Position,
  read: (position: Position) => Promise<{ readonly results: readonly T[]; readonly next?: Position }>,
): Paged<T> {
  async function* pages(): AsyncGenerator<readonly T[], void, undefined> {
    for (let position: Position | undefined = first; position !== undefined;) {
      const page: Awaited<ReturnType<typeof read>> = await read(position);
      if (page.results.length > 0) yield page.results;
      position = page.next;
    }
  }
  return {
    pages,
    all: async () => {
      const entries: T[] = [];
      for await (const page of pages()) entries.push(...page);
      return entries;
    },
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page;
    },
  };
}

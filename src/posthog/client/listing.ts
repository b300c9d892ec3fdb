/** A listing as one call: requests its pages, joins them, and reports failures as the call's. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { JsonPath } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { Failure } from './failure.ts';
import type { Callee } from './failure-words.ts';
import {
  type Page,
  paged,
  type Paged,
  type PageOf,
  type PagePosition,
  readAllPages,
  readPage,
  UnstableListing,
} from './pages.ts';
import type { Operations, RequestSpec, Send } from './request-spec.ts';
import { ServiceError } from './service-error.ts';
import { UnexpectedShape } from './shape.ts';

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
    const failure = toFailure(error);
    if (failure === undefined) throw error;
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
  const readAt = async ({ position, before }: ListingPosition): Promise<PageOf<T, ListingPosition>> => {
    const spec = specAt(position);
    const { page, next } = await send({
      ...spec,
      read: (body, status) => {
        const read = spec.read(body, status);
        return { page: read, next: positionAfter(position, read) };
      },
    });
    const ids = new Set(page.results.map(({ id }) => id));
    return {
      results: page.results.filter(({ id }) => !before.has(id)),
      ...(next === undefined ? {} : { next: { position: next, before: ids } }),
    };
  };
  return paged<T, ListingPosition>({ position: first, before: new Set() }, readAt);
}

export interface OffsetPosition {
  readonly limit: number;
  readonly offset: number;
}

interface ListingPosition {
  readonly position: OffsetPosition;
  /** Ids on the previous page. */
  readonly before: ReadonlySet<number | string>;
}

/** A link may point beyond the end (docs/service.md, "Persons"): an empty page is the last one. */
export function positionAfter({ limit, offset }: OffsetPosition, page: Page<unknown>): OffsetPosition | undefined {
  if (page.next === undefined || page.results.length === 0) return undefined;
  const nextOffset = page.next.offset ?? offset + page.results.length;
  if (nextOffset <= offset) throw new UnexpectedShape(['next'], 'a later page');
  return { limit: page.next.limit ?? limit, offset: nextOffset };
}

function toFailure(error: unknown): Failure | undefined {
  if (error instanceof UnstableListing) return { kind: 'invalid_answer', why: 'listing_unstable' };
  if (error instanceof UnexpectedShape) {
    return { kind: 'invalid_answer', why: 'shape', at: error.at, expected: error.expected };
  }
  return undefined;
}

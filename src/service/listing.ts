/** A listing of the service as one call: its pages requested, put together, and its failures told as the call's. */

import type { JsonValue } from '../base/json.ts';
import type { JsonPath } from '../base/json-pointer.ts';
import { ServiceError, type Failure } from './errors.ts';
import { readAllPages, readPage, UnstableListing, type PagePosition } from './pages.ts';
import type { RequestSpec, Send } from './request-spec.ts';
import { UnexpectedShape } from './shape.ts';

export interface ListingSpec<T> {
  readonly operation: string;
  readonly path: string;
  /** Filters that go with every page. */
  readonly query?: RequestSpec<T>['query'];
  readonly first: PagePosition;
  readonly concurrency: number;
  readonly readEntry: (value: JsonValue, path: JsonPath) => T;
}

/** Every entry once. Rejects with `ServiceError`. */
export async function readListing<T extends { readonly id: number }>(send: Send, spec: ListingSpec<T>): Promise<T[]> {
  const { operation, path, query, first, concurrency, readEntry } = spec;
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
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    throw new ServiceError({ failure, operation, method: 'GET', path, attempts: requests, mayHaveHappened: false });
  }
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof UnstableListing) return { kind: 'invalid_answer', why: 'listing_unstable' };
  if (error instanceof UnexpectedShape) {
    return { kind: 'invalid_answer', why: 'shape', at: error.at, expected: error.expected };
  }
  return undefined;
}

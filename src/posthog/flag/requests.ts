/** The operations on flags: list, read, create, update, and the delete that the service refuses. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Flag } from './model/flag.ts';
import { pagedListing, readListing, type Paged, readPage } from '../client/listing.ts';
import type { Operations } from '../client/request-spec.ts';
import { readFlag, UnexpectedShape } from '../client/shape.ts';

/** The flags to list. Services of 2023 support only paging and ignore the rest (docs/service.md, "Flag list"). */
export interface FlagListQuery {
  /** Flags per request, default 500; the service may return fewer. */
  readonly pageSize?: number;
  /** True: only archived flags, false: only the others. Without it archived flags are left out. */
  readonly archived?: boolean;
  /** Exact key, case-insensitive. */
  readonly key?: string;
  readonly search?: string;
  /** `STALE`: those that the service calls stale (services since 2026). */
  readonly active?: boolean | 'STALE';
  /** A field to sort by, with a leading `-` for descending. */
  readonly order?: string;
}

export interface FlagOperations {
  /**
   * Every flag that the service lists, each once: all pages, checked against the count. The list never holds soft-deleted
   * flags, and archived ones only on request, so a key that is missing here may still be taken.
   * Throws `invalid_answer` (`listing_unstable`) when the listing changed during three readings.
   */
  listFlags(query?: FlagListQuery): Promise<readonly Flag[]>;
  /** The same listing page by page, as far as it is used, without the check against the count. */
  pageFlags(query?: FlagListQuery): Paged<Flag>;
  /** One flag by id, even when it is soft-deleted. Throws `not_found`. */
  getFlag(id: number): Promise<Flag>;
  /**
   * Creates a flag; `key` is the only required field. Throws `validation` with code `unique` when the key is taken.
   * Never repeated when the service may have executed it: look the key up when `mayHaveHappened` is set.
   */
  createFlag(body: JsonObject): Promise<Flag>;
  /**
   * Changes the fields in `body` (PATCH) and returns the whole flag. With `version` and `original_flag`, newer services
   * throw `conflict` when the flag changed in between. Not repeated when the service may have executed it.
   */
  updateFlag(id: number, body: JsonObject): Promise<Flag>;
  /**
   * Turns a flag off (services since 2026): without a body, so that nothing else can be written, and without effect where it is off.
   * Throws `not_found` where the service has no such action.
   */
  disableFlag(id: number): Promise<Flag>;
  /**
   * The hard delete of the interface, which the service refuses (405), so it always throws. To delete a flag, call
   * `updateFlag(id, { deleted: true })`.
   */
  deleteFlag(id: number): Promise<never>;
}

/** Flags per request: larger pages save requests, and a service that limits pages returns fewer. */
export const FLAGS_PER_PAGE = 500;

export function flagOperations({ projectPath, send, concurrency, callee }: Operations): FlagOperations {
  const collection = `${projectPath}/feature_flags/`;
  const item = (id: number): string => `${collection}${id}/`;
  return {
    listFlags: ({ pageSize = FLAGS_PER_PAGE, ...query } = {}) =>
      readListing(send, {
        operation: 'listFlags',
        path: collection,
        query,
        first: { limit: pageSize },
        concurrency,
        callee,
        readEntry: readFlag,
      }),
    pageFlags: ({ pageSize = FLAGS_PER_PAGE, ...query } = {}) =>
      pagedListing(send, { limit: pageSize, offset: 0 }, (position) => ({
        operation: 'pageFlags',
        method: 'GET',
        path: collection,
        query: { ...query, ...position },
        repeat: 'freely',
        read: (body) => readPage(body, readFlag),
      })),
    getFlag: (id) =>
      send({
        operation: 'getFlag',
        method: 'GET',
        path: item(id),
        repeat: 'freely',
        read: (body) => readFlagOf(body, { id }),
      }),
    createFlag: (body) =>
      send({
        operation: 'createFlag',
        method: 'POST',
        path: collection,
        body,
        repeat: 'unless_sent',
        read: (answer) => readFlagOf(answer, { key: body['key'] }),
      }),
    updateFlag: (id, body) =>
      send({
        operation: 'updateFlag',
        method: 'PATCH',
        path: item(id),
        body,
        repeat: 'unless_sent',
        // A flag that is restored may get another key (docs/service.md, "Delete").
        read: (answer) => readFlagOf(answer, { id, ...(body['deleted'] === false ? {} : { key: body['key'] }) }),
      }),
    disableFlag: (id) =>
      send({
        operation: 'disableFlag',
        method: 'POST',
        path: `${item(id)}disable/`,
        repeat: 'unless_sent',
        read: (answer) => readFlagOf(answer, { id }),
      }),
    deleteFlag: (id) =>
      send({
        operation: 'deleteFlag',
        method: 'DELETE',
        path: item(id),
        repeat: 'unless_sent',
        // No known service deletes; an answer of success must not pass for a refusal.
        read: () => {
          throw new UnexpectedShape([], 'a refusal');
        },
      }),
  };
}

/** Reads the flag from an answer, which must be the one that was requested or written. */
function readFlagOf(
  body: JsonValue | undefined,
  wanted: { readonly id?: number; readonly key?: JsonValue | undefined },
): Flag {
  const flag = readFlag(body);
  if (wanted.id !== undefined && flag.id !== wanted.id) throw new UnexpectedShape(['id'], String(wanted.id));
  if (typeof wanted.key === 'string' && flag.key !== wanted.key) throw new UnexpectedShape(['key'], `'${wanted.key}'`);
  return flag;
}

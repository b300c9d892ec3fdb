/** The operations on cohorts: list, read, create, update, which also deletes, and their activity. */

import type { JsonPath } from '../../base/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { readListing } from '../client/listing.ts';
import type { Operations } from '../client/request-spec.ts';
import { readActivity, type ActivityPage, type ActivityQuery } from '../client/operations/flag-insight.ts';
import { readInteger, readObject, UnexpectedShape } from '../client/shape.ts';
import type { Cohort } from './cohort.ts';

export interface CohortOperations {
  /** Every cohort of the project that is not deleted, newest first. The key needs the scope `cohort:read`. */
  listCohorts(): Promise<readonly Cohort[]>;
  /** One cohort by id, even when it is soft-deleted. Throws `not_found`. */
  getCohort(id: number): Promise<Cohort>;
  /**
   * Creates a cohort; the service then calculates it. Names need not be unique. Never repeated when the service may have
   * executed it: list the cohorts when `mayHaveHappened` is set.
   */
  createCohort(body: JsonObject): Promise<Cohort>;
  /**
   * Changes the fields in `body` (PATCH) and returns the whole cohort, without a lock. `{ deleted: true }` deletes it, which
   * services since 2025 refuse (`validation`) while active flags use it. Not repeated when the service may have executed it.
   */
  updateCohort(id: number, body: JsonObject): Promise<Cohort>;
  /** One page of what happened to a cohort, newest first; since 2024, with the scope `activity_log:read`. Throws `not_found`. */
  cohortActivity(id: number, query?: ActivityQuery): Promise<ActivityPage>;
  /** One page of what happened to all cohorts of the project, newest first. */
  projectCohortActivity(query?: ActivityQuery): Promise<ActivityPage>;
}

/** Cohorts asked for per request. */
const COHORTS_PER_PAGE = 100;

export function cohortOperations({ send, projectPath, concurrency, callee }: Operations): CohortOperations {
  const collection = `${projectPath}/cohorts/`;
  const item = (id: number): string => `${collection}${id}/`;
  return {
    listCohorts: () =>
      readListing(send, {
        operation: 'listCohorts',
        path: collection,
        first: { limit: COHORTS_PER_PAGE },
        concurrency,
        callee,
        readEntry: readCohort,
      }),
    getCohort: (id) =>
      send({
        operation: 'getCohort',
        method: 'GET',
        path: item(id),
        repeat: 'freely',
        read: (body) => readCohortOf(body, id),
      }),
    createCohort: (body) =>
      send({
        operation: 'createCohort',
        method: 'POST',
        path: collection,
        body,
        repeat: 'unless_sent',
        read: (answer) => readCohort(answer),
      }),
    updateCohort: (id, body) =>
      send({
        operation: 'updateCohort',
        method: 'PATCH',
        path: item(id),
        body,
        repeat: 'unless_sent',
        read: (answer) => readCohortOf(answer, id),
      }),
    ...activityOperations(send, { collection, item }),
  };
}

function activityOperations(
  send: Operations['send'],
  { collection, item }: { readonly collection: string; readonly item: (id: number) => string },
): Pick<CohortOperations, 'cohortActivity' | 'projectCohortActivity'> {
  const get = (operation: string, of: string, query?: ActivityQuery): Promise<ActivityPage> =>
    send({
      operation,
      method: 'GET',
      path: `${of}activity/`,
      repeat: 'freely',
      query: { ...query },
      read: readActivity,
    });
  return {
    cohortActivity: (id, query) => get('cohortActivity', item(id), query),
    projectCohortActivity: (query) => get('projectCohortActivity', collection, query),
  };
}

/** Reads the cohort that was requested or written; an answer that holds another cohort has an unexpected shape. */
function readCohortOf(body: JsonValue | undefined, id: number): Cohort {
  const cohort = readCohort(body);
  if (cohort.id !== id) throw new UnexpectedShape(['id'], String(id));
  return cohort;
}

function readCohort(value: JsonValue | undefined, path: JsonPath = []): Cohort {
  const cohort = readObject(value, path);
  return { ...cohort, id: readInteger(cohort['id'], [...path, 'id']) };
}

/** The operations on cohorts: list, read, create, update, which also deletes, and their activity. */

import type { JsonPath } from '../../base/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { collectionCalls } from '../client/listing.ts';
import type { Operations } from '../client/request-spec.ts';
import { readActivity, type ActivityPage, type ActivityQuery } from '../client/operations/flag-insight.ts';
import { readInteger, readObject } from '../client/shape.ts';
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

export function cohortOperations(operations: Operations): CohortOperations {
  const path = `${operations.projectPath}/cohorts/`;
  const { pathOf, ...calls } = collectionCalls(operations, { path, noun: 'Cohort', readEntry: readCohort });
  const readLog = async (operation: string, of: string, query?: ActivityQuery): Promise<ActivityPage> =>
    operations.send({
      operation,
      method: 'GET',
      path: `${of}activity/`,
      repeat: 'freely',
      query: { ...query },
      read: readActivity,
    });
  return {
    listCohorts: calls.list,
    getCohort: calls.get,
    createCohort: calls.create,
    updateCohort: calls.update,
    cohortActivity: async (id, query) => readLog('cohortActivity', pathOf(id), query),
    projectCohortActivity: async (query) => readLog('projectCohortActivity', path, query),
  };
}

function readCohort(value: JsonValue | undefined, path: JsonPath): Cohort {
  const cohort = readObject(value, path);
  return { ...cohort, id: readInteger(cohort['id'], [...path, 'id']) };
}

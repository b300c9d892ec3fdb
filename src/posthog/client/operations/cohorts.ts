/** The operation on cohorts: their list, which gives the names of the ids in conditions. */

import type { JsonPath } from '../../../base/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { readListing } from '../listing.ts';
import type { Operations } from '../request-spec.ts';
import { readInteger, readObject } from '../shape.ts';

/** A set of persons that conditions name by id (docs/service.md, "Cohorts"). */
export interface Cohort extends JsonObject {
  readonly id: number;
  readonly name?: string | null;
  /** A list of persons, rather than conditions on them. */
  readonly is_static?: boolean;
  /** Persons, as of the last calculation. */
  readonly count?: number | null;
}

export interface CohortOperations {
  /** Every cohort of the project that is not deleted, newest first. The key needs the scope `cohort:read`. */
  listCohorts(): Promise<readonly Cohort[]>;
}

const COHORTS_PER_PAGE = 100;

export function cohortOperations({ send, projectPath, concurrency, callee }: Operations): CohortOperations {
  return {
    listCohorts: () =>
      readListing(send, {
        operation: 'listCohorts',
        path: `${projectPath}/cohorts/`,
        first: { limit: COHORTS_PER_PAGE },
        concurrency,
        callee,
        readEntry: readCohort,
      }),
  };
}

function readCohort(value: JsonValue, path: JsonPath): Cohort {
  const cohort = readObject(value, path);
  return { ...cohort, id: readInteger(cohort['id'], [...path, 'id']) };
}

/** One cohort by id, where its absence is no error. */

import type { Cohort } from './cohort.ts';
import type { ServiceClient } from '../client/client.ts';
import { ServiceError } from '../client/errors.ts';

/** The cohort, even when it is soft-deleted; `undefined` where the project has none with the id. */
export async function findCohort(client: ServiceClient, id: number): Promise<Cohort | undefined> {
  try {
    return await client.getCohort(id);
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'not_found') return undefined;
    throw error;
  }
}

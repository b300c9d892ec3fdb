/** Reads the cohorts of a project, where a run needs them. */

import { pages, type Round } from '../../engine/forecast.ts';
import type { Cohort } from '../cohort/cohort.ts';
import type { WantedState } from '../wanted.ts';
import type { ServiceClient } from './client.ts';
import { findCohort } from './find-cohort.ts';

/** Every listed cohort, and those with wanted ids that the list leaves out. `undefined` where none is wanted. */
export async function readCohorts(
  client: ServiceClient,
  { cohorts, cohortIds = [] }: WantedState,
): Promise<readonly Cohort[] | undefined> {
  if (cohorts !== true) return undefined;
  const listed = await client.listCohorts();
  const known = new Set(listed.map(({ id }) => id));
  const unlisted = [...new Set(cohortIds)].filter((id) => !known.has(id));
  const found = await Promise.all(unlisted.map((id) => findCohort(client, id)));
  return [...listed, ...found.filter((cohort) => cohort !== undefined)];
}

/** The requests of `readCohorts` in rounds, where one page lists all cohorts and no wanted one is deleted. */
export function predictCohorts({ cohorts }: WantedState): readonly Round[] {
  return [pages(cohorts === true ? 1 : 0)];
}

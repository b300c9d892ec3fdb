/** Reads the scheduled changes of declared flags. They only inform, so a service or a key without them fails nothing. */

import type { DesiredFlag } from '../desired.ts';
import type { Flag } from '../flag/flag.ts';
import type { ScheduledChange } from '../flag/schedules.ts';
import { wireOfAll } from '../role-access/access.ts';
import type { ServiceClient } from './client.ts';
import { ServiceError } from './errors.ts';

/** Nothing is requested where no declared flag is live, or of a service of 2023, which has no scheduled changes. */
export async function readSchedules(
  client: ServiceClient,
  flags: readonly Flag[],
  declared: readonly DesiredFlag[],
): Promise<readonly ScheduledChange[]> {
  const live = new Set(flags.map(({ key }) => key));
  if (wireOfAll(flags) !== 'levels' || !declared.some(({ key }) => live.has(key))) return [];
  try {
    return await client.listScheduledChanges();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
    return [];
  }
}

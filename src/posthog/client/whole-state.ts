/** Reads everything of a project that a plan may need, whatever the manifests declare by then: for a snapshot. */

import { defined } from '../../base/optional.ts';
import type { Cohort } from '../cohort/cohort.ts';
import type { LiveState } from '../live.ts';
import { findRoleIds } from '../role-access/organization.ts';
import type { WantedState } from '../wanted.ts';
import type { ServiceClient } from './client.ts';
import { ServiceError } from './errors.ts';
import { readLiveState, type ReadingOptions } from './live-state.ts';

export interface WholeState {
  readonly live: LiveState;
  /** Role ids by name; none where the key may not read them. */
  readonly roles: Readonly<Record<string, string>>;
}

/**
 * What `readLiveState` reads for the manifests of now, and further archived flags, cohorts, roles and what the organisation says
 * about access. Cohorts that no manifest declares are absent where the key may not read them.
 */
export async function readWholeState(
  client: ServiceClient,
  wanted: WantedState,
  options: Pick<ReadingOptions, 'findRecorded'>,
): Promise<WholeState> {
  const reading = readLiveState(client, { ...wanted, organization: true }, { ...options, schedules: true });
  const [live, roles, cohorts] = await Promise.all([
    reading,
    findRoleIds(client),
    wanted.cohorts === true ? undefined : readUndeclaredCohorts(client),
  ]);
  const flags = [...live.flags, ...(await readArchive(client, live))];
  return { live: { ...live, flags, ...defined({ cohorts: live.cohorts ?? cohorts }) }, roles };
}

async function readUndeclaredCohorts(client: ServiceClient): Promise<readonly Cohort[] | undefined> {
  try {
    return await client.listCohorts();
  } catch (error) {
    if (error instanceof ServiceError && ['forbidden', 'not_found'].includes(error.failure.kind)) return undefined;
    throw error;
  }
}

/** Archived flags that no wanted key names. Services until 2025 have no archive. */
async function readArchive(client: ServiceClient, { flags }: LiveState): Promise<LiveState['flags']> {
  if (flags.length > 0 && !flags.some((flag) => Object.hasOwn(flag, 'archived'))) return [];
  const known = new Set(flags.map(({ id }) => id));
  return (await client.listFlags({ archived: true })).filter(({ id }) => !known.has(id));
}

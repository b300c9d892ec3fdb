/** Reads everything of a project that a plan may need, whatever the manifests declare by then: for a snapshot. */

import type { OwnFamily } from '../families.ts';
import type { FurtherFamily } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import { findRoleIds } from '../role-access/organization.ts';
import type { WantedState } from '../wanted.ts';
import type { ServiceClient } from './client.ts';
import { ServiceError } from './errors.ts';
import { readLiveState, type ReadingOptions } from './live-state.ts';
import { FURTHER } from './read-families.ts';

export interface WholeState {
  readonly live: LiveState;
  /** Role ids by name; none if the key may not read them. */
  readonly roles: Readonly<Record<string, string>>;
}

/**
 * Reads what `readLiveState` reads for the current manifests, and further archived flags, the other families, roles and the organization's
 * access. A family of which no manifest declares a resource is absent if the key may not read it.
 */
export async function readWholeState(
  client: ServiceClient,
  wanted: WantedState,
  options: Pick<ReadingOptions, 'findRecorded'>,
): Promise<WholeState> {
  // Later manifests may declare another access: everything that the service says of each flag counts.
  const { expected: _, ...ofFlags } = wanted.roleAccess ?? {};
  const access = { ...ofFlags, organization: true };
  const reading = readLiveState(client, { ...wanted, roleAccess: access }, { ...options, schedules: true });
  const [live, roles, ...undeclared] = await Promise.all([
    reading,
    findRoleIds(client),
    ...FURTHER.map(async (family) => (wanted[family.section] === undefined ? readUndeclared(client, family) : {})),
  ]);
  const flags = [...live.flags, ...(await readArchive(client, live))];
  return { live: Object.assign({ ...live, flags }, ...undeclared) as LiveState, roles };
}

async function readUndeclared(client: ServiceClient, family: OwnFamily): Promise<Pick<LiveState, FurtherFamily>> {
  try {
    return { [family.section]: await family.list(client) };
  } catch (error) {
    if (error instanceof ServiceError && ['forbidden', 'not_found'].includes(error.failure.kind)) return {};
    throw error;
  }
}

/** Archived flags that no wanted key names. Services until 2025 have no archive. */
async function readArchive(client: ServiceClient, { flags }: LiveState): Promise<LiveState['flags']> {
  if (flags.length > 0 && !flags.some((flag) => Object.hasOwn(flag, 'archived'))) return [];
  const known = new Set(flags.map(({ id }) => id));
  return (await client.listFlags({ archived: true })).filter(({ id }) => !known.has(id));
}

/** Reads role access: one list for each flag whose role access is wanted. */

import type { ServiceClient } from '../client/client.ts';
import { ServiceError } from '../client/errors.ts';
import type { Flag } from '../flag/flag.ts';
import type { RoleAccessEntry } from './entry.ts';
import type { LiveState } from '../live.ts';
import type { WantedState } from '../wanted-state.ts';

type Wanted = Pick<WantedState, 'roleAccessOf' | 'roleAccessOfIds'>;

export async function readRoleAccess(
  client: ServiceClient,
  flags: readonly Flag[],
  wanted: Wanted,
): Promise<LiveState['roleAccess']> {
  const entries = await Promise.all(
    selectFlags(flags, wanted).map(async (flag) => [String(flag.id), await readEntries(client, flag)] as const),
  );
  return Object.fromEntries(entries);
}

/** The requests of `readRoleAccess`. */
export function countRoleReads(flags: readonly Flag[], wanted: Wanted): number {
  return selectFlags(flags, wanted).length;
}

function selectFlags(flags: readonly Flag[], { roleAccessOf, roleAccessOfIds }: Wanted): readonly Flag[] {
  const keys = new Set(roleAccessOf);
  const ids = new Set(roleAccessOfIds);
  return flags.filter(({ key, id }) => keys.has(key) || ids.has(id));
}

async function readEntries(client: ServiceClient, { id, key }: Flag): Promise<readonly RoleAccessEntry[]> {
  try {
    return await client.listRoleAccess(id);
  } catch (error) {
    throw error instanceof ServiceError ? error.about(key) : error;
  }
}

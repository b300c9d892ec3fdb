/** Reads role access back after it was written: which roles still differ, and how many requests that takes. */

import { singles, type Round } from '../../engine/forecast.ts';
import type { RoleChange } from '../plan.ts';
import { remainderOf, type Remainder } from '../../engine/remainder.ts';
import type { ReadBack } from '../../engine/writer.ts';
import type { ServiceClient } from '../client/client.ts';
import type { RunState } from '../run-state.ts';
import { findFlagId } from './flag-id.ts';

export async function readBackRoles(
  changes: readonly RoleChange[],
  { client, state }: ReadBack<RunState, ServiceClient>,
): Promise<readonly Remainder[]> {
  const ids = new Set(changes.flatMap((change) => findFlagId(change, state) ?? []));
  const rolesById = new Map(await Promise.all([...ids].map((id) => readRoles(id, client))));
  return changes.flatMap((change) => {
    const has = rolesById.get(findFlagId(change, state) ?? Number.NaN)?.has(change.role.id) ?? false;
    if (has === (change.action === 'grant')) return [];
    const path = `/role_access/${change.role.id}`;
    return [remainderOf(change, has ? { path, before: true } : { path, after: true })];
  });
}

/** The requests of `readBackRoles` in rounds: one for each flag. */
export function countRoleReads(changes: readonly RoleChange[]): readonly Round[] {
  return [singles(new Set(changes.map(({ key }) => key)).size)];
}

async function readRoles(flagId: number, client: ServiceClient): Promise<readonly [number, ReadonlySet<string>]> {
  const entries = await client.listRoleAccess(flagId);
  return [flagId, new Set(entries.map((entry) => entry.role.id))];
}

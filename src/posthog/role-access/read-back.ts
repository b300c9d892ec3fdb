/** Reads role access back after it was written: which levels still differ, and how many requests that takes. */

import { singles, type RequestRound } from '../../engine/forecast.ts';
import type { RoleChange } from '../plan.ts';
import { defined } from '../../base/optional.ts';
import { remainderOf, type Remainder } from '../../engine/remainder.ts';
import type { ReadBack } from '../../engine/writer.ts';
import type { ServiceClient } from '../client/client.ts';
import type { RunState } from '../run-state.ts';
import { heldAccess, type HeldAccess } from './access.ts';
import { levelAfter, subjectOf } from './change.ts';
import { findFlagId, findWire } from './flag-id.ts';
import { levelOf } from './level-of.ts';
import { readEitherWire } from './read.ts';

export async function readBackRoles(
  changes: readonly RoleChange[],
  { client, state }: ReadBack<RunState, ServiceClient>,
): Promise<readonly Remainder[]> {
  const wires = new Map(
    changes.flatMap((change) => {
      const found = findWire(change, state);
      return found === undefined ? [] : [[found.flagId, found.wire] as const];
    }),
  );
  const read = [...wires].map(async ([id, wire]) => [id, await readEitherWire(client, id, wire)] as const);
  const heldById = new Map((await Promise.all(read)).map(([id, access]) => [id, heldAccess(access, undefined)]));
  return changes.flatMap((change) => findRemainder(change, heldById.get(findFlagId(change, state) ?? Number.NaN)));
}

/** The requests of `readBackRoles` in rounds: one for each flag. */
export function countRoleReads(changes: readonly RoleChange[]): readonly RequestRound[] {
  return [singles(new Set(changes.map(({ key }) => key)).size)];
}

function findRemainder(change: RoleChange, held: HeldAccess | undefined): Remainder[] {
  const [wanted, found] = [levelAfter(change), held === undefined ? null : levelOf(change, held)];
  if (wanted === found) return [];
  if (held?.wire === 'levels' || change.base.levels !== undefined) {
    const path = `/access/${subjectOf(change)}`;
    return [remainderOf(change, { path, ...defined({ before: found ?? undefined, after: wanted ?? undefined }) })];
  }
  const path = `/role_access/${subjectOf(change)}`;
  return [remainderOf(change, found === null ? { path, after: true } : { path, before: true })];
}

/** The flag that a change of role access is about: its id, and how its service holds access. */

import type { RoleChange } from '../plan.ts';
import type { RunState } from '../run-state.ts';
import { wireOf, type Wire } from './access.ts';

/** The plan does not know the id of a flag that it creates. */
export function findFlagId({ id, key }: RoleChange, { idOf }: Pick<RunState, 'idOf'>): number | undefined {
  return id ?? idOf(key);
}

interface FoundWire {
  readonly flagId: number;
  readonly wire: Wire;
}

/** The plan saw it, or the answer to the flag's creation shows it. */
export function findWire(change: RoleChange, state: Pick<RunState, 'idOf' | 'findFlag'>): FoundWire | undefined {
  const flagId = findFlagId(change, state);
  if (flagId === undefined) return undefined;
  if (change.base.levels !== undefined) return { flagId, wire: 'levels' };
  const created = change.id === undefined ? state.findFlag(flagId) : undefined;
  return { flagId, wire: created === undefined ? 'entries' : wireOf(created) };
}

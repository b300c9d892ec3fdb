/** The flag that a change of role access is about: its id, and how its service holds access. */

import type { RoleChange } from '../plan.ts';
import type { RunState } from '../run-state.ts';
import { answeredWire, wireOf, wireOfAll, type Wire } from './access.ts';

/** The plan does not know the id of a flag that it creates. */
export function findFlagId({ id, key }: RoleChange, { flags }: Pick<RunState, 'flags'>): number | undefined {
  return id ?? flags.idOf(key);
}

interface FoundWire {
  readonly flagId: number;
  readonly wire: Wire;
  /** Whether only the members of the flag suggest the wire: for a while, services had those of today and the paths of 2023. */
  readonly isGuess: boolean;
}

/** The service answered it, the plan saw it, or the answer to the flag's creation suggests it. */
export function findWire(change: RoleChange, state: Pick<RunState, 'flags' | 'roleAccess'>): FoundWire | undefined {
  const flagId = findFlagId(change, state);
  if (flagId === undefined) return undefined;
  const isNew = change.id === undefined;
  const { roleAccess } = state;
  const answered = answeredWire(roleAccess[String(flagId)]) ?? (isNew ? wireOfAll([], roleAccess) : undefined);
  if (answered !== undefined) return { flagId, wire: answered, isGuess: false };
  if (change.base.levels !== undefined) return { flagId, wire: 'levels', isGuess: isNew };
  const created = isNew ? state.flags.find(flagId) : undefined;
  return { flagId, wire: created === undefined ? 'entries' : wireOf(created), isGuess: isNew };
}

/** The id of the flag that a change of role access is about. */

import type { RoleChange } from '../plan.ts';
import type { RunState } from '../run-state.ts';

/** The plan does not know the id of a flag that it creates. */
export function findFlagId({ id, key }: RoleChange, { idOf }: RunState): number | undefined {
  return id ?? idOf(key);
}

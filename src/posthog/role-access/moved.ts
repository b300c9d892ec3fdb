/** What changed in a flag's role access since the plan saw it. */

import { diff } from '../../engine/diff.ts';
import type { FieldChange, RoleChange } from '../plan.ts';
import type { LiveIndex } from '../run-state.ts';

/** Empty when nothing changed. The list is absent where it was not read, as for a flag that was deleted. */
export function findMovedRoles(change: RoleChange, live: LiveIndex): readonly FieldChange[] {
  if (change.id === undefined) return [];
  const entries = live.roleAccess[String(change.id)];
  if (entries === undefined) return [{ path: '', before: change.key }];
  const ofOthers = (role: string): boolean => !live.expectedToMove.has(`role_access:${change.key}:${role}`);
  const roles = [...new Set(entries.map((entry) => entry.role.id))].sort();
  return diff(change.base.roles.filter(ofOthers), roles.filter(ofOthers), ['role_access']);
}

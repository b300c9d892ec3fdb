/** What changed in a flag's role access since the plan saw it. */

import { diff } from '../../engine/diff.ts';
import type { FieldChange, RoleChange } from '../plan.ts';
import type { RunState } from '../run-state.ts';

/** Empty when nothing changed. The list is absent where it was not read, as for a flag that was deleted. */
export function findMovedRoles(
  change: RoleChange,
  { roleAccess, isExpected }: Pick<RunState, 'roleAccess' | 'isExpected'>,
): readonly FieldChange[] {
  if (change.id === undefined) return [];
  const entries = roleAccess[String(change.id)];
  if (entries === undefined) return [{ path: '', before: change.key }];
  const ofOthers = (role: string): boolean => !isExpected(`role_access:${change.key}:${role}`);
  const roles = [...new Set(entries.map((entry) => entry.role.id))].sort();
  return diff(change.base.roles.filter(ofOthers), roles.filter(ofOthers), ['role_access']);
}

/** Reverts a grant or a revoke, or says why not. */

import type { FieldChange } from '../../engine/change.ts';
import type { RefusedInversion } from '../../engine/invert-plan.ts';
import type { Applied } from '../../engine/kind.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { RoleChange } from './change.ts';

/** The opposite of an applied grant or revoke, made against what is live now. */
export function invertRoleChange(
  { change, id: entryId }: Applied<RoleChange>,
  { flags, roleAccess }: ProjectSnapshot,
): RoleChange | RefusedInversion {
  const flag = flags.all.find(({ id, key }) => (change.id === undefined ? key === change.key : id === change.id));
  const entries = flag === undefined ? undefined : roleAccess[String(flag.id)];
  if (flag === undefined || entries === undefined)
    return { ref: change.ref, key: change.key, refusal: 'gone', moved: [] };
  const entry = entries.find(({ role }) => role.id === change.role.id);
  const common = {
    ref: change.ref,
    resource: 'role_access' as const,
    key: flag.key,
    id: flag.id,
    role: change.role,
    base: { roles: entries.map(({ role }) => role.id).sort() },
    needs: [],
  };
  if (change.action === 'grant' && entry !== undefined && (entryId === undefined || entry.id === entryId)) {
    return { action: 'revoke', entry_id: entry.id, ...common };
  }
  if (change.action === 'revoke' && entry === undefined) return { action: 'grant', ...common };
  return { ref: change.ref, key: change.key, refusal: 'moved', moved: movedRole(change, entry !== undefined) };
}

function movedRole({ role }: RoleChange, granted: boolean): FieldChange[] {
  const path = `/role_access/${role.id}`;
  return [granted ? { path, after: role.name ?? role.id } : { path, before: role.name ?? role.id }];
}

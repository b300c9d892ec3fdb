/** Grants and revokes that make a flag's role access match its declaration. */

import { comparing } from '../../base/compare-strings.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { DeclaredFlag, DesiredRole } from '../desired.ts';
import type { Flag } from '../flag/flag.ts';
import type { RoleAccessEntry } from './entry.ts';
import type { LiveState } from '../live.ts';
import type { GrantRole, RevokeRole, RoleChange } from '../plan.ts';

/** Sorted by role id, grants before revokes. Revokes wait for grants by their `needs` (`needs.ts`). */
export function changeRoleAccess(
  desired: DeclaredFlag,
  flag: Flag | undefined,
  { roleAccess }: Pick<LiveState, 'roleAccess'>,
): readonly RoleChange[] {
  if (desired.roleAccess === undefined) return [];
  const entries = flag === undefined ? [] : liveEntries(flag, roleAccess);
  const wanted = new Set(desired.roleAccess.map((role) => role.id));
  const granted = new Set(entries.map((entry) => entry.role.id));
  const base = { roles: [...granted].sort() };
  const grants = desired.roleAccess
    .filter((role) => !granted.has(role.id))
    .map((role): GrantRole => ({ ...grant(desired.key, role), ...(flag === undefined ? {} : { id: flag.id }), base }));
  const revokes =
    flag === undefined
      ? []
      : entries
          .filter((entry) => !wanted.has(entry.role.id))
          .map((entry): RevokeRole => ({ ...revoke(desired, entry), id: flag.id, base }));
  return [...grants, ...revokes];
}

/** A list that was not read does not count as empty: it is an error of the caller. */
function liveEntries(flag: Flag, roleAccess: LiveState['roleAccess']): readonly RoleAccessEntry[] {
  const entries = roleAccess[String(flag.id)];
  if (entries === undefined) throw new FlagwrightError('internal', `The role access of flag ${flag.key} was not read.`);
  return entries.toSorted(comparing(({ role }) => role.id));
}

function grant(key: string, role: DesiredRole): Omit<GrantRole, 'base' | 'id'> {
  return {
    action: 'grant',
    ref: `role_access:${key}:${role.id}`,
    resource: 'role_access',
    key,
    role: { id: role.id, ...defined({ name: role.name }) },
    needs: [],
    source: role.place,
  };
}

function revoke(desired: DeclaredFlag, entry: RoleAccessEntry): Omit<RevokeRole, 'base' | 'id'> {
  return {
    action: 'revoke',
    ref: `role_access:${desired.key}:${entry.role.id}`,
    resource: 'role_access',
    key: desired.key,
    role: { id: entry.role.id, name: entry.role.name },
    entry_id: entry.id,
    needs: [],
    source: desired.places.children?.['role_access']?.place ?? desired.places.place,
  };
}

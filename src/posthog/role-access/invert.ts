/** Reverts a grant, an adjustment or a revoke, or says why not. */

import type { FieldChange } from '../../engine/change.ts';
import type { Applied, RefusedInversion } from '../../engine/kind.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import { EDITOR, heldAccess, type HeldAccess } from './access.ts';
import { EVERYONE, levelAfter, subjectOf, type RevokeRole, type RoleChange } from './change.ts';
import { baseOf } from './find-changes.ts';

/** The opposite of an applied change, made against what is live now. */
export function invertRoleChange(
  { change, id: answered }: Applied<RoleChange>,
  { flags, roleAccess, organization }: ProjectSnapshot,
): RoleChange | RefusedInversion {
  const flag = flags.all.find(({ id, key }) => (change.id === undefined ? key === change.key : id === change.id));
  const access = flag === undefined ? undefined : roleAccess[String(flag.id)];
  const held = access === undefined ? undefined : heldAccess(access, organization);
  if (flag === undefined || held === undefined) return refuse(change, 'gone');
  // A deleted flag took its role access along.
  if (change.action === 'grant' && flag.deleted === true) return refuse(change, 'gone');
  const now = findNow(change, held);
  const isEntry = change.action === 'grant' && change.base.levels === undefined && now.entryId !== undefined;
  const isOther = isEntry && (answered ?? now.entryId) !== now.entryId;
  if (now.level !== levelAfter(change) || isOther) return refuse(change, 'moved', now.level);
  const common = {
    ref: change.ref,
    resource: 'role_access' as const,
    key: flag.key,
    id: flag.id,
    base: baseOf(held),
    needs: [],
  };
  switch (change.action) {
    case 'grant':
      return { action: 'revoke', role: change.role, ...revoked(now), ...common } as RevokeRole;
    case 'revoke':
      return { action: 'grant', role: change.role, ...('level' in change ? { level: change.level } : {}), ...common };
    case 'adjust':
      return {
        action: 'adjust',
        ...defined({ role: change.role }),
        before: change.level,
        level: change.before,
        ...common,
      };
  }
}

interface LiveLevel {
  readonly level: string | null;
  readonly entryId?: number;
}

function findNow(change: RoleChange, held: HeldAccess): LiveLevel {
  const subject = subjectOf(change);
  if (subject === EVERYONE) return { level: held.everyone };
  return held.roles.find(({ role }) => role.id === subject) ?? { level: null };
}

function revoked({ level, entryId }: LiveLevel): { readonly entry_id: number } | { readonly level: string } {
  return entryId === undefined ? { level: level ?? EDITOR } : { entry_id: entryId };
}

function refuse(change: RoleChange, refusal: 'gone' | 'moved', level?: string | null): RefusedInversion {
  const { ref, key } = change;
  return { ref, key, refusal, moved: refusal === 'gone' ? [] : moved(change, level ?? null) };
}

/** The difference between what the run wrote and what is live. */
function moved(change: RoleChange, level: string | null): FieldChange[] {
  if (change.action === 'adjust' || change.base.levels !== undefined) {
    const path = `/access/${subjectOf(change)}`;
    return [{ path, ...defined({ before: levelAfter(change) ?? undefined, after: level ?? undefined }) }];
  }
  const { role } = change;
  const path = `/role_access/${role.id}`;
  const name = role.name ?? role.id;
  return [level === null ? { path, before: name } : { path, after: name }];
}

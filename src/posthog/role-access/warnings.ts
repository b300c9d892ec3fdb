/** What a reader of a plan should know about the access to a flag that manifests manage. */

import { defined } from '../../base/optional.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { Flag } from '../flag/flag.ts';
import { isRefused } from './access.ts';
import { EVERYONE, type AccessWarning, type RoleChange } from './change.ts';
import { changeRoleAccess, heldOf, isManaged, type SeenAccess } from './changes.ts';

export function warnOfAccess(desired: DeclaredFlag, flag: Flag | undefined, seen: SeenAccess): AccessWarning[] {
  if (!isManaged(desired)) return [];
  const { key } = desired;
  const unpaid: AccessWarning[] = isUnpaid(desired, flag, seen) ? [{ code: 'access_unpaid', key }] : [];
  if (flag === undefined) return unpaid;
  const access = seen.roleAccess[String(flag.id)];
  if (access !== undefined && isRefused(access)) {
    if (access.unread === true) return [{ code: 'access_unread', key }];
    return [{ code: 'access_refused', key, ...defined({ detail: access.refused ?? undefined }) }];
  }
  const held = heldOf(flag, seen);
  const members = held?.members.length ?? 0;
  const isFixed = held?.mayChange === false && changeRoleAccess(desired, defined({ live: flag }), seen).length > 0;
  return [
    ...unpaid,
    ...(isFixed ? [{ code: 'access_fixed', key } as const] : []),
    ...(members > 0 ? [{ code: 'access_of_members', key, members } as const] : []),
  ];
}

/** `locked`: differences of one flag in rules that only Terraform may change, beside those that others decide. */
export function warnOfLocked(locked: readonly RoleChange[]): AccessWarning[] {
  const [first] = locked;
  if (first === undefined) return [];
  const subjects = locked.map(
    (change) => ('role' in change ? (change.role?.name ?? change.role?.id) : undefined) ?? EVERYONE,
  );
  return [{ code: 'access_locked', key: first.key, subjects, setting: 'lock_terraform_managed_rules' }];
}

function isUnpaid({ roleAccess }: DeclaredFlag, flag: Flag | undefined, seen: SeenAccess): boolean {
  if (seen.organization?.lacksRoleAccess !== true || roleAccess === undefined) return false;
  return flag === undefined ? roleAccess.length > 0 : heldOf(flag, seen)?.wire !== 'entries';
}

/** The level that the subject of a change has. */

import type { HeldAccess } from './access.ts';
import { EVERYONE, subjectOf, type RoleChange } from './change.ts';

/** Null where it has none of its own. */
export function levelOf(change: RoleChange, held: HeldAccess): string | null {
  const subject = subjectOf(change);
  if (subject === EVERYONE) return held.everyone;
  return held.roles.find(({ role }) => role.id === subject)?.level ?? null;
}

/** Whether only Terraform may change the rule. */
export function isLocked(change: RoleChange, { locked }: HeldAccess): boolean {
  const subject = subjectOf(change);
  return locked.has(subject === EVERYONE ? null : subject);
}

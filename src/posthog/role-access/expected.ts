/** Whether access is exactly as declared, so that nothing of it will change. */

import type { ExpectedAccess } from '../wanted.ts';
import type { ListedAccess } from './access.ts';

/** `lacksRoleAccess`: the organization has not paid for levels of roles, so that plans leave them out. */
export function isAsExpected(
  { roles, everyone }: ExpectedAccess,
  held: ListedAccess,
  lacksRoleAccess: boolean,
): boolean {
  if (everyone !== undefined && everyone !== held.everyone) return false;
  if (roles === undefined || lacksRoleAccess) return true;
  const levels = new Map(roles.map(({ id, level }) => [id, level]));
  return levels.size === held.roles.length && held.roles.every(({ role, level }) => levels.get(role.id) === level);
}

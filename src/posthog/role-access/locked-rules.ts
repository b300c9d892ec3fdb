/** Marks the access rules that only Terraform may change (docs/service.md, "Access rules"). */

import type { ServiceClient } from '../client/client.ts';
import type { LiveState } from '../live.ts';
import { isEntries, isListed, isRefused, type FlagAccess } from './access.ts';
import { isOutOfReach } from './organization.ts';
import type { AccessRule, AccessRules } from './rule.ts';

/** Asks for the project's setting only where a rule is managed by Terraform. */
export async function markLocked(
  client: ServiceClient,
  roleAccess: LiveState['roleAccess'],
): Promise<LiveState['roleAccess']> {
  const isManaged = Object.values(roleAccess).some(
    (access) => isRules(access) && access.access_controls.some(isOfTerraform),
  );
  if (!isManaged || !(await isLockOn(client))) return roleAccess;
  return Object.fromEntries(
    Object.entries(roleAccess).map(([id, access]) => [id, isRules(access) ? lockIn(access) : access]),
  );
}

/** A service that does not say so refuses the write itself. */
async function isLockOn(client: ServiceClient): Promise<boolean> {
  try {
    return (await client.getAccessSettings()).lock_terraform_managed_rules;
  } catch (error) {
    if (isOutOfReach(error)) return false;
    throw error;
  }
}

function lockIn(access: AccessRules): AccessRules {
  const rules = access.access_controls.map((rule) => (isOfTerraform(rule) ? { ...rule, locked: true as const } : rule));
  return { ...access, access_controls: rules };
}

function isRules(access: FlagAccess): access is AccessRules {
  return !isEntries(access) && !isListed(access) && !isRefused(access);
}

function isOfTerraform(rule: AccessRule): boolean {
  return rule['managed_by'] === 'terraform';
}

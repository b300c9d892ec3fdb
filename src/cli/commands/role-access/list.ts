/** Lists who has access to one flag as records, in the form that its service has. */

import type { JsonObject } from '../../../base/json.ts';
import type { ServiceClient } from '../../../posthog/client/client.ts';
import { ServiceError } from '../../../posthog/client/errors.ts';
import type { AccessRule } from '../../../posthog/role-access/rule.ts';
import { findRoleIds } from '../../../posthog/role-access/organization.ts';

/** A service of 2023 has no rules; the flag itself may be missing too, which the second request then reports. */
export async function listAccess(client: ServiceClient, flagId: number): Promise<readonly JsonObject[]> {
  try {
    const { access_controls: rules } = await client.getAccess(flagId);
    const hasRoles = rules.some(({ role }) => role !== null);
    const names = new Map(
      Object.entries(hasRoles ? await findRoleIds(client) : {}).map(([name, id]): [string, string] => [id, name]),
    );
    return rules.map((rule) => nameRule(rule, names));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.kind !== 'not_found') throw error;
    const entries = await client.listRoleAccess(flagId);
    return entries.map((entry) => ({ ...entry, subject: 'role', access_level: 'editor' }));
  }
}

function nameRule(rule: AccessRule, names: ReadonlyMap<string, string>): JsonObject {
  const { role: id, organization_member: member } = rule;
  const role = id === null ? null : { id, name: names.get(id) ?? id };
  return { ...rule, subject: subjectOf(rule), role, organization_member: member };
}

function subjectOf({ role, organization_member: member }: AccessRule): string {
  if (role !== null) return 'role';
  return member === null ? 'everyone' : `member ${member}`;
}

/** `flagwright role-access …`: the commands that read which roles may edit a flag. */

import type { JsonObject } from '../../../base/json.ts';
import type { ServiceClient } from '../../../posthog/service-client.ts';
import { ServiceError } from '../../../posthog/client/service-error.ts';
import { findRoleIds } from '../../../posthog/role-access/read.ts';
import type { AccessRule } from '../../../posthog/role-access/access.ts';
import { required, requiredWhole } from '../../line/parameters.ts';
import { command, type ResourceGroup } from '../../resources/command.ts';
import { flagId } from '../../resources/find-flag.ts';
import { limitOf, PAGING } from '../../resources/parameters.ts';

const FLAG = required('<flag>', 'key of the flag, or its id (digits only)');
const IN_MANIFEST = 'Write it to role_access or access in a manifest, then: flagwright plan, flagwright apply.';

export const ROLE_ACCESS_COMMANDS: ResourceGroup = {
  scope: 'feature_flag',
  elsewhere: { create: IN_MANIFEST, delete: IN_MANIFEST, grant: IN_MANIFEST, revoke: IN_MANIFEST, set: IN_MANIFEST },
  commands: [
    command({
      name: 'list',
      summary: 'list who has access to a flag',
      description:
        'On a service with levels, one line for each rule: of a role, of a member, or of everyone. On a service of 2023, the roles that may edit the flag.',
      examples: ['flagwright role-access list new-checkout'],
      operations: ['getAccess', 'listRoleAccess', 'getProject', 'listRoles'],
      columns: ['subject', 'access_level', 'role.name', 'role.id', 'id'],
      parameters: { flag: FLAG, ...PAGING },
      run: async (client, { flag, ...paging }) => ({
        kind: 'records',
        limit: limitOf(paging),
        records: await listAccess(client, await flagId(client, flag)),
      }),
    }),
    command({
      name: 'get',
      summary: 'show one entry of the list, on a service of 2023',
      examples: ['flagwright role-access get new-checkout 3'],
      operations: ['getRoleAccess'],
      parameters: { flag: FLAG, entry: requiredWhole('<entry>', 'id of the entry, from the list') },
      run: async (client, { flag, entry }) => ({
        kind: 'record',
        record: await client.getRoleAccess(await flagId(client, flag), entry),
      }),
    }),
  ],
};

/** A service of 2023 has no rules; the flag itself may be missing too, which the second request then reports. */
async function listAccess(client: ServiceClient, flagId: number): Promise<readonly JsonObject[]> {
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

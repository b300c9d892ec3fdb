/** `flagwright role-access …`: the commands that read which roles may edit a flag. */

import { command, type ResourceGroup } from '../../resources/command.ts';
import { flagId } from '../../resources/find-flag.ts';
import { limitOf, PAGING, required, requiredWhole } from '../../resources/parameters.ts';

const FLAG = required('<flag>', 'key of the flag, or its id (digits only)');
const IN_MANIFEST = 'Write the roles to role_access in a manifest, then: flagwright plan, flagwright apply.';

export const ROLE_ACCESS_COMMANDS: ResourceGroup = {
  scope: 'feature_flag',
  elsewhere: { create: IN_MANIFEST, delete: IN_MANIFEST, grant: IN_MANIFEST, revoke: IN_MANIFEST },
  commands: [
    command({
      name: 'list',
      summary: 'list the roles that may edit a flag',
      examples: ['flagwright role-access list new-checkout'],
      operations: ['listRoleAccess'],
      columns: ['id', 'role.name', 'role.id', 'added_at'],
      parameters: { flag: FLAG, ...PAGING },
      run: async (client, { flag, ...paging }) => ({
        kind: 'records',
        limit: limitOf(paging),
        records: await client.listRoleAccess(await flagId(client, flag)),
      }),
    }),
    command({
      name: 'get',
      summary: 'show one entry of the list',
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

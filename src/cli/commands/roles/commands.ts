/** `flagwright roles …`: the command that reads the roles of the organization. */

import { findOrganization } from '../../../posthog/role-access/read.ts';
import { command, type ResourceGroup } from '../../resources/command.ts';
import { limitOf, PAGING } from '../../resources/parameters.ts';

export const ROLE_COMMANDS: ResourceGroup = {
  scope: 'organization',
  elsewhere: {},
  commands: [
    command({
      name: 'list',
      summary: 'list the roles of the organization with their ids',
      description:
        'Give an id a name under `roles` of the project in flagwright.yaml; `export --role-access` does so by itself.',
      examples: ['flagwright roles list'],
      operations: ['getProject', 'listRoles'],
      columns: ['id', 'name'],
      parameters: { ...PAGING },
      run: async (client, paging) => ({
        kind: 'records',
        limit: limitOf(paging),
        records: await client.listRoles(await findOrganization(client)),
      }),
    }),
  ],
};

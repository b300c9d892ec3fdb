/** `flagwright early-access …`: the commands that read the early access features of a project. */

import { limitOf, PAGING, uuid } from '../../resources/parameters.ts';
import { command, type ResourceGroup } from '../../resources/command.ts';

export const EARLY_ACCESS_COMMANDS: ResourceGroup = {
  scope: 'early_access_feature',
  elsewhere: {},
  commands: [
    command({
      name: 'list',
      summary: 'list the early access features of the project with their stages and flags',
      examples: ['flagwright early-access list', 'flagwright early-access list --all -f csv'],
      operations: ['listEarlyAccessFeatures'],
      columns: ['id', 'name', 'stage', 'feature_flag.key'],
      parameters: { ...PAGING },
      run: async (client, paging) => ({
        kind: 'records',
        limit: limitOf(paging),
        records: await client.listEarlyAccessFeatures(),
      }),
    }),
    command({
      name: 'get',
      summary: 'show one early access feature',
      examples: ['flagwright early-access get 0191a000-0000-7000-8000-000000000001'],
      operations: ['getEarlyAccessFeature'],
      parameters: { id: uuid('<id>', 'UUID of the feature; `early-access list` shows it') },
      run: async (client, { id }) => ({ kind: 'record', record: await client.getEarlyAccessFeature(id) }),
    }),
  ],
};

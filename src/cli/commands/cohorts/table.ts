/** `flagwright cohorts …`: the command that reads the cohorts of a project. */

import { command, type ResourceGroup } from '../../resources/command.ts';
import { limitOf, PAGING } from '../../resources/parameters.ts';

export const COHORT_COMMANDS: ResourceGroup = {
  scope: 'cohort',
  elsewhere: {},
  commands: [
    command({
      name: 'list',
      summary: 'list the cohorts of the project with their ids',
      description: 'Give an id a name under `cohorts` of the project in flagwright.yaml; `export` does so by itself.',
      examples: ['flagwright cohorts list', 'flagwright cohorts list --all -f csv'],
      operations: ['listCohorts'],
      columns: ['id', 'name', 'is_static', 'count'],
      parameters: { ...PAGING },
      run: async (client, paging) => ({
        kind: 'records',
        limit: limitOf(paging),
        records: await client.listCohorts(),
      }),
    }),
  ],
};

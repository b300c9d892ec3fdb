/** `flagwright cohorts …`: the commands that read the cohorts of a project. */

import { command, type ResourceGroup } from '../../resources/command.ts';
import { requiredWhole } from '../../line/parameters.ts';
import { limitOf, PAGING } from '../../resources/parameters.ts';

export const COHORT_COMMANDS: ResourceGroup = {
  scope: 'cohort',
  elsewhere: {
    create: 'Declare the cohort under `cohorts:` in a manifest, then: flagwright plan, flagwright apply.',
    update: 'Change the cohort in its manifest, then: flagwright plan, flagwright apply.',
    delete: 'Set `deleted: true` on the cohort in its manifest, then: flagwright plan, flagwright apply.',
  },
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
    command({
      name: 'get',
      summary: 'show one cohort with its definition',
      examples: ['flagwright cohorts get 42', 'flagwright cohorts get 42 -f json'],
      operations: ['getCohort'],
      parameters: { id: requiredWhole('<id>', 'id of the cohort; `cohorts list` shows it') },
      run: async (client, { id }) => ({ kind: 'record', record: await client.getCohort(id) }),
    }),
  ],
};

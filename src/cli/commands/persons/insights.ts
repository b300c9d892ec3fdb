/** The commands that show facts about persons: activity, timeline, cohorts, values and properties. */

import { defined } from '../../../base/optional.ts';
import { command, type ResourceCommand } from '../../resources/command.ts';
import { activityEntries } from '../../resources/listings.ts';
import { required, text } from '../../line/parameters.ts';
import { limitOf, OPTIONAL_PERSON_ID, PAGING, PERSON_ID } from '../../resources/parameters.ts';

export const PERSON_INSIGHTS: readonly ResourceCommand[] = [
  command({
    name: 'activity',
    summary: 'show the activity of one person or of all persons, newest first',
    examples: ['flagwright persons activity 7', 'flagwright persons activity --limit 500 -f jsonl'],
    operations: ['personActivity', 'projectPersonActivity'],
    columns: ['created_at', 'user.email', 'activity', 'item_id', 'detail.name'],
    parameters: { id: OPTIONAL_PERSON_ID, ...PAGING },
    run: (client, { id, ...paging }) => ({
      kind: 'records',
      limit: limitOf(paging),
      records: activityEntries(limitOf(paging), (query) =>
        id === undefined ? client.projectPersonActivity(query) : client.personActivity(id, query),
      ),
    }),
  }),
  command({
    name: 'timeline',
    summary: 'show how the properties of a person changed',
    examples: ['flagwright persons timeline 7 -f json'],
    operations: ['personPropertiesTimeline'],
    parameters: { id: PERSON_ID },
    run: async (client, { id }) => ({ kind: 'record', record: await client.personPropertiesTimeline(id) }),
  }),
  command({
    name: 'cohorts',
    summary: 'list the cohorts of a person',
    examples: ['flagwright persons cohorts 7'],
    operations: ['personCohorts'],
    columns: ['id', 'name', 'count'],
    parameters: { id: PERSON_ID, ...PAGING },
    run: async (client, { id, ...paging }) => ({
      kind: 'records',
      limit: limitOf(paging),
      records: await client.personCohorts(id),
    }),
  }),
  command({
    name: 'values',
    summary: 'list the values of a property with their counts',
    examples: ['flagwright persons values plan', "flagwright persons values '$os' Mac"],
    operations: ['personValues'],
    columns: ['name', 'count'],
    parameters: {
      key: required('<key>', 'name of the property'),
      value: text('[value]', 'part of the values to list'),
      ...PAGING,
    },
    run: async (client, { key, value, ...paging }) => ({
      kind: 'records',
      limit: limitOf(paging),
      records: await client.personValues(defined({ key, value })),
    }),
  }),
  command({
    name: 'properties',
    summary: 'list the names of all properties with their counts',
    description: 'Removed from the service in 2025.',
    examples: ['flagwright persons properties -f csv'],
    operations: ['personProperties'],
    columns: ['name', 'count'],
    parameters: { ...PAGING },
    run: async (client, paging) => ({
      kind: 'records',
      limit: limitOf(paging),
      records: await client.personProperties(),
    }),
  }),
];

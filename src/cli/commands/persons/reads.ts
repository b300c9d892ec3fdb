/** The commands that list persons and show one. */

import { defined } from '../../../base/optional.ts';
import type { PersonPropertyFilter } from '../../../posthog/client/operations/persons.ts';
import { command, type ResourceCommand } from '../../resources/command.ts';
import { pageSize, PERSON_COLUMNS, PERSON_CSV_COLUMNS } from '../../resources/listings.ts';
import { text } from '../../line/parameters.ts';
import { jsonObjects, limitOf, members, PAGING, PERSON_ID } from '../../resources/parameters.ts';

export const PERSON_READS: readonly ResourceCommand[] = [
  command({
    name: 'list',
    summary: 'list or export persons',
    description:
      'With --all, csv and jsonl are streamed and need the memory of one page. In csv, text that a spreadsheet would read as a formula gets a leading apostrophe; jsonl is exact.',
    examples: [
      'flagwright persons list --email ada@example.org',
      'flagwright persons list --property plan=pro --columns id,properties.email,properties.plan',
      'flagwright persons list --all -f jsonl -o persons.jsonl',
    ],
    operations: ['listPersons'],
    columns: PERSON_COLUMNS,
    csvColumns: PERSON_CSV_COLUMNS,
    parameters: {
      distinctId: text('--distinct-id <id>', 'exact distinct id'),
      email: text('--email <address>', 'exact e-mail address'),
      search: text('--search <text>', 'part of an e-mail address, or an exact distinct id'),
      property: members('--property <name=value>', 'exact value of a property; repeatable'),
      properties: jsonObjects('--properties <json>', 'list of {key, value, operator}, as in flag conditions'),
      ...PAGING,
    },
    run: (client, { distinctId, email, search, property, properties, ...paging }) => {
      const exact = Object.entries(property ?? {}).map(([key, value]) => ({
        key,
        value,
        operator: 'exact',
        type: 'person',
      }));
      const filters = [...exact, ...(properties ?? [])] as readonly PersonPropertyFilter[];
      return {
        kind: 'records',
        limit: limitOf(paging),
        records: client.listPersons({
          pageSize: pageSize(limitOf(paging)),
          ...defined({ distinctId, email, search }),
          ...(filters.length === 0 ? {} : { properties: filters }),
        }),
      };
    },
  }),
  command({
    name: 'get',
    summary: 'show one person',
    examples: ['flagwright persons get 7', 'flagwright persons get 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11 -f json'],
    operations: ['getPerson'],
    parameters: { id: PERSON_ID },
    run: async (client, { id }) => ({ kind: 'record', record: await client.getPerson(id) }),
  }),
];

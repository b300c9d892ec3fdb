/** The commands that list, show, create, change and delete persons. */

import { FlagwrightError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { PersonPropertyFilter } from '../../../posthog/client/operations/persons.ts';
import type { Person } from '../../../posthog/client/operations/person.ts';
import { onOff, required, text } from '../../line/parameters.ts';
import { command, type ResourceAnswer, type ResourceCommand } from '../../resources/command.ts';
import { pageSize, PERSON_COLUMNS, PERSON_CSV_COLUMNS } from '../../resources/listings.ts';
import {
  jsonObject,
  jsonObjects,
  jsonOrText,
  limitOf,
  members,
  PAGING,
  PERSON_ID,
} from '../../resources/parameters.ts';

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

const SET = members('--set <name=value>', 'property to set; VALUE is JSON or else a string; repeatable');
const PROPERTIES = jsonObject('--properties <json>', 'properties to set, as a JSON object');

/** The commands that create, change, split and delete persons. */
export const PERSON_WRITES: readonly ResourceCommand[] = [
  command({
    name: 'create',
    summary: 'create a person',
    description:
      'The real service refuses this and creates persons from events. The embedded service accepts it in the profile documented.',
    examples: ['flagwright persons create --set email=ada@example.org --set seats=3'],
    operations: ['createPerson'],
    writes: true,
    parameters: { set: SET, properties: PROPERTIES },
    run: async (client, { set, properties }) => done('Created', await client.createPerson({ ...properties, ...set })),
  }),
  command({
    name: 'update',
    summary: 'set properties of a person',
    description: 'Other properties are kept.',
    examples: ['flagwright persons update 7 --set plan=pro --set seats=3'],
    operations: ['updatePerson'],
    writes: true,
    parameters: { id: PERSON_ID, set: SET, properties: PROPERTIES },
    run: async (client, { id, set, properties }) => {
      if (set === undefined && properties === undefined) {
        throw new FlagwrightError('usage', 'No property to set was given.', {
          remedy: 'Use --set NAME=VALUE or --properties JSON.',
        });
      }
      return done('Updated', await client.updatePerson(id, { ...properties, ...set }), id);
    },
  }),
  command({
    name: 'delete',
    summary: 'delete a person',
    examples: ['flagwright persons delete 7', 'flagwright persons delete 7 --delete-events --yes'],
    operations: ['deletePerson'],
    writes: true,
    parameters: { id: PERSON_ID, deleteEvents: onOff('--delete-events', 'delete the events of the person as well') },
    question: ({ id, deleteEvents }) => `Delete person ${id}${deleteEvents === true ? ' and all its events' : ''}?`,
    run: async (client, { id, deleteEvents }) => {
      await client.deletePerson(id, { deleteEvents: deleteEvents === true });
      return { kind: 'done', text: `Deleted person ${id}.`, record: { id, deleted: true } };
    },
  }),
  command({
    name: 'split',
    summary: 'split a person into one person per distinct id',
    description:
      'This cannot be undone. Only the person of --main-distinct-id keeps the properties; without that option, all properties are lost. The service splits the person later.',
    examples: [
      'flagwright persons split 7 --main-distinct-id user-1',
      'flagwright persons split 7 --main-distinct-id user-1 --yes',
    ],
    operations: ['splitPerson'],
    writes: true,
    parameters: {
      id: PERSON_ID,
      mainDistinctId: text('--main-distinct-id <id>', 'the distinct id that keeps the properties'),
    },
    question: ({ id, mainDistinctId }) =>
      mainDistinctId === undefined
        ? `Split person ${id}? All its properties are lost (--main-distinct-id keeps them). This cannot be undone.`
        : `Split person ${id}? Only ${mainDistinctId} keeps the properties. This cannot be undone.`,
    run: async (client, { id, mainDistinctId }) =>
      done('Split', await client.splitPerson(id, defined({ mainDistinctId })), id),
  }),
  command({
    name: 'set-property',
    summary: 'set one property of a person',
    examples: ['flagwright persons set-property 7 plan pro', `flagwright persons set-property 7 teams '["a", "b"]'`],
    operations: ['setPersonProperty'],
    writes: true,
    parameters: {
      id: PERSON_ID,
      key: required('<key>', 'name of the property'),
      value: required('<value>', 'JSON (5, true, ["a"], "5"), or else a string'),
    },
    run: async (client, { id, key, value }) =>
      done('Updated', await client.setPersonProperty(id, key, jsonOrText(value)), id),
  }),
  command({
    name: 'unset-property',
    summary: 'remove one property of a person',
    examples: ['flagwright persons unset-property 7 plan'],
    operations: ['unsetPersonProperty'],
    writes: true,
    parameters: { id: PERSON_ID, key: required('<key>', 'name of the property') },
    run: async (client, { id, key }) => done('Updated', await client.unsetPersonProperty(id, key), id),
  }),
];

/** The person if the service returns one; otherwise the write was accepted, and an immediate read may not show it yet. */
function done(verb: string, person: Person | undefined, id: Person['id'] | undefined = person?.id): ResourceAnswer {
  const text =
    person === undefined ? 'Accepted; the service will complete it shortly.' : `${verb} person ${person.id}.`;
  const accepted: JsonObject = defined({ id, accepted: true });
  return { kind: 'done', text, record: person ?? accepted };
}

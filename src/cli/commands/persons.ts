/** `flagwright persons …`: all person commands, in the order of the help. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type {
  PersonAnalysisOperations,
  Person,
  PersonPropertyFilter,
} from '../../posthog/client/operations/persons.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { onOff, required, text } from '../line/options.ts';
import {
  type ResourceGroup,
  command,
  type ResourceAnswer,
  type ResourceCommand,
  pageSize,
  PERSON_COLUMNS,
  PERSON_CSV_COLUMNS,
  jsonObject,
  jsonObjects,
  jsonOrText,
  limited,
  limitOf,
  members,
  PAGING,
  PERSON_ID,
  activityEntries,
  analysedPeople,
  OPTIONAL_PERSON_ID,
} from '../resources/command.ts';

const PERSON_READS: readonly ResourceCommand[] = [
  command({
    name: 'list',
    summary: 'list or export persons',
    description:
      'With --all, csv and jsonl are streamed page by page. In csv, text that a spreadsheet would read as a formula gets a leading apostrophe; jsonl is exact.',
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
      return limited(
        paging,
        client.listPersons({
          pageSize: pageSize(limitOf(paging)),
          ...defined({ distinctId, email, search }),
          ...(filters.length === 0 ? {} : { properties: filters }),
        }),
      );
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

const PERSON_WRITES: readonly ResourceCommand[] = [
  command({
    name: 'create',
    summary: 'create a person',
    description:
      'PostHog refuses this and creates persons from events. The embedded service accepts it in the profile documented.',
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

interface Analysis {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** Names that the service knows in addition to `COMMON`; others are sent too. */
  readonly parameters: readonly string[];
  readonly example: string;
  readonly get: keyof PersonAnalysisOperations;
  readonly post?: keyof PersonAnalysisOperations;
  readonly columns?: readonly string[];
}

/** Parameters of every analysis. */
const COMMON = ['events', 'entity_id', 'date_from', 'date_to', 'properties'];
const GONE = 'Removed from the service in 2025.';

const ANALYSES: readonly Analysis[] = [
  {
    name: 'funnel',
    summary: 'list the persons in a step of a funnel',
    parameters: ['funnel_step', 'funnel_window_days'],
    example: `--param events='[{"id": "signed up"}, {"id": "paid"}]' --param funnel_step=2`,
    get: 'personFunnel',
    post: 'postPersonFunnel',
  },
  {
    name: 'funnel-correlation',
    summary: 'list the persons behind a funnel correlation',
    description: GONE,
    parameters: ['funnel_window_days', 'funnel_correlation_person_entity', 'funnel_correlation_person_converted'],
    example: `--param events='[{"id": "signed up"}, {"id": "paid"}]'`,
    get: 'personFunnelCorrelation',
    post: 'postPersonFunnelCorrelation',
  },
  {
    name: 'lifecycle',
    summary: 'list the persons who are new, returning, resurrecting or dormant on a day',
    description: 'PostHog requires target_date and lifecycle_type.',
    parameters: ['target_date', 'lifecycle_type (new, returning, resurrecting, dormant)', 'interval'],
    example: '--param target_date=2026-03-01 --param lifecycle_type=new',
    get: 'personLifecycle',
  },
  {
    name: 'path',
    summary: 'list the persons who followed a path',
    description: GONE,
    parameters: ['path_start_key', 'path_end_key'],
    example: '--param path_start_key=1_home --param path_end_key=2_checkout',
    get: 'personPath',
    post: 'postPersonPath',
  },
  {
    name: 'retention',
    summary: 'list the persons who returned, and in which periods',
    description: GONE,
    parameters: ['target_entity', 'returning_entity', 'period', 'total_intervals', 'selected_interval'],
    example: '--param selected_interval=0',
    get: 'personRetention',
    columns: ['person.id', 'person.name', 'person.distinct_ids', 'appearances'],
  },
  {
    name: 'stickiness',
    summary: 'list the persons who performed an event on a given number of days',
    parameters: ['stickiness_days', 'interval'],
    example: '--param entity_id=paid --param stickiness_days=3',
    get: 'personStickiness',
  },
  {
    name: 'trends',
    summary: 'list the persons behind a data point of a trend',
    parameters: [],
    example: '--param entity_id=paid --param date_from=2026-03-01 --param date_to=2026-03-01',
    get: 'personTrends',
  },
];

const PARAMETERS = members('--param <name=value>', 'parameter of the analysis, as the service names it; repeatable');
const POST = onOff('--post', 'send the parameters in the request body, if they are too long for a URL');

const PERSON_ANALYSES: readonly ResourceCommand[] = ANALYSES.map(analysisCommand);

function analysisCommand(analysis: Analysis): ResourceCommand {
  const { name, summary, description, parameters, example, get, post, columns } = analysis;
  return command({
    name,
    summary,
    description: [description, `Known parameters: ${[...parameters, ...COMMON].join(', ')}.`].filter(Boolean).join(' '),
    examples: [`flagwright persons ${name} ${example}`],
    operations: post === undefined ? [get] : [get, post],
    columns: columns ?? PERSON_COLUMNS,
    ...(columns === undefined ? { csvColumns: PERSON_CSV_COLUMNS } : {}),
    parameters: { param: PARAMETERS, ...(post === undefined ? {} : { post: POST }), ...PAGING },
    run: (client, values) => {
      const { param = {}, ...paging } = values;
      const operation = post !== undefined && values['post'] === true ? post : get;
      const read: ServiceClient['personTrends'] = (query) => client[operation](query);
      return limited(paging, analysedPeople({ limit: pageSize(limitOf(paging)), ...param }, read));
    },
  });
}

const PERSON_INSIGHTS: readonly ResourceCommand[] = [
  command({
    name: 'activity',
    summary: 'show the activity of one person or of all persons, newest first',
    examples: ['flagwright persons activity 7', 'flagwright persons activity --limit 500 -f jsonl'],
    operations: ['personActivity', 'projectPersonActivity'],
    columns: ['created_at', 'user.email', 'activity', 'item_id', 'detail.name'],
    parameters: { id: OPTIONAL_PERSON_ID, ...PAGING },
    run: (client, { id, ...paging }) =>
      limited(
        paging,
        activityEntries(limitOf(paging), (query) =>
          id === undefined ? client.projectPersonActivity(query) : client.personActivity(id, query),
        ),
      ),
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
    run: async (client, { id, ...paging }) => limited(paging, await client.personCohorts(id)),
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
    run: async (client, { key, value, ...paging }) =>
      limited(paging, await client.personValues(defined({ key, value }))),
  }),
  command({
    name: 'properties',
    summary: 'list the names of all properties with their counts',
    description: 'Removed from the service in 2025.',
    examples: ['flagwright persons properties -f csv'],
    operations: ['personProperties'],
    columns: ['name', 'count'],
    parameters: { ...PAGING },
    run: async (client, paging) => limited(paging, await client.personProperties()),
  }),
];

export const PERSON_COMMANDS: ResourceGroup = {
  scope: 'person',
  // Persons have a budget of their own (docs/service/persons.md).
  requestsPerMinute: 240,
  elsewhere: {},
  commands: [...PERSON_READS, ...PERSON_WRITES, ...PERSON_INSIGHTS, ...PERSON_ANALYSES],
};

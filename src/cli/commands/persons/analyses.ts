/** The commands that report on persons, and those that find them by their events: these differ only in names, so a table defines them. */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ServiceClient } from '../../../posthog/service-client.ts';
import type { PersonAnalysisOperations } from '../../../posthog/client/operations/persons-analysis.ts';
import { onOff, required, text } from '../../line/parameters.ts';
import { command, type ResourceCommand } from '../../resources/command.ts';
import {
  activityEntries,
  analysedPeople,
  pageSize,
  PERSON_COLUMNS,
  PERSON_CSV_COLUMNS,
} from '../../resources/listings.ts';
import { limitOf, members, OPTIONAL_PERSON_ID, PAGING, PERSON_ID } from '../../resources/parameters.ts';

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
    description: 'The real service requires target_date and lifecycle_type.',
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

export const PERSON_ANALYSES: readonly ResourceCommand[] = ANALYSES.map(analysisCommand);

function analysisCommand({
  name,
  summary,
  description,
  parameters,
  example,
  get,
  post,
  columns,
}: Analysis): ResourceCommand {
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
      const query = withPage(param, limitOf(paging));
      return {
        kind: 'records',
        limit: limitOf(paging),
        records: analysedPeople(query, caller(client, operation)),
      };
    },
  });
}

function caller(client: ServiceClient, operation: keyof PersonAnalysisOperations): ServiceClient['personTrends'] {
  return (parameters) => client[operation](parameters);
}

function withPage(parameters: JsonObject, limit: number): JsonObject {
  return { limit: pageSize(limit), ...parameters };
}

/** The commands that show facts about persons: activity, timeline, cohorts, values and properties. */
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

/** The commands that find persons by what they did: alike but for their names, so they are made from a table. */

import type { JsonObject } from '../../../base/json.ts';
import type { ServiceClient } from '../../../service/client.ts';
import type { PersonAnalysisOperations } from '../../../service/operations/persons-analysis.ts';
import { command, type ResourceCommand } from '../../resources/command.ts';
import { analysedPeople, pageSize } from '../../resources/listings.ts';
import { limitOf, members, onOff, PAGING } from '../../resources/parameters.ts';

interface Analysis {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly example: string;
  readonly get: keyof PersonAnalysisOperations;
  readonly post?: keyof PersonAnalysisOperations;
  readonly columns?: readonly string[];
}

const GONE = 'Services since 2025 have it no more.';

const ANALYSES: readonly Analysis[] = [
  {
    name: 'funnel',
    summary: 'list the persons in a step of a funnel',
    example: `--param events='[{"id": "signed up"}, {"id": "paid"}]' --param funnel_step=2`,
    get: 'personFunnel',
    post: 'postPersonFunnel',
  },
  {
    name: 'funnel-correlation',
    summary: 'list the persons behind a correlation of a funnel',
    description: GONE,
    example: `--param events='[{"id": "signed up"}, {"id": "paid"}]'`,
    get: 'personFunnelCorrelation',
    post: 'postPersonFunnelCorrelation',
  },
  {
    name: 'lifecycle',
    summary: 'list the persons who are new, returning, resurrecting or dormant on a day',
    description: 'The real service needs target_date and lifecycle_type.',
    example: '--param target_date=2026-03-01 --param lifecycle_type=new',
    get: 'personLifecycle',
  },
  {
    name: 'path',
    summary: 'list the persons who went along a path',
    description: GONE,
    example: '--param path_start_key=1_home --param path_end_key=2_checkout',
    get: 'personPath',
    post: 'postPersonPath',
  },
  {
    name: 'retention',
    summary: 'list the persons who came back, with the periods in which they did',
    description: GONE,
    example: '--param selected_interval=0',
    get: 'personRetention',
    columns: ['person.id', 'person.name', 'person.distinct_ids', 'appearances'],
  },
  {
    name: 'stickiness',
    summary: 'list the persons who did something on a number of days',
    example: '--param entity_id=paid --param stickiness_days=3',
    get: 'personStickiness',
  },
  {
    name: 'trends',
    summary: 'list the persons behind a point of a trend',
    example: '--param entity_id=paid --param date_from=2026-03-01 --param date_to=2026-03-01',
    get: 'personTrends',
  },
];

const PARAMETERS = members('--param <name=value>', "parameter by the service's name for it; may be repeated");
const POST = onOff('--post', 'send the parameters in a body, for those too long for an address');

export const PERSON_ANALYSES: readonly ResourceCommand[] = ANALYSES.map(analysisCommand);

function analysisCommand({ name, summary, description, example, get, post, columns }: Analysis): ResourceCommand {
  return command({
    name,
    summary,
    ...(description === undefined ? {} : { description }),
    examples: [`flaghoist persons ${name} ${example}`],
    operations: post === undefined ? [get] : [get, post],
    columns: columns ?? ['id', 'name', 'distinct_ids', 'created_at'],
    parameters: { param: PARAMETERS, ...(post === undefined ? {} : { post: POST }), ...PAGING },
    run: (client, values) => {
      const { param = {}, ...paging } = values;
      const operation = post !== undefined && values['post'] === true ? post : get;
      const parameters = withPage(param, limitOf(paging));
      return {
        kind: 'records',
        limit: limitOf(paging),
        records: analysedPeople(parameters, caller(client, operation)),
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

/** The parameters in queries and paths, by name. The service reads most of them leniently, and the document says so. */

import { memberOf, type JsonObject } from '../../../src/base/json.ts';
import type { Profile } from '../handler/profile.ts';
import { ID, TEXT, UUID } from './schema.ts';

/** Anything but a whole number counts as absent. */
const LENIENT_NUMBER: JsonObject = { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] };
const STRICT_NUMBER: JsonObject = { type: 'integer', minimum: 1, maximum: 999_999_999 };

interface QueryParameter {
  readonly description: string;
  /** Default: any string. */
  readonly schema?: JsonObject;
}

const NUMBER = { schema: LENIENT_NUMBER };

const QUERY: Readonly<Record<string, QueryParameter>> = {
  limit: { description: 'The number of entries on a page.', ...NUMBER },
  offset: { description: 'The number of entries before the page.', ...NUMBER },
  page: { description: 'The number of the page, from 1.', ...NUMBER },
  format: { description: 'The form of the answer.', schema: { enum: ['csv', 'json', ''] } },
  active: { description: '`true`, `false` or `STALE`.' },
  archived: { description: '`true` or `false`; without it archived flags are left out.' },
  key: { description: 'The key, in any case.' },
  search: { description: 'A part of a key or name, of at most 200 characters, or of the address of a person.' },
  tags: { description: 'A JSON list of tags; a flag has one of them.' },
  excluded_tags: { description: 'A JSON list of tags; a flag has none of them.' },
  excluded_properties: { description: 'A JSON list of keys of flags to leave out.' },
  type: {
    description: 'A type of the listed objects; of flags `boolean`, `multivariant`, `experiment` or `remote_config`.',
  },
  created_by_id: { description: 'The id of a user, ids separated by commas, or a JSON list of ids.' },
  evaluation_runtime: { description: '`server`, `client` or `all`.' },
  eligible_for_experiment: { description: '`true`: flags with 2 to 20 variants.' },
  has_evaluation_contexts: { description: '`true` or `false`.' },
  order: { description: 'A field, with `-` before it in descending order.' },
  distinct_id: { description: 'A distinct id of the person.' },
  groups: { description: 'A JSON object of group keys by the name of their type.' },
  flag_keys: { description: 'Keys of flags: repeated, or a JSON list.' },
  email: { description: 'The whole address.' },
  properties: { description: 'A JSON list of filters.' },
  include_total: { description: 'Adds `count`.' },
  delete_events: { description: 'Deletes the events of the person too.' },
  model_name: { description: 'The kind of the changed record: `FeatureFlag`.' },
  record_id: { description: 'The id of the flag.' },
  state: { description: 'A state of change requests, or several separated by commas.' },
  action_key: { description: 'What needs the approval, such as `feature_flag.enable`.' },
  requester: { description: 'The id of the user who asked.' },
  resource_type: { description: 'The kind of the record: `feature_flag`.' },
  resource_id: { description: 'The id of the flag.' },
  role_id: { description: 'The id of the role.' },
  member_id: { description: 'The id of the member, not of the user.' },
  enabled: { description: '`true` or `false`.' },
  token: { description: 'The token of a project, `phc_` and its id.' },
  v: { description: 'The form of the answer.' },
  funnel_step: {
    description: 'The step that persons reached, or, below 0, did not reach.',
    schema: { anyOf: [{ type: 'integer' }, TEXT] },
  },
  funnel_window_days: { description: 'The days for all steps.', ...NUMBER },
  stickiness_days: { description: 'The number of intervals.', ...NUMBER },
  total_intervals: { description: 'The number of intervals.', ...NUMBER },
  selected_interval: { description: 'The interval, from 0.', ...NUMBER },
};

/** Lists by page number are strict in today's service. */
const PAGED_BY_NUMBER = ['limit', 'page'];

export interface QueryContext {
  readonly profile: Profile;
  /** Names of all query parameters of the operation. */
  readonly query: readonly string[];
  readonly required: readonly string[];
}

export function queryParameter(name: string, { profile, query, required }: QueryContext): JsonObject {
  const { description = '', schema = TEXT } = memberOf(QUERY, name) ?? {};
  const isStrict = profile === 'posthog' && query.includes('page') && PAGED_BY_NUMBER.includes(name);
  const isRequired = required.includes(name);
  return {
    name,
    in: 'query',
    ...(description !== '' && { description }),
    ...(isRequired && { required: true }),
    schema: isStrict ? STRICT_NUMBER : isRequired ? { ...schema, minLength: 1 } : schema,
  };
}

/** Ids are numbers, except those of persons, who also have UUIDs, and of resources of the organization. */
export function pathParameter(name: string, path: string): JsonObject {
  return { name, in: 'path', required: true, schema: pathSchema(name, path) };
}

function pathSchema(name: string, path: string): JsonObject {
  if (name === 'project_id' || name === 'projectId') return { ...TEXT, examples: ['1'] };
  if (name === 'key') return { ...TEXT, examples: ['new-checkout'] };
  if (name === 'organizationId') return { ...TEXT, examples: ['@current'] };
  if (
    name === 'roleId' ||
    name === 'membershipId' ||
    /\/(change_requests|approval_policies|early_access_feature|proxy_records)\//.test(path)
  )
    return UUID;
  const isNamed = path.includes('/persons/') || path.includes('/remote_config');
  return isNamed ? { ...TEXT, examples: ['1'] } : ID;
}

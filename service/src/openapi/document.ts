/** Builds the OpenAPI 3.1 document of the service from the tables of routes, operations and fields. */

import { memberOf, type JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { type Profile, PROFILES } from '../handler/profile.ts';
import { selectMethods, type Methods } from '../routes/table.ts';
import { ACCOUNT_ROUTES, PROJECT_ROUTES, ROOT_ROUTES, type RootRoute } from '../routes/routes.ts';
import { ID, OBJECT, ref, TEXT, UUID } from './schema.ts';
import { OPERATIONS } from './operations.ts';
import { buildSchemas } from './schemas.ts';

/** The route of the document, which needs no key. */
export const OPENAPI_ROUTE: RootRoute = {
  path: 'openapi.json',
  access: 'none',
  methods: {
    GET: {
      id: 'openapi',
      handler: ({ rules }, { url }) => ({ status: 200, body: openApiDocument(rules.name, new URL(url).origin) }),
    },
  },
};

function openApiDocument(profile: Profile, origin: string): JsonObject {
  const project = PROJECT_ROUTES.map(([path, methods]): PathEntry => [
    `/api/projects/{project_id}/${braced(path)}/`,
    methods,
  ]);
  const account = ACCOUNT_ROUTES.map(([path, methods]): PathEntry => [`/api/${braced(path)}/`, methods]);
  const root = [OPENAPI_ROUTE, ...ROOT_ROUTES].map(({ path, methods, access }): PathEntry => [
    `/${braced(path)}`,
    methods,
    access === 'key' ? [{ key: [] }] : [],
  ]);
  const keys = describeKeys(profile);
  const paths = [...project, ...account, ...root].flatMap((entry) => pathItem(entry, profile));
  return {
    openapi: '3.1.0',
    info: { title: `flagwright's embedded service, profile ${profile}`, version: '1' },
    servers: [{ url: origin }],
    security: Object.keys(keys).map((name) => ({ [name]: [] })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: keys,
      schemas: { ...buildSchemas(profile), OpenApi: OBJECT },
    },
  };
}

/** OpenAPI cannot describe the third place of a key, the body. */
function describeKeys(profile: Profile): JsonObject {
  const key = { type: 'http', scheme: 'bearer' };
  if (PROFILES[profile].keyPlaces === 'header') return { key };
  return { key, query_key: { type: 'apiKey', in: 'query', name: 'personal_api_key' } };
}

type PathEntry = readonly [path: string, methods: Methods, security?: readonly JsonObject[] | undefined];

function braced(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function pathItem([path, methods, security]: PathEntry, profile: Profile): [string, JsonObject][] {
  const own = Object.entries(selectMethods(methods, PROFILES[profile]));
  if (own.length === 0) return [];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: pathSchema(name, path) }));
  const operations = own.map(([method, { id }]) => [
    method.toLowerCase(),
    { ...describeOperation(id, path, profile), ...defined({ security }) },
  ]);
  return [[path, { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) }]];
}

function describeOperation(id: string, path: string, profile: Profile): JsonObject {
  const description = memberOf(OPERATIONS, id);
  if (description === undefined) throw new Error(`The OpenAPI document lacks the operation ${id}`);
  const { summary, query = [], required = [], body, answers, refusal = 'Error' } = description;
  const own = typeof answers === 'object' && 'documented' in answers ? answers[profile] : answers;
  const isPerson = id.startsWith('persons_');
  // Lists by page number are strict in today's service.
  const isStrict = profile === 'posthog' && query.includes('page');
  const parameters = [...query, ...(isPerson ? ['format'] : [])].map((name) =>
    queryParameter(name, required.includes(name), isStrict),
  );
  const responses = Object.entries(typeof own === 'string' ? { 200: own } : own).map(([status, schema]) => [
    status,
    { description: summary, ...(schema !== null && { content: describeContent(schema, isPerson) }) },
  ]);
  return {
    // Paths with the same operation need distinct names.
    operationId: id.startsWith('sdk_') ? `${id}${path.replaceAll(/\W+/g, '_')}` : id,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        ...(!body.endsWith('?') && { required: true }),
        content: describeContent(body.replace('?', ''), false),
      },
    }),
    responses: {
      ...Object.fromEntries(responses),
      default: { description: 'A refusal.', content: describeContent(refusal, false) },
    },
  };
}

function describeContent(schema: string, hasCsv: boolean): JsonObject {
  return { 'application/json': { schema: ref(schema) }, ...(hasCsv && { 'text/csv': { schema: TEXT } }) };
}

/** Anything but a whole number counts as absent. */
const LENIENT_NUMBER: JsonObject = { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] };
const STRICT_NUMBER: JsonObject = { type: 'integer', minimum: 1, maximum: 999_999_999 };

const NUMBER = { schema: LENIENT_NUMBER };

/** Without a schema: any string. */
const QUERY: Readonly<Record<string, { readonly description: string; readonly schema?: JsonObject }>> = {
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
  insight: { description: 'The id of the insight.' },
  insight_id: { description: 'The id of the insight.' },
  created_by: { description: 'The UUID of a user.' },
  checks_limit: { description: 'The number of checks, newest first: 5, at most 500.' },
  checks_offset: { description: 'The number of newest checks that are left out.' },
  checks_date_from: { description: 'The time of the oldest check, such as `-24h`.' },
  checks_date_to: { description: 'The time of the newest check, such as `-1h`.' },
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

/** `isStrict`: whether the list refuses an invalid `limit` or `page`. */
function queryParameter(name: string, isRequired: boolean, isStrict: boolean): JsonObject {
  const { description = '', schema = TEXT } = memberOf(QUERY, name) ?? {};
  return {
    name,
    in: 'query',
    ...(description !== '' && { description }),
    ...(isRequired && { required: true }),
    schema:
      isStrict && (name === 'limit' || name === 'page')
        ? STRICT_NUMBER
        : isRequired
          ? { ...schema, minLength: 1 }
          : schema,
  };
}

/** Ids are numbers, except those of persons, who also have UUIDs, and of resources of the organization. */
function pathSchema(name: string, path: string): JsonObject {
  if (name === 'project_id' || name === 'projectId') return { ...TEXT, examples: ['1'] };
  if (name === 'key') return { ...TEXT, examples: ['new-checkout'] };
  if (name === 'organizationId') return { ...TEXT, examples: ['@current'] };
  if (name === 'roleId' || name === 'membershipId') return UUID;
  if (/\/(change_requests|approval_policies|early_access_feature|proxy_records|alerts)\//.test(path)) return UUID;
  if (path.includes('/persons/') || path.includes('/remote_config')) return { ...TEXT, examples: ['1'] };
  return ID;
}

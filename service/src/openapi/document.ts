/** Builds the OpenAPI 3.1 document of the service from the tables of routes, operations and fields. */

import { memberOf, type JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import type { Call, Answer, ServiceContext } from '../handler/call.ts';
import type { Methods } from '../handler/operation.ts';
import type { Profile } from '../handler/profile.ts';
import { PROFILES } from '../handler/profile.ts';
import { selectMethods } from '../routes/find-route.ts';
import { ACCOUNT_ROUTES } from '../routes/account-routes.ts';
import { PROJECT_ROUTES } from '../routes/project-routes.ts';
import { ROOT_ROUTES, type RootRoute } from '../routes/root-routes.ts';
import type { OperationDescription } from './operation-description.ts';
import { OPERATIONS } from './operations.ts';
import { pathParameter, queryParameter } from './parameters.ts';
import { OBJECT, ref, TEXT } from './schema.ts';
import { buildSchemas } from './schemas.ts';

/** The route of the document, which needs no key. */
export const OPENAPI_ROUTE: RootRoute = {
  path: 'openapi.json',
  access: 'none',
  methods: { GET: { id: 'openapi', handler: describeService } },
};

function describeService({ rules }: ServiceContext, { url }: Call): Answer {
  return { status: 200, body: openApiDocument(rules.name, new URL(url).origin) };
}

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
  const parameters = names.map((name) => pathParameter(name, path));
  const operations = own.map(([method, { id }]) => [
    method.toLowerCase(),
    { ...describeOperation(id, path, profile), ...defined({ security }) },
  ]);
  return [[path, { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) }]];
}

function describeOperation(id: string, path: string, profile: Profile): JsonObject {
  const description = memberOf(OPERATIONS, id);
  if (description === undefined) throw new Error(`The OpenAPI document lacks the operation ${id}`);
  const { summary, query = [], required = [], answers, refusal = 'Error' } = description;
  const isPerson = id.startsWith('persons_');
  const parameters = [...query, ...(isPerson ? ['format'] : [])].map((name) =>
    queryParameter(name, { profile, query, required }),
  );
  const responses = Object.entries(selectAnswers(answers, profile)).map(([status, schema]) => [
    status,
    { description: summary, ...(schema !== null && { content: describeContent(schema, isPerson) }) },
  ]);
  return {
    // Paths with the same operation need distinct names.
    operationId: id.startsWith('sdk_') ? `${id}${path.replaceAll(/\W+/g, '_')}` : id,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(description),
    responses: {
      ...Object.fromEntries(responses),
      default: { description: 'A refusal.', content: describeContent(refusal, false) },
    },
  };
}

function selectAnswers(
  answers: OperationDescription['answers'],
  profile: Profile,
): Readonly<Record<string, string | null>> {
  return 'documented' in answers ? answers[profile] : answers;
}

function describeBody({ body, isBodyOptional }: OperationDescription): JsonObject {
  if (body === undefined) return {};
  const content = { 'application/json': { schema: ref(body) } };
  return { requestBody: { ...(isBodyOptional !== true && { required: true }), content } };
}

function describeContent(schema: string, hasCsv: boolean): JsonObject {
  return { 'application/json': { schema: ref(schema) }, ...(hasCsv && { 'text/csv': { schema: TEXT } }) };
}

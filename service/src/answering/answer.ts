/** Answers a request: accepts the host name, splits path and query, and chooses between the kinds of paths. */

import { type Answer, type Call, type ServiceContext, EMBEDDED_ORGANIZATION_ID } from '../handler/call.ts';
import { OPENAPI_ROUTE } from '../openapi/document.ts';
import { findRootRoute, type FoundRootRoute, findAccountRoute, findRoute } from '../routes/routes.ts';
import type { AnsweringOptions, ServiceRequest, RequestTarget } from './request.ts';
import {
  forbidden,
  notFound,
  invalidInput,
  methodNotAllowed,
  Refusal,
  serverError,
  malformed,
  unsupportedMediaType,
  unauthenticated,
} from '../handler/envelope.ts';
import type { Methods, Operation } from '../routes/table.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { objectOrEmpty, memberOf, type JsonObject, type JsonValue, isJsonObject } from '../../../src/base/json.ts';
import { formatTimestamp, parseTimestamp } from '../format/timestamp.ts';
import type { ServiceClock } from '../handler/clock.ts';
import { defined } from '../../../src/base/optional.ts';
import { parseSdkBody, findProjectByToken, wrongToken, findToken } from '../sdk/capture.ts';
import type { OfrepErrorCode } from '../sdk/ofrep.ts';
import { parseJson } from '../../../src/base/json-text.ts';

const LONGEST_CLIENT = 200;

/** Answers a request; refusals are thrown. */
export function answer(request: ServiceRequest, given: AnsweringOptions): Answer {
  const client = request.client?.slice(0, LONGEST_CLIENT);
  const options = client ? { ...given, context: { ...given.context, client } } : given;
  refuseStrangeName(request.origin);
  const { path, query } = splitTarget(request.target);
  if (path === CLOCK_PATH && options.clock !== undefined) return answerClock(request, options.clock, options);
  const target: RequestTarget = { path, query, url: `${request.origin}${path}` };
  const root = path === OPENAPI_PATH ? { ...OPENAPI_ROUTE, params: {} } : findRootRoute(path);
  if (root?.access === 'ofrep') return answerOfrep({ request, target, root }, options);
  if (root !== undefined) return answerRoot({ request, target, root }, options);
  return answerApi(request, target, options);
}

const OPENAPI_PATH = `/${OPENAPI_ROUTE.path}`;

function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const end = target.indexOf('?');
  if (end === -1) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, end), query: new URLSearchParams(target.slice(end + 1)) };
}

/**
 * Refuses public domain names: a web page can point its own domain at this machine (DNS rebinding) and would then call
 * the service as same-origin. Addresses, names without a dot and private names are accepted.
 */
function refuseStrangeName(origin: string): void {
  const name = URL.canParse(origin) ? new URL(origin).hostname : '';
  if (/^(?:\[.*\]|[\d.]+|[^.]+|.*\.(?:localhost|internal|local|test))$/.test(name)) return;
  throw forbidden('The embedded service answers only under local names.');
}

/** Who opens a page that messages name for PostHog. */
const NO_PAGES = 'This is the embedded service of flagwright, which has no web interface.';

const PROJECT_PATH = /^\/api\/(?:projects|environments)\/([^/]+)\/(.+?)\/?$/;

function answerApi(request: ServiceRequest, { path, query, url }: RequestTarget, options: AnsweringOptions): Answer {
  const { rules, projectIds } = options.context;
  const [, below] = /^\/api\/(.+?)\/?$/.exec(path) ?? [];
  const account = below === undefined ? undefined : findAccountRoute(decodeSegments(below), rules);
  const [, project = '', rest = ''] = PROJECT_PATH.exec(path) ?? [];
  const route = account ?? findRoute(decodeSegments(rest), rules);
  if (route === undefined) throw notFound(path.startsWith('/api/') ? 'Endpoint not found.' : NO_PAGES);
  const context = authenticate(findKey(request, query, rules), options);
  // The service has one organization, so `@current` is always that one.
  const { organizationId = '@current', projectId: inParams } = route.params;
  if (organizationId !== '@current' && organizationId.toLowerCase() !== EMBEDDED_ORGANIZATION_ID) {
    throw notFound('Organization not found.');
  }
  const named = account === undefined ? project : inParams;
  const projectId = named === undefined ? (projectIds[0] ?? '') : findProject(named, projectIds);
  options.checkRate();
  const { handler } = findOperation(route.methods, request.method);
  const sent = parseBody(request);
  return handler(context, { projectId, params: route.params, query: withoutKey(query), ...sent, url });
}

const CLOCK_PATH = '/_flagwright/clock';

/** A POST moves it, by `set` or `advance_seconds`, and answers once everything due until then has run. */
function answerClock(request: ServiceRequest, clock: ServiceClock, options: AnsweringOptions): Answer {
  authenticate(readKeyFromHeader(request.authorization), options);
  if (request.method === 'POST') move(clock, request);
  else if (request.method !== 'GET') throw methodNotAllowed(request.method, ['GET', 'POST']);
  return { status: 200, body: { now: formatTimestamp(clock.now()) } };
}

function move(clock: ServiceClock, request: ServiceRequest): void {
  const { set, advance_seconds: seconds } = objectOrEmpty(parseBody(request).body);
  const time = typeof set === 'string' && ZONED.test(set) ? parseTimestamp(set) : undefined;
  try {
    if (seconds === undefined && time !== undefined) clock.set(new Date(time));
    else if (set === undefined && typeof seconds === 'number') clock.advance(seconds * 1000);
    else {
      throw invalidInput('Send set, a time such as 2026-12-01T09:00:00+01:00, or advance_seconds.');
    }
  } catch (error) {
    if (error instanceof FlagwrightError) throw invalidInput(error.message);
    throw error;
  }
}

const ZONED = /(?:Z|[+-]\d{2}:?\d{2})$/i;

function answerOfrep(exchange: RootExchange, options: AnsweringOptions): Answer {
  const { key: encoded } = exchange.root.params;
  const params = defined({ key: encoded === undefined ? undefined : decodeKey(encoded) });
  try {
    return allowCrossOrigin(handle(exchange, params, options));
  } catch (thrown) {
    throw inOwnForm(thrown, params);
  }
}

/** A key that is not encoded is the one that was sent. */
function decodeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

interface Params {
  readonly key?: string;
}

function handle(
  { request, target: { query, url }, root }: RootExchange,
  params: Params,
  options: AnsweringOptions,
): Answer {
  const { handler } = findOperation(root.methods, request.method);
  const call = { params: { ...params }, query, url, ...defined({ ifNoneMatch: request.ifNoneMatch }) };
  // A preflight has no token.
  if (request.method !== 'POST') return handler(options.context, { ...call, projectId: '', body: undefined });
  const projectId = findProjectByHeaders(request, options);
  options.checkRate();
  return handler(options.context, { ...call, projectId, body: parseSdkBody(request, query) });
}

/** The only project needs no token, unless a list of keys is accepted. */
function findProjectByHeaders(
  { apiKey, authorization }: ServiceRequest,
  { context: { projectIds }, apiKeys }: AnsweringOptions,
): string {
  const token = apiKey ?? readKeyFromHeader(authorization);
  if (apiKeys !== undefined && !apiKeys.includes(token ?? '')) throw wrongToken();
  const [only, ...others] = projectIds;
  return findProjectByToken(token ?? (others.length === 0 ? only : undefined), projectIds);
}

const ERROR_CODES: Readonly<Record<string, OfrepErrorCode>> = {
  parse_error: 'PARSE_ERROR',
  PARSE_ERROR: 'PARSE_ERROR',
  TARGETING_KEY_MISSING: 'TARGETING_KEY_MISSING',
  INVALID_CONTEXT: 'INVALID_CONTEXT',
  FLAG_NOT_FOUND: 'FLAG_NOT_FOUND',
};

/** An error that is no refusal becomes a server error without details. */
function inOwnForm(thrown: unknown, params: Params): Refusal {
  const { message, facts } = thrown instanceof Refusal ? thrown : serverError();
  const body: JsonObject = {
    ...params,
    errorCode: memberOf(ERROR_CODES, facts.code) ?? 'GENERAL',
    errorDetails: message,
  };
  return new Refusal(message, allowCrossOrigin({ ...facts, body }), { cause: thrown });
}

/** Only the first key found is checked. */
function findKey(
  { authorization, body }: ServiceRequest,
  query: URLSearchParams,
  { keyPlaces }: ServiceContext['rules'],
): string | undefined {
  const key = readKeyFromHeader(authorization);
  return key === undefined && keyPlaces !== 'header' ? readKeyFromRequest(body, query) : key;
}

function decodeSegments(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    throw notFound('Endpoint not found.');
  }
}

/** `@current` means the only project of a service with one project. */
function findProject(name: string, projectIds: readonly string[]): string {
  const [only] = projectIds;
  if (name === '@current' && projectIds.length === 1 && only !== undefined) return only;
  if (!projectIds.includes(name)) throw notFound('Project not found.');
  return name;
}

/** A form requires the key in the header: a page of any site can send forms without it. */
function parseBody(request: ServiceRequest): Pick<Call, 'body' | 'text' | 'isForm'> {
  const { method, contentType = '', body, authorization } = request;
  if (body.length === 0 || method === 'GET' || method === 'HEAD' || method === 'DELETE') return { body: undefined };
  const mediaType = contentType.replace(/;.*$/s, '').trim().toLowerCase();
  if (FORM_TYPES.includes(mediaType) && readKeyFromHeader(authorization) !== undefined) {
    return { body: parseForm(body, contentType), isForm: true };
  }
  if (mediaType !== 'application/json') throw unsupportedMediaType(mediaType);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { body: parseJson(text), text };
  } catch (error) {
    throw malformed(`JSON parse error - ${(error as Error).message}`);
  }
}

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

const FORM_TYPES: readonly string[] = [URL_ENCODED, MULTIPART];

/** The names whose values are lists, even with one value. */
const LISTS: ReadonlySet<string> = new Set(['tags', 'evaluation_contexts', 'analytics_dashboards']);

export function parseForm(body: Buffer, contentType: string): JsonObject {
  const pairs = contentType.toLowerCase().startsWith(MULTIPART)
    ? parseMultipart(body, contentType)
    : [...new URLSearchParams(body.toString('utf8'))];
  const values = new Map<string, JsonValue>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    const list = LISTS.has(name) ? [...(Array.isArray(before) ? (before as JsonValue[]) : []), value] : value;
    values.set(name, list);
  }
  return Object.fromEntries(values);
}

/** Throws a 400 for a body without its boundary. */
function parseMultipart(body: Buffer, contentType: string): [name: string, value: string][] {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  const text = `\r\n${body.toString('utf8')}`;
  const parts = boundary === undefined ? [] : text.split(`\r\n--${boundary}`);
  if (parts.length < 2 || !parts.at(-1)?.startsWith('--')) {
    throw malformed('Multipart form parse error - the body does not have the boundary of its content type.');
  }
  return parts.slice(1, -1).map((part) => {
    const end = part.indexOf('\r\n\r\n');
    const [, name] = /^content-disposition:.*?[;\s]name="([^"]*)"/im.exec(part.slice(0, end)) ?? [];
    if (end === -1 || name === undefined) throw malformed('Multipart form parse error - a part has no name.');
    return [name, part.slice(end + 4)];
  });
}

interface RootExchange {
  readonly request: ServiceRequest;
  readonly target: RequestTarget;
  readonly root: FoundRootRoute;
}

function answerRoot(exchange: RootExchange, options: AnsweringOptions): Answer {
  if (exchange.root.access !== 'token') return handleRoot(exchange, options);
  try {
    return allowCrossOrigin(handleRoot(exchange, options));
  } catch (thrown) {
    // A page can read the reason of a refusal only with these headers.
    throw thrown instanceof Refusal ? new Refusal(thrown.message, allowCrossOrigin(thrown.facts)) : thrown;
  }
}

function handleRoot({ request, target, root }: RootExchange, options: AnsweringOptions): Answer {
  const { context, apiKeys } = options;
  const { projectIds } = context;
  const { query, url } = target;
  if (root.access === 'key') authenticate(readKeyFromHeader(request.authorization), options);
  const { handler } = findOperation(root.methods, request.method);
  if (root.access === 'key') options.checkRate();
  const isSent = request.method === 'POST';
  const body = isSent ? parseSdkBody(request, query) : undefined;
  // A request with a key may omit the token and then means the first project; a POST authorised by a token must contain
  // it.
  const token = findToken(query, body) ?? (root.access === 'token' && isSent ? undefined : projectIds[0]);
  const projectId = findProjectByToken(token, projectIds);
  if (root.access === 'token' && isSent && apiKeys !== undefined && !apiKeys.includes(token ?? '')) throw wrongToken();
  const { ifNoneMatch } = request;
  return handler(context, { projectId, params: {}, query, body, url, ...defined({ ifNoneMatch }) });
}

function findOperation(methods: Methods, method: string): Operation {
  const name = method === 'HEAD' ? 'GET' : method;
  const operation = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (operation === undefined) throw methodNotAllowed(method, Object.keys(methods));
  return operation;
}

/** Any page may call these paths with a public token. By the Fetch standard a wildcard covers no `Authorization`. */
const CROSS_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': '*, Authorization',
  'Access-Control-Expose-Headers': 'ETag, Retry-After',
};

function allowCrossOrigin<Facts extends { readonly headers?: Readonly<Record<string, string>> }>(facts: Facts): Facts {
  return { ...facts, headers: { ...facts.headers, ...CROSS_ORIGIN } };
}

const NAME = 'personal_api_key';

/** The key in the header; `undefined` without one. */
function readKeyFromHeader(authorization: string | undefined): string | undefined {
  const [scheme, ...rest] = (authorization ?? '').trim().split(/\s+/);
  return scheme?.toLowerCase() === 'bearer' ? rest.join(' ') : undefined;
}

/** Reads the key from a JSON body, even if the body is invalid otherwise, or else from the query. An empty key counts as none. */
function readKeyFromRequest(body: Buffer, query: URLSearchParams): string | undefined {
  const sent = tryParse(body);
  const inBody = isJsonObject(sent) ? sent[NAME] : undefined;
  return typeof inBody === 'string' && inBody !== '' ? inBody : query.get(NAME) || undefined;
}

/** Removes the key, so that links to other pages do not repeat it. */
function withoutKey(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  rest.delete(NAME);
  return rest;
}

/**
 * The context of a request with the key: a member's own key acts as the member. Throws a 401 unless the key is accepted.
 * Without a list any non-empty key is accepted.
 */
function authenticate(
  key: string | undefined,
  { apiKeys, context }: Pick<AnsweringOptions, 'apiKeys' | 'context'>,
): ServiceContext {
  if (key === undefined) throw unauthenticated('not_authenticated', 'Authentication credentials were not provided.');
  const member = key === '' ? undefined : context.store.organization.findMemberByKey(key);
  if (member !== undefined) return { ...context, user: member.user };
  if (key === '' || (apiKeys !== undefined && !apiKeys.includes(key))) {
    throw unauthenticated('authentication_failed', 'The personal API key is not valid.');
  }
  return context;
}

function tryParse(body: Buffer): JsonValue | undefined {
  // Avoids parsing large bodies without a key.
  if (!body.includes(NAME)) return undefined;
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

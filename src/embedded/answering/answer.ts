/**
 * Answers a request: checks path, key, project, rate and method in this order, reads the body, and calls the handler.
 */

import { parseJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { authenticate, keyInHeader, keyInRequest, withoutKey } from './authentication.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import {
  forbidden,
  malformed,
  methodNotAllowed,
  notFound,
  Refusal,
  unsupportedMediaType,
} from '../handler/envelope.ts';
import type { Methods, Operation } from '../handler/operation.ts';
import { OPENAPI_ROUTE } from '../openapi/document.ts';
import { findRoute } from '../routes/find-route.ts';
import { parseSdkBody } from '../sdk/body.ts';
import { findRootRoute, type RootRoute } from '../routes/root-routes.ts';
import type { ServiceRequest } from './request.ts';
import { projectOfToken, tokenIn, wrongToken } from '../sdk/token.ts';

export interface AnsweringOptions {
  readonly context: ServiceContext;
  readonly projectIds: readonly string[];
  readonly apiKeys: readonly string[] | undefined;
  /** Throws a 429 when the rate limit is exceeded. */
  readonly checkRate: () => void;
}

const PROJECT_PATH = /^\/api\/(?:projects|environments)\/([^/]+)\/(.+?)\/?$/;

/** Answers a request; refusals are thrown. */
export function answer(request: ServiceRequest, options: AnsweringOptions): Answer {
  refuseStrangeName(request.origin);
  const { path, query } = splitTarget(request.target);
  const target: Target = { path, query, url: `${request.origin}${path}` };
  const root = path === OPENAPI_PATH ? OPENAPI_ROUTE : findRootRoute(path);
  return root === undefined ? answerProject(request, target, options) : answerRoot({ request, target, root }, options);
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

const OPENAPI_PATH = `/${OPENAPI_ROUTE.path}`;

interface Target extends Pick<Call, 'query' | 'url'> {
  readonly path: string;
}

function answerProject(request: ServiceRequest, { path, query, url }: Target, options: AnsweringOptions): Answer {
  const [, project = '', rest = ''] = PROJECT_PATH.exec(path) ?? [];
  const route = findRoute(decodeSegments(rest), options.context.rules.name);
  if (route === undefined) throw notFound('Endpoint not found.');
  authenticate(findKey(request, query, options.context.rules), options.apiKeys);
  const projectId = findProject(project, options.projectIds);
  options.checkRate();
  const { handler } = findOperation(route.methods, request.method);
  const body = parseBody(request);
  return handler(options.context, { projectId, params: route.params, query: withoutKey(query), body, url });
}

/** Only the first key found is checked. */
function findKey(
  { authorization, body }: ServiceRequest,
  query: URLSearchParams,
  { keyPlaces }: ServiceContext['rules'],
): string | undefined {
  const key = keyInHeader(authorization);
  return key === undefined && keyPlaces !== 'header' ? keyInRequest(body, query) : key;
}

interface RootExchange {
  readonly request: ServiceRequest;
  readonly target: Target;
  readonly root: RootRoute;
}

function answerRoot(exchange: RootExchange, options: AnsweringOptions): Answer {
  if (exchange.root.access !== 'token') return handleRoot(exchange, options);
  try {
    return withHeaders(handleRoot(exchange, options));
  } catch (thrown) {
    // Without these headers a page cannot read the reason of a refusal.
    throw thrown instanceof Refusal ? new Refusal(thrown.message, withHeaders(thrown.facts)) : thrown;
  }
}

function handleRoot({ request, target, root }: RootExchange, options: AnsweringOptions): Answer {
  const { context, projectIds, apiKeys } = options;
  const { query, url } = target;
  if (root.access === 'key') authenticate(keyInHeader(request.authorization), apiKeys);
  const { handler } = findOperation(root.methods, request.method);
  if (root.access === 'key') options.checkRate();
  const isSent = request.method === 'POST';
  const body = isSent ? parseSdkBody(request, query) : undefined;
  // A request with a key may omit the token and then means the first project; a POST authorised by a token must contain
  // it.
  const token = tokenIn(query, body) ?? (root.access === 'token' && isSent ? undefined : projectIds[0]);
  const projectId = projectOfToken(token, projectIds);
  if (root.access === 'token' && isSent && apiKeys !== undefined && !apiKeys.includes(token ?? '')) throw wrongToken();
  const { ifNoneMatch } = request;
  return handler(context, {
    projectId,
    params: {},
    query,
    body,
    url,
    ...defined({ ifNoneMatch }),
  });
}

/** Any page may call these paths with a public token. */
const CROSS_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': '*',
};

function withHeaders<Facts extends { readonly headers?: Readonly<Record<string, string>> }>(facts: Facts): Facts {
  return { ...facts, headers: { ...facts.headers, ...CROSS_ORIGIN } };
}

function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const end = target.indexOf('?');
  if (end === -1) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, end), query: new URLSearchParams(target.slice(end + 1)) };
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

function findOperation(methods: Methods, method: string): Operation {
  const name = method === 'HEAD' ? 'GET' : method;
  const operation = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (operation === undefined) throw methodNotAllowed(method, Object.keys(methods));
  return operation;
}

function parseBody({ method, contentType, body }: ServiceRequest): JsonValue | undefined {
  if (body.length === 0 || method === 'GET' || method === 'HEAD' || method === 'DELETE') return undefined;
  const mediaType = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json') throw unsupportedMediaType(mediaType);
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw malformed(`JSON parse error - ${error instanceof Error ? error.message : 'not JSON'}`);
  }
}

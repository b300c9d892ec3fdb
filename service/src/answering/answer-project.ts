/** Answers a request below a project: checks path, key, project, rate and method in this order, and reads the body. */

import { parseJson } from '../../../src/base/json-text.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { malformed, notFound, unsupportedMediaType } from '../handler/envelope.ts';
import { findRoute } from '../routes/find-route.ts';
import { authenticate, readKeyFromHeader, readKeyFromRequest, withoutKey } from './authentication.ts';
import { findOperation } from './find-operation.ts';
import type { AnsweringOptions, ServiceRequest, RequestTarget } from './request.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';

const PROJECT_PATH = /^\/api\/(?:projects|environments)\/([^/]+)\/(.+?)\/?$/;

export function answerProject(
  request: ServiceRequest,
  { path, query, url }: RequestTarget,
  options: AnsweringOptions,
): Answer {
  const [, project = '', rest = ''] = PROJECT_PATH.exec(path) ?? [];
  const route = findRoute(decodeSegments(rest), options.context.rules);
  if (route === undefined) throw notFound('Endpoint not found.');
  const context = authenticate(findKey(request, query, options.context.rules), options);
  const projectId = findProject(project, options.projectIds);
  options.checkRate();
  const { handler } = findOperation(route.methods, request.method);
  const sent = parseBody(request);
  return handler(context, { projectId, params: route.params, query: withoutKey(query), ...sent, url });
}

/** Only the first key found is checked. */
export function findKey(
  { authorization, body }: ServiceRequest,
  query: URLSearchParams,
  { keyPlaces }: ServiceContext['rules'],
): string | undefined {
  const key = readKeyFromHeader(authorization);
  return key === undefined && keyPlaces !== 'header' ? readKeyFromRequest(body, query) : key;
}

export function decodeSegments(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    throw notFound('Endpoint not found.');
  }
}

/** `@current` means the only project of a service with one project. */
export function findProject(name: string, projectIds: readonly string[]): string {
  const [only] = projectIds;
  if (name === '@current' && projectIds.length === 1 && only !== undefined) return only;
  if (!projectIds.includes(name)) throw notFound('Project not found.');
  return name;
}

/** A form requires the key in the header: a page of any site can send forms without it. */
export function parseBody(request: ServiceRequest): Pick<Call, 'body' | 'text' | 'isForm'> {
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

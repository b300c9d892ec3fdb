/** Answers a request below a project: checks path, key, project, rate and method in this order, and reads the body. */

import { parseJson } from '../../../src/base/json-text.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { malformed, notFound, unsupportedMediaType } from '../handler/envelope.ts';
import { findRoute } from '../routes/find-route.ts';
import { authenticate, readKeyFromHeader, readKeyFromRequest, withoutKey } from './authentication.ts';
import { findOperation } from './find-operation.ts';
import { FORM_TYPES, parseForm } from './form-body.ts';
import type { AnsweringOptions, ServiceRequest, RequestTarget } from './request.ts';

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

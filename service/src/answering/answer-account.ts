/** Answers a request for a project or for the organization: the same checks as below a project, in the same order. */

import type { Answer } from '../handler/call.ts';
import { notFound } from '../handler/envelope.ts';
import { EMBEDDED_ORGANIZATION_ID } from '../handler/user.ts';
import { findAccountRoute, type Route } from '../routes/find-route.ts';
import { decodeSegments, findKey, findProject, parseBody } from './answer-project.ts';
import { authenticate, withoutKey } from './authentication.ts';
import { findOperation } from './find-operation.ts';
import type { AnsweringOptions, ServiceRequest, RequestTarget } from './request.ts';

/** `undefined` if the profile has no such path. */
export function findAccount({ path }: Pick<RequestTarget, 'path'>, { context }: AnsweringOptions): Route | undefined {
  const [, below] = /^\/api\/(.+?)\/?$/.exec(path) ?? [];
  return below === undefined ? undefined : findAccountRoute(decodeSegments(below), context.rules);
}

export function answerAccount(
  { request, target: { query, url }, route }: AccountExchange,
  options: AnsweringOptions,
): Answer {
  const { projectIds } = options;
  const { organizationId, projectId } = route.params;
  const context = authenticate(findKey(request, query, options.context.rules), options);
  if (organizationId !== undefined) checkOrganization(organizationId);
  const project = projectId === undefined ? (projectIds[0] ?? '') : findProject(projectId, projectIds);
  options.checkRate();
  const { handler } = findOperation(route.methods, request.method);
  const sent = parseBody(request);
  return handler(context, { projectId: project, params: route.params, query: withoutKey(query), ...sent, url });
}

export interface AccountExchange {
  readonly request: ServiceRequest;
  readonly target: RequestTarget;
  readonly route: Route;
}

/** The service has one organization, so `@current` is always that one. */
function checkOrganization(id: string): void {
  if (id !== '@current' && id.toLowerCase() !== EMBEDDED_ORGANIZATION_ID) throw notFound('Organization not found.');
}

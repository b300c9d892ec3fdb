/** Answers a request: accepts the host name, splits path and query, and chooses between the kinds of paths. */

import type { Answer } from '../handler/call.ts';
import { OPENAPI_ROUTE } from '../openapi/document.ts';
import { findRootRoute } from '../routes/root-routes.ts';
import { answerAccount, findAccount } from './answer-account.ts';
import { answerClock, CLOCK_PATH } from './answer-clock.ts';
import { answerOfrep } from './answer-ofrep.ts';
import { answerProject } from './answer-project.ts';
import { answerRoot } from './answer-root.ts';
import type { AnsweringOptions, ServiceRequest, RequestTarget } from './request.ts';
import { forbidden } from '../handler/envelope.ts';

/** Answers a request; refusals are thrown. */
export function answer(request: ServiceRequest, given: AnsweringOptions): Answer {
  const options = withClient(request, given);
  refuseStrangeName(request.origin);
  const { path, query } = splitTarget(request.target);
  if (path === CLOCK_PATH && options.clock !== undefined) return answerClock(request, options.clock, options);
  const target: RequestTarget = { path, query, url: `${request.origin}${path}` };
  const root = path === OPENAPI_PATH ? { ...OPENAPI_ROUTE, params: {} } : findRootRoute(path);
  if (root?.access === 'ofrep') return answerOfrep({ request, target, root }, options);
  if (root !== undefined) return answerRoot({ request, target, root }, options);
  const route = findAccount(target, options);
  if (route !== undefined) return answerAccount({ request, target, route }, options);
  return answerProject(request, target, options);
}

const LONGEST_CLIENT = 200;

function withClient({ client }: ServiceRequest, options: AnsweringOptions): AnsweringOptions {
  if (client === undefined || client === '') return options;
  return { ...options, context: { ...options.context, client: client.slice(0, LONGEST_CLIENT) } };
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

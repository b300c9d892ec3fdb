/** Answers a request outside of projects, from an SDK: checks key or token, and allows cross-origin requests. */

import { defined } from '../../../src/base/optional.ts';
import type { Answer } from '../handler/call.ts';
import { Refusal } from '../handler/envelope.ts';
import type { FoundRootRoute } from '../routes/root-routes.ts';
import { parseSdkBody } from '../sdk/body.ts';
import { findProjectByToken, findToken, wrongToken } from '../sdk/token.ts';
import { authenticate, readKeyFromHeader } from './authentication.ts';
import { allowCrossOrigin } from './cross-origin.ts';
import { findOperation } from './find-operation.ts';
import type { AnsweringOptions, ServiceRequest, RequestTarget } from './request.ts';

export interface RootExchange {
  readonly request: ServiceRequest;
  readonly target: RequestTarget;
  readonly root: FoundRootRoute;
}

export function answerRoot(exchange: RootExchange, options: AnsweringOptions): Answer {
  if (exchange.root.access !== 'token') return handleRoot(exchange, options);
  try {
    return allowCrossOrigin(handleRoot(exchange, options));
  } catch (thrown) {
    // A page can read the reason of a refusal only with these headers.
    throw thrown instanceof Refusal ? new Refusal(thrown.message, allowCrossOrigin(thrown.facts)) : thrown;
  }
}

function handleRoot({ request, target, root }: RootExchange, options: AnsweringOptions): Answer {
  const { context, projectIds, apiKeys } = options;
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
  return handler(context, {
    projectId,
    params: {},
    query,
    body,
    url,
    ...defined({ ifNoneMatch }),
  });
}

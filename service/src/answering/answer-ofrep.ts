/** Answers an OFREP request: finds the project by the token in a header, and refuses in the form of the protocol. */

import { memberOf, type JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import type { Answer } from '../handler/call.ts';
import { Refusal, serverError } from '../handler/envelope.ts';
import { parseSdkBody } from '../sdk/body.ts';
import type { OfrepErrorCode } from '../sdk/ofrep.ts';
import { findProjectByToken, wrongToken } from '../sdk/token.ts';
import type { RootExchange } from './answer-root.ts';
import { readKeyFromHeader } from './authentication.ts';
import { allowCrossOrigin } from './cross-origin.ts';
import { findOperation } from './find-operation.ts';
import type { AnsweringOptions, ServiceRequest } from './request.ts';

export function answerOfrep(exchange: RootExchange, options: AnsweringOptions): Answer {
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
  { projectIds, apiKeys }: AnsweringOptions,
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

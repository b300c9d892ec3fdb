/** Authenticates a request by `Authorization: Bearer <key>` and, as PostHog does, by a key in the body or query. */

import { parseJson } from '../../../src/base/json-text.ts';
import { isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { unauthenticated } from '../handler/envelope.ts';
import type { AnsweringOptions } from './request.ts';

const NAME = 'personal_api_key';

/** The key in the header; `undefined` without one. */
export function readKeyFromHeader(authorization: string | undefined): string | undefined {
  const [scheme, ...rest] = (authorization ?? '').trim().split(/\s+/);
  return scheme?.toLowerCase() === 'bearer' ? rest.join(' ') : undefined;
}

/** Reads the key from a JSON body, even if the body is invalid otherwise, or else from the query. An empty key counts as none. */
export function readKeyFromRequest(body: Buffer, query: URLSearchParams): string | undefined {
  const sent = tryParse(body);
  const inBody = isJsonObject(sent) ? sent[NAME] : undefined;
  return typeof inBody === 'string' && inBody !== '' ? inBody : query.get(NAME) || undefined;
}

/** Removes the key, so that links to other pages do not repeat it. */
export function withoutKey(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  rest.delete(NAME);
  return rest;
}

/**
 * The context of a request with the key: a member's own key acts as the member. Throws a 401 unless the key is accepted.
 * Without a list any non-empty key is accepted.
 */
export function authenticate(
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

/** Who may ask: `Authorization: Bearer <key>`, and where PostHog looks besides. */

import { parseJson } from '../../base/json-text.ts';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { unauthenticated } from '../handler/envelope.ts';

const NAME = 'personal_api_key';

/** A key in the header, as the service has it written there; `undefined` where there is none. */
export function keyInHeader(authorization: string | undefined): string | undefined {
  const [scheme, ...rest] = (authorization ?? '').trim().split(/\s+/);
  return scheme?.toLowerCase() === 'bearer' ? rest.join(' ') : undefined;
}

/** A key in a body that is JSON, whatever else is wrong with it; else in the query. An empty one is none. */
export function keyInRequest(body: Buffer, query: URLSearchParams): string | undefined {
  const sent = parsed(body);
  const inBody = isJsonObject(sent) ? sent[NAME] : undefined;
  return typeof inBody === 'string' && inBody !== '' ? inBody : query.get(NAME) || undefined;
}

/** The query without the key, so that no link to another page repeats it. */
export function withoutKey(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query);
  rest.delete(NAME);
  return rest;
}

/** Throws a 401 unless the key is accepted; without a list, any key that is not empty. */
export function authenticate(key: string | undefined, apiKeys: readonly string[] | undefined): void {
  if (key === undefined) throw unauthenticated('not_authenticated', 'Authentication credentials were not provided.');
  if (key === '' || (apiKeys !== undefined && !apiKeys.includes(key))) {
    throw unauthenticated('authentication_failed', 'The personal API key is not valid.');
  }
}

function parsed(body: Buffer): JsonValue | undefined {
  // Bodies are large, keys in them are rare.
  if (!body.includes(NAME)) return undefined;
  try {
    return parseJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

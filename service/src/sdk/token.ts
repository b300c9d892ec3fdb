/** Reads project tokens, which are public and name the project of an SDK. */

import { isJsonArray, objectOrEmpty, type JsonValue } from '../../../src/base/json.ts';
import { Refusal } from '../handler/envelope.ts';

/**
 * The project of a token: `phc_7` or `7` for project 7. A service with one project accepts any token. Throws a 401 for
 * a missing or unknown token.
 */
export function findProjectByToken(token: string | undefined, projectIds: readonly string[]): string {
  const [only] = projectIds;
  const named = projectIds.find((id) => token === id || token === `phc_${id}`);
  const projectId = named ?? (token !== undefined && projectIds.length === 1 ? only : undefined);
  if (projectId !== undefined) return projectId;
  throw wrongToken();
}

/** A service with a list of keys accepts no other tokens, so that a web page cannot read its flags. */
export function wrongToken(): Refusal {
  const facts = { status: 401, type: 'authentication_error', code: 'invalid_api_key' } as const;
  return new Refusal('The project token is missing or not valid.', facts);
}

/** SDKs send the token in the query, in the body, or in the events of the body. */
export function findToken(query: URLSearchParams, body: JsonValue | undefined): string | undefined {
  const first = isJsonArray(body) ? body[0] : body;
  const members = objectOrEmpty(first);
  const properties = objectOrEmpty(members['properties']);
  const candidates = [query.get('token'), members['token'], members['api_key'], members['$token'], properties['token']];
  return candidates.find((candidate): candidate is string => typeof candidate === 'string' && candidate !== '');
}

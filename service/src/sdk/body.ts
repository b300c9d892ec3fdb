/** Reads the bodies of SDKs: JSON of any media type, or a form with base64, either of them compressed. */

import { gunzipSync } from 'node:zlib';
import { parseJson } from '../../../src/base/json-text.ts';
import { type JsonValue, isJsonArray, objectOrEmpty } from '../../../src/base/json.ts';
import { malformed, Refusal } from '../handler/envelope.ts';

export interface SdkBody {
  readonly body: Buffer;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
}

const LARGEST = 20 * 1024 * 1024;

/** An empty body is an empty object. Throws a 400 for anything else. */
export function parseSdkBody(
  { body, contentType = '', contentEncoding = '' }: SdkBody,
  query: URLSearchParams,
): JsonValue {
  // An SDK in a browser names its compression; in Node the same SDK may not, so that only the body tells.
  const isCompressed =
    contentEncoding === 'gzip' ||
    query.get('compression')?.startsWith('gzip') === true ||
    (body[0] === 0x1f && body[1] === 0x8b);
  const text = (isCompressed ? unzip(body) : body).toString('utf8').trim();
  if (text === '') return {};
  // A form never starts like this; curl labels every body a form by default.
  const isJson = /^[[{]/.test(text);
  const isForm = contentType.startsWith('application/x-www-form-urlencoded') || text.startsWith('data=');
  return parse(isForm && !isJson ? readForm(text) : text);
}

function unzip(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: LARGEST });
  } catch {
    throw malformed('The body is not valid gzip, or is too large.');
  }
}

function readForm(text: string): string {
  const data = new URLSearchParams(text).get('data') ?? '';
  // An unescaped plus sign of base64 is read as a space.
  return /^[[{]/.test(data) ? data : Buffer.from(data.replaceAll(' ', '+'), 'base64').toString('utf8');
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw malformed(`JSON parse error - ${(error as Error).message}`);
  }
}

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

/** Reads the bodies of SDKs: JSON of any media type, or a form with base64, either of them compressed. */

import { gunzipSync } from 'node:zlib';
import { parseJson } from '../../../src/base/json-text.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { malformed } from '../handler/envelope.ts';

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
    contentEncoding === 'gzip' || query.get('compression')?.startsWith('gzip') === true || startsAsGzip(body);
  const text = (isCompressed ? unzip(body) : body).toString('utf8').trim();
  if (text === '') return {};
  // A form never starts like this; curl labels every body a form by default.
  const isJson = /^[[{]/.test(text);
  const isForm = contentType.startsWith('application/x-www-form-urlencoded') || text.startsWith('data=');
  return parse(isForm && !isJson ? readForm(text) : text);
}

function startsAsGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
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

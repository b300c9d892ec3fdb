/** Reads the body of a form. Its values are strings; of a repeated name all values count where a list is expected. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { malformed } from '../handler/envelope.ts';

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

export const FORM_TYPES: readonly string[] = [URL_ENCODED, MULTIPART];

/** The names whose values are lists, even with one value. */
const LISTS: ReadonlySet<string> = new Set(['tags', 'evaluation_contexts', 'analytics_dashboards']);

export function parseForm(body: Buffer, contentType: string): JsonObject {
  const pairs = contentType.toLowerCase().startsWith(MULTIPART)
    ? parseMultipart(body, contentType)
    : [...new URLSearchParams(body.toString('utf8'))];
  const values = new Map<string, JsonValue>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    const list = LISTS.has(name) ? [...(Array.isArray(before) ? (before as JsonValue[]) : []), value] : value;
    values.set(name, list);
  }
  return Object.fromEntries(values);
}

/** Throws a 400 for a body without its boundary. */
function parseMultipart(body: Buffer, contentType: string): [name: string, value: string][] {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  const text = `\r\n${body.toString('utf8')}`;
  const parts = boundary === undefined ? [] : text.split(`\r\n--${boundary}`);
  if (parts.length < 2 || !parts.at(-1)?.startsWith('--')) {
    throw malformed('Multipart form parse error - the body does not have the boundary of its content type.');
  }
  return parts.slice(1, -1).map((part) => {
    const end = part.indexOf('\r\n\r\n');
    const [, name] = /^content-disposition:.*?[;\s]name="([^"]*)"/im.exec(part.slice(0, end)) ?? [];
    if (end === -1 || name === undefined) throw malformed('Multipart form parse error - a part has no name.');
    return [name, part.slice(end + 4)];
  });
}

/** Cleans every string that leaves the client: no key, no control characters, bounded length. */

import { replaceSpellings, spellingsOf } from '../../base/api-key.ts';

export interface Redactor {
  /** The string without the key and control characters, truncated to the length of a message. */
  readonly text: (text: string) => string;
  /** An error with only the cleaned message of another one. */
  readonly error: (error: unknown) => Error;
}

const PLACEHOLDER = '[key]';
const LONGEST_TEXT = 2000;

export function createRedactor(apiKey: string): Redactor {
  const spellings = spellingsOf(apiKey);
  const text = (value: string): string => {
    const withoutKey = replaceSpellings(value, spellings, PLACEHOLDER);
    const printable = withoutKey.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');
    return printable.length > LONGEST_TEXT ? `${printable.slice(0, LONGEST_TEXT)}…` : printable;
  };
  return { text, error: (error) => plainError(error, text) };
}

/** Libraries attach sockets, requests and headers to their errors; only name, message and code are copied. */
function plainError(error: unknown, text: (value: string) => string): Error {
  const plain = new Error(text(error instanceof Error ? error.message : String(error)));
  plain.name = error instanceof Error ? text(error.name) : 'Error';
  const code = errorCode(error);
  return code === undefined ? plain : Object.assign(plain, { code: text(code) });
}

/** The code that Node and undici put on an error: `ECONNREFUSED`, `UND_ERR_SOCKET`, `CERT_HAS_EXPIRED` …. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Several addresses of one host failed: the first failure represents all.
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return undefined;
}

/** What may leave the client as words: never the key, no control characters, and not without end. */

import { replaceSpellings, spellingsOf } from '../../base/api-key.ts';

export interface Redactor {
  /** The text without the key and without control characters, cut to a length that fits a message. */
  readonly text: (text: string) => string;
  /** An error that tells what another one said, and carries nothing else of it. */
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

/** Libraries hang sockets, requests and headers on their errors; only name, message and code are taken over. */
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
  // Several addresses of one host were tried: the first failure stands for all.
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return undefined;
}

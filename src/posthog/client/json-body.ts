/** Decodes the bytes of an answer to a JSON value: UTF-8 whatever the content type says, with bounded nesting. */

import { parseJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';

export type JsonBody =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid'; readonly why: 'not_utf8' | 'not_json' | 'too_deep' };

/** Deeper than any flag, and shallow enough for every recursive function that handles the value. */
const DEEPEST_NESTING = 500;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

export function decodeJson(bytes: Uint8Array): JsonBody {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return { kind: 'invalid', why: 'not_utf8' };
  }
  if (text.trim() === '') return { kind: 'empty' };
  if (isTooDeep(bytes)) return { kind: 'invalid', why: 'too_deep' };
  try {
    return { kind: 'value', value: parseJson(text) };
  } catch {
    return { kind: 'invalid', why: 'not_json' };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** One bit distinguishes `[` from `{` and `]` from `}` in ASCII; with that bit set, each pair is one number. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Counts brackets outside of strings, before anything is built from them. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) inString = !inString;
    else if (inString) index += byte === BACKSLASH ? 1 : 0;
    else if ((byte | CASE_BIT) === CLOSING) depth -= 1;
    else if ((byte | CASE_BIT) === OPENING && (depth += 1) > DEEPEST_NESTING) return true;
  }
  return false;
}

/** Payloads as values: the service keeps JSON text, a person writes what the text means. */

import { stringifyJson } from '../../../base/json-text.ts';
import { definedKeys, isJsonObject, longDecimalIn, objectFrom, type JsonValue } from '../../../base/json.ts';
import { ENCRYPTED_PAYLOAD } from '../encrypted-payloads.ts';
import { isRounded } from '../../../base/exact-number.ts';
import { toForm } from '../forms.ts';

/** Values nested more deeply stay JSON text: nobody wants to indent them, and readers of YAML bound the depth. */
const MAX_DEPTH = 20;

/**
 * What a manifest says for a stored payload. Text stays text where the value would not come back as it was: text of
 * a string (in a manifest a string *is* JSON text), of null (as a value that is no payload), text that is not JSON, and
 * numbers that JavaScript rounds.
 */
export function writePayload(stored: JsonValue): JsonValue {
  if (typeof stored !== 'string') return longDecimalIn(stored) === undefined ? stored : stringifyJson(stored);
  if (!survivesParsing(stored)) return stored;
  const value = toForm('payload', stored, {});
  return typeof value === 'string' || value === null ? stored : value;
}

/** Secrets stay out of files: the service keeps a payload for which it is sent this text. */
export function markEncryptedPayloads(payloads: JsonValue): JsonValue {
  if (!isJsonObject(payloads)) return ENCRYPTED_PAYLOAD;
  return objectFrom(definedKeys(payloads).map((variant) => [variant, ENCRYPTED_PAYLOAD]));
}

/** Whether JSON text, once parsed and written as YAML, still means the same to every reader. */
function survivesParsing(jsonText: string): boolean {
  let depth = 0;
  for (const [token] of jsonText.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (token === MERGE_KEY || (!token.startsWith('"') && isRounded(token))) return false;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

/** YAML merges what stands under this key into the mapping around it. */
const MERGE_KEY = '"<<"';

/** Writes payloads as values: the service stores JSON text, a manifest has the value. */

import { stringifyJson } from '../../../base/json-text.ts';
import { definedKeys, isJsonObject, longDecimalIn, objectFrom, type JsonValue } from '../../../base/json.ts';
import { ENCRYPTED_PAYLOAD } from '../encrypted-payloads.ts';
import { isRounded } from '../../../base/exact-number.ts';
import { toForm } from '../forms.ts';

/** Deeper values stay JSON text: they are hard to read in YAML, and YAML readers limit the depth. */
const MAX_DEPTH = 20;

/**
 * The value of a stored payload in a manifest. Text whose value would not read back the same stays text: JSON text of a
 * string (a string in a manifest *is* JSON text), of null (which would mean no payload), invalid JSON text, and text with
 * numbers that a double rounds.
 */
export function writePayload(stored: JsonValue): JsonValue {
  if (typeof stored !== 'string') return longDecimalIn(stored) === undefined ? stored : stringifyJson(stored);
  if (!survivesParsing(stored)) return stored;
  const value = toForm('payload', stored, {});
  return typeof value === 'string' || value === null ? stored : value;
}

/** Marks in place of secrets. When the service is sent a mark, it keeps the stored payload. */
export function markEncryptedPayloads(payloads: JsonValue): JsonValue {
  if (!isJsonObject(payloads)) return ENCRYPTED_PAYLOAD;
  return objectFrom(definedKeys(payloads).map((variant) => [variant, ENCRYPTED_PAYLOAD]));
}

/** Whether the value of JSON text means the same to every reader when it is written as YAML. */
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

/** YAML merges the value of this key into the mapping around it. */
const MERGE_KEY = '"<<"';

/**
 * JSON text as Python writes it, with a space after each comma and colon and in ASCII: how the service stores payload values.
 */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { definedKeys, isJsonArray, isJsonObject, type JsonValue } from '../../../src/base/json.ts';

export function pythonJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (!isJsonObject(value)) return asciiJson(value);
  const members = definedKeys(value).map((key) => `${asciiJson(key)}: ${pythonJson(value[key] ?? null)}`);
  return `{${members.join(', ')}}`;
}

/** Other characters are in strings only, and escaped by UTF-16 unit. */
function asciiJson(value: JsonValue): string {
  return stringifyJson(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON text as Python writes it, with a space after each comma and colon: how the service stores payload values. */

import { stringifyJson } from '../../base/json-text.ts';
import { definedKeys, isJsonArray, isJsonObject, type JsonValue } from '../../base/json.ts';

export function pythonJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const members = definedKeys(value).map((key) => `${stringifyJson(key)}: ${pythonJson(value[key] ?? null)}`);
  return `{${members.join(', ')}}`;
}

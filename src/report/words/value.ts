/** JSON values for people: on one line in YAML flow style, or as several lines for a diff. */

import { stringifyJson } from '../../base/json-text.ts';
import { definedKeys, isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { escapeLine, escapeWholeLine } from '../escape.ts';

const PLAIN_WORD = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const AMBIGUOUS_WORD = /^(?:true|false|null|yes|no|on|off|none)$/i;
const BLOCK_LINE_WIDTH = 84;

/** `{ key: email, operator: icontains, value: "@acme.com" }`. A string is quoted where it could be read as something else. */
export function inlineValue(value: JsonValue): string {
  if (typeof value === 'string') return inlineText(value);
  if (isJsonArray(value)) return `[${value.map(inlineValue).join(', ')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const members = definedKeys(value).map((key) => `${inlineText(key)}: ${inlineValue(value[key] as JsonValue)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** The value on several lines: the lines of a string, or YAML block style. */
export function blockLines(value: JsonValue): string[] {
  if (typeof value === 'string') return value.split('\n').map(escapeWholeLine);
  return block(value, 0);
}

function inlineText(text: string): string {
  if (PLAIN_WORD.test(text) && !AMBIGUOUS_WORD.test(text)) return text;
  return escapeLine(stringifyJson(text));
}

function block(value: JsonValue, depth: number): string[] {
  const inline = inlineValue(value);
  if (inline.length + depth * 2 <= BLOCK_LINE_WIDTH) return [inline];
  if (isJsonArray(value)) return value.flatMap((element) => item(element, depth));
  if (isJsonObject(value)) return definedKeys(value).flatMap((key) => member(value, key, depth));
  return [inline];
}

function item(element: JsonValue, depth: number): string[] {
  const [first = '', ...rest] = block(element, depth + 1);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function member(object: JsonObject, key: string, depth: number): string[] {
  const name = inlineText(key);
  const lines = block(memberOf(object, key) as JsonValue, depth + 1);
  if (lines.length === 1) return [`${name}: ${lines[0] ?? ''}`];
  return [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

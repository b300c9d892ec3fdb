/**
 * Writes values as YAML by itself where that is simple, as it nearly always is, and has the `yaml` package write each entry that is not. Its
 * text is that of the package alone, which a test shows.
 */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { elementAt, isOnOneLine, memberAt, type Position, WIDTH } from './block-style.ts';
import { yamlElement, yamlMember } from './yaml-nodes.ts';

/** One member of a mapping, in lines of which the first is without its indentation. */
export function memberText(name: string, value: JsonValue, around: Position): string {
  const key = scalarText(name, 0, false);
  const text = key === undefined ? undefined : valueText(value, memberAt(name, around), '\n');
  return text === undefined ? yamlMember(name, value, around) : `${key}:${text}`;
}

function elementText(element: JsonValue, around: Position): string {
  const text = valueText(element, elementAt(around), ' ');
  return text === undefined ? yamlElement(element, around) : `-${text}`;
}

/** `before`: what separates a value in block style from its key or its hyphen. */
function valueText(value: JsonValue, at: Position, before: '\n' | ' '): string | undefined {
  if (isScalar(value) || isOnOneLine(value, at)) {
    const text = lineText(value, at, false);
    return text === undefined ? undefined : ` ${text}`;
  }
  const entries = isJsonArray(value)
    ? value.map((element) => elementText(element, at))
    : definedKeys(value).map((name) => memberText(name, value[name] as JsonValue, at));
  const indentation = ' '.repeat(at.indent);
  return `${before === '\n' ? `\n${indentation}` : before}${entries.join(`\n${indentation}`)}`;
}

function isScalar(value: JsonValue): value is Exclude<JsonValue, JsonArray | JsonObject> {
  return !isJsonArray(value) && !isJsonObject(value);
}

/** A value on one line; `undefined` if it is not simple. */
function lineText(value: JsonValue, at: Position, isInFlow: boolean): string | undefined {
  if (isScalar(value)) return scalarText(value, at.column, isInFlow);
  if (isJsonArray(value)) {
    const elements = value.map((element) => lineText(element, elementAt(at), true));
    return elements.includes(undefined) ? undefined : `[${elements.join(', ')}]`;
  }
  const members = definedKeys(value).map((name) => {
    const key = scalarText(name, 0, true);
    const text = lineText(value[name] as JsonValue, memberAt(name, at), true);
    return key === undefined || text === undefined ? undefined : `${key}: ${text}`;
  });
  if (members.includes(undefined)) return undefined;
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** `column`: where the scalar begins, at most. */
function scalarText(value: JsonValue, column: number, isInFlow: boolean): string | undefined {
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'string' || column + value.length + 2 > WIDTH || !SIMPLE.test(value)) return undefined;
  if (MEANT.test(value) || (isInFlow && BRACKETS.test(value))) return `"${value}"`;
  return PLAIN.test(value) ? value : undefined;
}

function numberText(value: number): string | undefined {
  const text = String(value);
  return DECIMAL.test(text) && !Object.is(value, -0) ? text : undefined;
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** No escape, quote or line end is in it, and no character that is not seen. */
const SIMPLE = /^[\w !#-&(-[\]-~\u00c0-\u024f]+$/;

/** Texts that mean something else without quotes: words and whole numbers, and those with a character that has a meaning where it is. */
const MEANT =
  /^(?:y|Y|[Yy]es|YES|n|N|[Nn]o|NO|[Oo]n|ON|[Oo]ff|OFF|[Tt]rue|TRUE|[Ff]alse|FALSE|[Nn]ull|NULL|[Ee][-+]?\d+|\d+)$|^[ ,[\]{}#&*!|>%@`]|: | #|[: ]$/;
const BRACKETS = /[,[\]{}]/;

/** It begins as no number does. */
const PLAIN = /^[a-z$_/(\u00c0-\u024f]/i;

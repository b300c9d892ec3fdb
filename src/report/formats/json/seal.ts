/** JSON for a pipe or a terminal: the same values, without characters that a terminal or a build log obeys. */

import { stringifyJson } from '../../../base/json-text.ts';
import type { JsonValue } from '../../../base/json.ts';
import { disarmLines } from '../../escape.ts';

export function jsonLine(value: JsonValue): string {
  return sealJson(stringifyJson(value));
}

export function jsonText(value: JsonValue): string {
  return sealJson(indentedJson(value));
}

export function indentedJson(value: JsonValue): string {
  return `${stringifyJson(value, 2)}\n`;
}

/** JSON escapes ASCII control characters only. Other control and format characters become escapes with the same meaning. */
export function sealJson(json: string): string {
  return disarmLines(json).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** `schemas/*.schema.json` describe it. */
export const FORMAT_VERSION = '1.0';

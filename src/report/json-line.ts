/** Records as JSON for a pipe or a screen: the same values, with no character in them that a terminal obeys. */

import type { JsonValue } from '../base/json.ts';

/** On one line, for JSON Lines; without a line break at its end. */
export function jsonLine(value: JsonValue): string {
  return harmless(JSON.stringify(value));
}

export function jsonText(value: JsonValue): string {
  return `${harmless(JSON.stringify(value, null, 2))}\n`;
}

/** JSON writes only ASCII controls as escapes; the others, and marks that reorder text, mean the same as escapes. */
function harmless(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

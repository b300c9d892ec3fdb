/** JSON values as text, the way the service's operators on text see them. */

import { canonicalText, isJsonNumber, type JsonValue } from '../../base/json.ts';

/** A text as it is; anything else as compact JSON with sorted members. */
export function jsonText(value: JsonValue): string {
  if (isJsonNumber(value)) return String(value);
  return typeof value === 'string' ? value : canonicalText(value);
}

/** The same with Python's names of the three constants. */
export function pythonText(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return jsonText(value);
}

/** Only A to Z: the service leaves other letters as they are. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

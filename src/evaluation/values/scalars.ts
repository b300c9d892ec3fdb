/** Reads JSON values as the numbers and the strings that the operators of the service compare. */

import { canonicalText, isJsonNumber, type JsonValue } from '../../base/json.ts';

/** A string as it is; anything else as compact JSON with sorted members. */
export function jsonText(value: JsonValue): string {
  if (isJsonNumber(value)) return String(value);
  return typeof value === 'string' ? value : canonicalText(value);
}

/** The same, with Python's names for null, true and false. */
export function pythonText(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return jsonText(value);
}

/** Lower-cases A to Z only, as the service does. */
export function asciiLowerCase(text: string): string {
  // Most texts have no capital letter, and a test takes a tenth of the time.
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : text;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WORD = /^([+-]?)(inf|infinity|nan)$/i;

/** The whole string must be the number: no spaces, units or other bases. `undefined` for anything else. */
export function parseNumber(value: JsonValue): number | undefined {
  if (isJsonNumber(value)) return Number(String(value));
  if (typeof value !== 'string') return undefined;
  if (DECIMAL.test(value)) return Number(value);
  const word = WORD.exec(value);
  if (word === null) return undefined;
  return word[2]?.toLowerCase() === 'nan' ? Number.NaN : word[1] === '-' ? -Infinity : Infinity;
}

/** Reads numbers, and strings that the service accepts as numbers. */

import { isJsonNumber, type JsonValue } from '../../base/json.ts';

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

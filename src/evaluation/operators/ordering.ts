/** `gt`, `gte`, `lt`, `lte`, `between` and `not_between`: values in order. */

import { isJsonArray, isJsonNumber, type JsonValue } from '../../base/json.ts';
import { parseNumber } from '../values/number.ts';

/** Less than, equal to or greater than 0, as the value found is less than, equal to or greater than the one asked for. */
export type Comparison = number;

/** As numbers, also where they are written as text. */
export function compareNumbers(found: JsonValue, wanted: JsonValue): Comparison | undefined {
  const [a, b] = [parseNumber(found), parseNumber(wanted)];
  if (a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b)) return undefined;
  return Number(a > b) - Number(a < b);
}

/** Only within one type of Python's, which tells whole numbers from others; texts by code points. */
export function compareSameType(found: JsonValue, wanted: JsonValue): Comparison | undefined {
  if (typeof found === 'string' && typeof wanted === 'string') return compareCodePoints(found, wanted);
  if (typeof found === 'boolean' && typeof wanted === 'boolean') return Number(found) - Number(wanted);
  if (!isJsonNumber(found) || !isJsonNumber(wanted)) return undefined;
  const [a, b] = [Number(String(found)), Number(String(wanted))];
  return Number.isInteger(a) === Number.isInteger(b) ? a - b : undefined;
}

/** Both ends count. `undefined` where the bounds are no `[low, high]`, or the value found is no number. */
export function isBetween(found: JsonValue, bounds: JsonValue): boolean | undefined {
  if (!isJsonArray(bounds) || bounds.length !== 2) return undefined;
  const [low, high, value] = [parseNumber(bounds[0] ?? null), parseNumber(bounds[1] ?? null), parseNumber(found)];
  if (low === undefined || high === undefined || value === undefined) return undefined;
  if (!(low <= high) || Number.isNaN(value)) return undefined;
  return low <= value && value <= high;
}

function compareCodePoints(a: string, b: string): Comparison {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

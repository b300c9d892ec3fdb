/** The order and equality of values, as operators compare them, in each generation. */

import { isJsonArray, isJsonNumber, type JsonValue } from '../../base/json.ts';
import { parseNumber } from '../values/scalars.ts';

/** Negative, 0 or positive: the property's value is less than, equal to or greater than the filter's. */
export type ComparedOrder = number;

/** The parts of operators that differ between generations. */
export interface OperatorRules {
  /** `exact` and `is_not`. */
  readonly equals: (found: JsonValue, wanted: JsonValue) => boolean;
  /** `gt`, `gte`, `lt`, `lte`; `undefined` for values that cannot be compared. */
  readonly compare: (found: JsonValue, wanted: JsonValue) => ComparedOrder | undefined;
  /** A value as a string, for operators on strings. */
  readonly text: (value: JsonValue) => string;
  readonly lowerCase: (text: string) => string;
}

/** Compares numbers, including strings that read as numbers. */
export function compareNumbers(found: JsonValue, wanted: JsonValue): ComparedOrder | undefined {
  const [a, b] = [parseNumber(found), parseNumber(wanted)];
  if (a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b)) return undefined;
  return Number(a > b) - Number(a < b);
}

/** Compares within one Python type (`int` and `float` are two); strings by code point. */
export function compareSameType(found: JsonValue, wanted: JsonValue): ComparedOrder | undefined {
  if (typeof found === 'string' && typeof wanted === 'string') return compareCodePoints(found, wanted);
  if (typeof found === 'boolean' && typeof wanted === 'boolean') return Number(found) - Number(wanted);
  if (!isJsonNumber(found) || !isJsonNumber(wanted)) return undefined;
  const [a, b] = [Number(String(found)), Number(String(wanted))];
  return Number.isInteger(a) === Number.isInteger(b) ? a - b : undefined;
}

/** Both bounds are inclusive. `undefined` if the bounds are not `[low, high]` or the value is not a number. */
export function isBetween(found: JsonValue, bounds: JsonValue): boolean | undefined {
  if (!isJsonArray(bounds) || bounds.length !== 2) return undefined;
  const [low, high, value] = [parseNumber(bounds[0] ?? null), parseNumber(bounds[1] ?? null), parseNumber(found)];
  if (low === undefined || high === undefined || value === undefined) return undefined;
  if (!(low <= high) || Number.isNaN(value)) return undefined;
  return low <= value && value <= high;
}

function compareCodePoints(a: string, b: string): ComparedOrder {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

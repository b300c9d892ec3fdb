/** Values of `exact` and `is_not` that are compared as truth, not as strings. */

import { isJsonArray, type JsonValue } from '../../base/json.ts';

/**
 * A list is truth-like when all its elements are, so an empty list asks for "true": a quirk that the service's clients share
 * (docs/evaluation.md, "Operators").
 */
export function isTruthLike(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.every(isTruthLike);
  return typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value));
}

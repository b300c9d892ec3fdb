/** `exact` and `is_not`: when a property's value is the one asked for, or one of several. */

import { isJsonArray, jsonEquals, type JsonValue } from '../../base/json.ts';
import { jsonText } from '../values/text.ts';

/** As text, without regard to case; what asks for true or false compares truth instead. */
export function equalsInText(found: JsonValue, wanted: JsonValue): boolean {
  if (isTruthLike(wanted)) return isTrue(wanted) === isTrue(found);
  const text = jsonText(found).toLowerCase();
  const candidates = isJsonArray(wanted) ? wanted : [wanted];
  return candidates.some((candidate) => jsonText(candidate).toLowerCase() === text);
}

/** The same value of the same type. */
export function equalsInType(found: JsonValue, wanted: JsonValue): boolean {
  return isJsonArray(wanted) ? wanted.some((candidate) => jsonEquals(candidate, found)) : jsonEquals(wanted, found);
}

// A list counts when all of it does, so the empty list asks for "true": a quirk that clients of the service share.
function isTruthLike(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.every(isTruthLike);
  return typeof value === 'boolean' || (typeof value === 'string' && /^(true|false)$/i.test(value));
}

function isTrue(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.every(isTrue);
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

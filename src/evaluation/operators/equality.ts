/** `exact` and `is_not`: equality with a value or with one of a list. */

import { isJsonArray, jsonEquals, type JsonValue } from '../../base/json.ts';
import { isTruthLike } from '../../posthog/flag/truth-like.ts';
import { jsonText } from '../values/text.ts';

/** Compares strings, ignoring case. Against true or false, compares truth. */
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

function isTrue(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.every(isTrue);
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

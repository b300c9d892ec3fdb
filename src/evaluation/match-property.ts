/** Matches one property filter against properties, for flags and for lists of persons. */

import type { JsonObject } from '../base/json.ts';
import type { Property } from '../posthog/flag/flag.ts';
import { GENERATIONS } from './generations.ts';
import type { EvaluationContext } from './input.ts';
import { VALUE_OPERATORS } from './operators/operators.ts';

/**
 * Whether `properties` match a filter of type `person` or `group`. A filter that cannot be evaluated (unknown operator,
 * value of the wrong kind) does not match, whatever its operator. Not for filters on cohorts and flags.
 */
export function matchesProperty(
  property: Property,
  properties: JsonObject,
  {
    generation,
    now,
    timeZone,
    searchRegex,
  }: Pick<EvaluationContext, 'generation' | 'now' | 'timeZone' | 'searchRegex'>,
): boolean {
  const operator = VALUE_OPERATORS.get(property.operator ?? 'exact');
  const wanted = property.value ?? null;
  if (operator === undefined || (operator.needsValue && wanted === null)) return false;
  const key = String(property.key);
  const found = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (found === undefined) return operator.missing;
  const rules = GENERATIONS[generation];
  const clock = { now, timeZone: rules.naiveTimes === 'utc' ? 'UTC' : timeZone };
  return operator.test(found, wanted, { rules, clock, ...(searchRegex === undefined ? {} : { searchRegex }) }) ?? false;
}

/** Finds flags whose configuration gives everybody the same value. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { groupsOf, propertiesOf, variantsOf } from './conditions.ts';

/** The value of everybody: a variant, or on without a variant. */
export interface FullRollout {
  readonly variant: JsonValue;
}

/** A flag without conditions and variants counts as fully rolled out although it is off, as in the real service. */
export function findFullRollout(filters: JsonObject): FullRollout | undefined {
  const full = groupsOf(filters).filter(isForEverybody);
  const variants = variantsOf(filters);
  if (variants.length === 0) return full.length > 0 || groupsOf(filters).length === 0 ? { variant: null } : undefined;
  if (full.length === 0) return undefined;
  const forced = full.find(({ variant }) => Boolean(variant))?.['variant'];
  const variant = forced ?? variants.find(({ rollout_percentage: share }) => share === 100)?.['key'];
  return variant === undefined ? undefined : { variant };
}

/** An absent rollout includes everybody, but only an explicit 100 counts here. */
function isForEverybody(group: JsonObject): boolean {
  return group['rollout_percentage'] === 100 && propertiesOf(group).length === 0;
}

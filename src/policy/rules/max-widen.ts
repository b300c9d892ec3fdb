/** `max-widen`: no change turns a flag on for more than so many percentage points of a condition's people. */

import type { Rule } from '../judged.ts';
import type { PolicyFor } from '../policy.ts';
import { sourceOf } from '../source-of.ts';
import { largestWidening } from '../widening.ts';

export const maxWiden: Rule<PolicyFor<'max-widen'>> = (resource, { points: limit }) => {
  const largest = largestWidening(resource);
  if (largest === undefined || largest.points <= limit) return [];
  const { points, exact, pointer } = largest;
  return [{ facts: { what: 'max-widen', points, limit, exact }, ...sourceOf(resource, pointer) }];
};

/** The members that every policy has, whichever rule it is. */

import type { Place } from '../../base/place.ts';

/** `error` refuses the change, `approve` until somebody approves it, `warning` never. */
export type Level = 'error' | 'warning' | 'approve';

export interface PolicyHead {
  readonly level: Level;
  /** The projects to which it applies; absent: all. */
  readonly projects?: readonly string[];
  /** Keys or patterns of the flags to which it applies; absent: all. */
  readonly keys?: readonly string[];
  /** The place of the policy in the configuration. */
  readonly source: Place;
}

/** The options of some rules are made for flags: they are about cohorts only where the rule names some, `cohort:ALIAS`. */
export function namesCohorts({ keys = [] }: Pick<PolicyHead, 'keys'>): boolean {
  return keys.some((key) => key.startsWith('cohort:'));
}

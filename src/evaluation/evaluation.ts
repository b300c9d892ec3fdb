/** What evaluation answers: one flag's value for one subject, and why. */

import type { JsonValue } from '../base/json.ts';

/** `false` for off, `true` for on without a variant, otherwise the variant's key. */
export type FlagValue = boolean | string;

export type Reason =
  | 'super_condition_value'
  | 'holdout_condition_value'
  | 'condition_match'
  | 'out_of_rollout_bound'
  | 'no_condition_match'
  | 'no_group_type'
  | 'flag_disabled'
  | 'missing_dependency';

/** Why a flag has its value; `conditionIndex` counts from 0 in the order of `filters.groups`. */
export interface Verdict {
  readonly value: FlagValue;
  readonly reason: Reason;
  readonly conditionIndex: number | null;
}

export interface Evaluation extends Verdict {
  readonly key: string;
  readonly enabled: boolean;
  readonly variant?: string;
  /** As the flag holds it: JSON text where the service keeps text. Absent where there is none. */
  readonly payload?: JsonValue;
}

/** The value that no condition changes: off, for a reason that is not a condition's. */
export function off(reason: Reason, conditionIndex: number | null = null): Verdict {
  return { value: false, reason, conditionIndex };
}

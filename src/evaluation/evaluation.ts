/** The result of evaluation: one flag's value for one subject, and the reason. */

import type { JsonValue } from '../base/json.ts';

/** `false` is off, `true` is on without a variant, a string is the key of the variant. */
export type FlagValue = boolean | string;

export type Reason =
  | 'super_condition_value'
  | 'holdout_condition_value'
  | 'condition_match'
  | 'out_of_rollout_bound'
  | 'no_condition_match'
  | 'no_group_type'
  | 'flag_disabled'
  /** The rule that targets the person is paused. */
  | 'experiment_paused'
  | 'missing_dependency'
  /** The service fails to evaluate the filters, or this release does not know their format: off here, and unknown. */
  | 'unknown_format'
  /** It depends on a regular expression that only the service can read: off here, and unknown to the service. */
  | 'unknown_pattern';

/** A flag's value and its reason; `conditionIndex` is an index into `filters.groups`. */
export interface Verdict {
  readonly value: FlagValue;
  readonly reason: Reason;
  readonly conditionIndex: number | null;
  /** What a flag with rules answers, whose `conditionIndex` is that of the rule. */
  readonly ruled?: RuledValue;
}

interface RuledValue {
  /** Has the type of the flag; null leaves the choice to the code that reads it. */
  readonly value: JsonValue;
  /** The rule that decided. */
  readonly id?: string;
  readonly type?: string;
}

export interface Evaluation extends Verdict {
  readonly key: string;
  readonly enabled: boolean;
  readonly variant?: string;
  /** The stored value: a string of JSON if the service stores strings. Absent without a payload. */
  readonly payload?: JsonValue;
}

/** Whether only the service knows the value. */
export function isUndecided(reason: Reason): reason is UndecidedReason {
  return reason === 'unknown_format' || reason === 'unknown_pattern';
}

export type UndecidedReason = 'unknown_format' | 'unknown_pattern';

/** The value off, for a reason other than a condition. */
export function off(reason: Reason): Verdict {
  return { value: false, reason, conditionIndex: null };
}

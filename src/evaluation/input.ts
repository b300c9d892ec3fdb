/** The input of evaluation, which is the project's flags and cohorts, the time, and the subject; and its result. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Flag, Property } from '../posthog/flag/model/flag.ts';

/**
 * The evaluators of the service; `generations.ts` lists their differences. Today's compares true and false by truth or, in projects with
 * `property_matching_version` 2, `explicit`ly.
 */
export type Generation = 'python-2023' | 'rust-2026' | 'rust-2026-explicit';

export interface EvaluationInput {
  /** All flags of the project, since any flag may be a dependency. Deleted flags count as missing. */
  readonly flags: readonly Flag[];
  readonly context: EvaluationContext;
  readonly subject: Subject;
}

export interface EvaluationContext {
  readonly generation: Generation;
  readonly now: Date;
  /** The project's time zone, an IANA name such as `Europe/Berlin`. An unknown name throws a RangeError. */
  readonly timeZone: string;
  /** Names of group types by index: `{ "0": "company" }`. */
  readonly groupTypes: Readonly<Record<string, string>>;
  /** Keys are ids. */
  readonly cohorts: Readonly<Record<string, KnownCohort>>;
  readonly assumptions?: Assumptions;
}

/**
 * A static cohort is a list of members (see `Subject.cohortIds`); the members of a dynamic cohort follow from
 * properties.
 */
export type KnownCohort = { readonly kind: 'static' } | { readonly kind: 'dynamic'; readonly properties: JsonObject };

/** The person that flags are evaluated for, and the groups of that person. */
export interface Subject {
  readonly distinctId: string;
  readonly personProperties: JsonObject;
  /** Keys of groups, by the name of their type. */
  readonly groups: Readonly<Record<string, string | number>>;
  /** Properties of groups, by the name of their type. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>;
  /** Buckets flags with `bucketing_identifier: device_id`. */
  readonly deviceId?: string;
  /** The distinct id before sign-in; buckets flags with `ensure_experience_continuity`. */
  readonly anonymousId?: string;
  /** Identifiers that the service stored, by flag key; they precede `anonymousId`. */
  readonly identifierOverrides?: Readonly<Record<string, string>>;
  /** The static cohorts of the person, by id or by the name that `cohorts` has them under. */
  readonly cohortIds?: readonly (number | string)[];
}

/** An answer of `undefined` assumes nothing. */
export interface Assumptions {
  /** Whether the hash lies in the first `share` of its range. */
  readonly hash?: (hash: HashName, share: number) => boolean | undefined;
  /** Whether the subject matches the filter. `aggregation`: the group type of its condition; null means persons. */
  readonly filter?: (property: Property, aggregation: number | null) => boolean | undefined;
  /** Whether the subject matches a filter that only the service can decide. */
  readonly undecided?: (property: Property, aggregation: number | null) => boolean | undefined;
  /** Whether the subject matches all filters of a list. Those on flags are evaluated besides. */
  readonly filters?: (properties: readonly Property[], aggregation: number | null) => boolean | undefined;
  /**
   * The match, if it follows from earlier answers. If it does not, evaluation decides the rollout of the condition first, since nobody
   * needs the filters of those who are outside. The values stay the same; the reason of a flag that is off may not.
   */
  readonly implied?: (properties: readonly Property[], aggregation: number | null) => boolean | undefined;
  /** The key of the group of a type, or the device; empty if the subject has none. */
  readonly identifier?: (of: number | 'device') => string | undefined;
  /** Whether the person has the property. */
  readonly has?: (property: string) => boolean | undefined;
  /** Whether the property of a person who has it says that they enrolled. */
  readonly enrolled?: (property: string) => boolean | undefined;
}

/** Hashes of different names are independent of each other. */
export interface HashName {
  readonly kind: 'rollout' | 'variant' | 'holdout';
  /** The seed of a rule has its place; a holdout has what precedes the identifier. */
  readonly flagKey: string;
  readonly identifier: string;
}

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

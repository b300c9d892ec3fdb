/** The number of people that the changes of a plan affect, and what scheduled changes do, as facts. `report/words/` has the sentences. */

import type { Place } from '../../base/place.ts';
import type { Moment, PlannedRollout } from '../../core/rollout/rollout.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { PredictedOutcome, ScheduleFacts, UnknownSchedules } from '../../posthog/flag/schedules.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import type { Effect, NumberedCondition } from './effect.ts';

export interface Impact {
  /** Flags whose values may change: first those that the plan changes, in its order, then their dependents, by key. */
  readonly flags: readonly FlagImpact[];
  /** The impact of the steps ahead of rollouts that the change decides, in order of time; absent if there are none. */
  readonly steps?: readonly StepImpact[];
  /** Absent if no people were counted. */
  readonly persons?: PersonsRead;
}

/** One step, or several that are made at once, compared with the state before. */
export interface StepImpact extends Pick<StepAhead, 'at' | 'due' | 'jump_since'> {
  readonly flags: readonly FlagImpact[];
}

/** The people of a file who were counted. It has no personal data. */
export interface PersonsRead {
  readonly source: 'file';
  /** People with an id, each once. */
  readonly counted: number;
  /** Lines with the id of an earlier line, which are not counted. */
  readonly duplicate: Lines;
  readonly withoutId: Lines;
  readonly malformed: Lines;
}

export interface Lines {
  readonly count: number;
  /** Numbers of the first of them. */
  readonly first: readonly number[];
}

export interface FlagImpact {
  readonly key: string;
  /** The plan changes the flag itself, or a flag that it depends on, or only a cohort that it uses. */
  readonly by: 'change' | 'dependency' | 'cohort';
  /** The changed flags that it depends on, directly or not; absent for a flag that changes itself, or only by a cohort. */
  readonly through?: readonly string[];
  /** The place of the declaration; absent for a flag that changes itself, and for one that no manifest declares. */
  readonly source?: Place;
  /** The estimate without data of people. */
  readonly estimate: Estimate;
  /** Real people by outcome; absent if none were counted. */
  readonly persons?: PersonCounts;
}

/** `undecided`: the result depends on something unknown about the person. */
export type PersonCounts = Readonly<Record<keyof Shares | 'unchanged' | 'undecided', number>>;

export type Estimate =
  | {
      readonly kind: 'audiences';
      readonly audiences: readonly Audience[];
      /** Conditions of the flag, before or after, with a filter that this release does not know. */
      readonly unmatched: readonly NumberedCondition[];
      /** The definition of a cohort that the flag uses changes; its members are taken as unchanged. */
      readonly cohortChanges?: true;
      /** Fields that change and that no evaluation here reads; absent if there are none. */
      readonly uncounted?: readonly string[];
    }
  /** The flag is disabled before and after. */
  | { readonly kind: 'dormant' }
  /**
   * `format`: filters of a format, or with rules, that this release does not know. `cohort`: whom the changed definition of a cohort selects. `filter`: a filter that
   * this release does not know, which no condition of the flag has itself. `combinations`: too many of them decide.
   * `left`: the flag has another value than the one that a step begins with.
   */
  | { readonly kind: 'unknown'; readonly why: 'format' | 'cohort' | 'filter' | 'combinations' | 'left' };

/** People who match some conditions. The shares hold for all of them, whatever else is true of them. */
export interface Audience {
  /** Conditions of the flag once the plan is applied. */
  readonly conditions: readonly NumberedCondition[];
  /** Live conditions that the plan removes or whose properties it changes. */
  readonly former: readonly NumberedCondition[];
  /** Conditions of other flags, on which those conditions depend, that these people match; absent if there are none. */
  readonly through?: readonly ConditionOfFlag[];
  /** The conditions that these people do not match; absent if they make no difference. */
  readonly without?: Pick<Audience, 'conditions' | 'former'>;
  /** People who enrolled in the flag's early access. */
  readonly enrolled?: true;
  /** People who declined the flag's early access. */
  readonly declined?: true;
  /** The audience is everybody who is in no other one. */
  readonly others?: true;
  readonly shares: Shares;
  /** The shares are upper bounds: those of some of these people are less. */
  readonly upTo?: true;
  readonly method: Method;
}

interface ConditionOfFlag extends NumberedCondition {
  readonly key: string;
}

/** Percentages of an audience. The people in none of them get what they got before. */
export interface Shares {
  readonly turnsOn: number;
  readonly turnsOff: number;
  readonly changesVariant: number;
  /** The same variant, with another payload. */
  readonly changesPayload: number;
}

/** Integrated over the ranges of the hashes. */
interface Method {
  readonly kind: 'exact';
}

/** One scheduled change of a declared flag. */
export interface ScheduledEffects extends ScheduleFacts {
  /** The end of the repetition. */
  readonly until?: string;
  /** The user who scheduled it, in whose name it is made. */
  readonly by?: string;
  /** The change request that is bound to it; its state is the service's. */
  readonly approval?: { readonly request: string; readonly state: string };
  readonly outcome: PredictedOutcome['kind'];
  /** Absent if the service makes no change, or if that is unknown. Empty if the flag already is as scheduled. */
  readonly effects?: readonly Effect[];
  readonly dormant?: true;
  /** The flag itself, and those that depend on it; absent if no value may change. */
  readonly impact?: readonly FlagImpact[];
}

/** `unknown`: why the scheduled changes are unknown. */
export interface ScheduledFacts {
  readonly changes: readonly ScheduledEffects[];
  readonly unknown?: UnknownSchedules;
}

/** A plan whose impact is estimated. */
export interface EstimatedPlan {
  readonly plan: Pick<Plan, 'changes' | 'warnings'>;
  readonly live: LiveState;
  readonly desired: DesiredState;
  /** The later steps of the rollouts that it decides. */
  readonly steps?: readonly StepAhead[];
}

/** The scheduled changes to report. */
export interface Scheduled {
  readonly live: LiveState;
  /** The flags to report, by their keys in the report. */
  readonly subjects: readonly { readonly key: string; readonly id: number }[];
  /** The changes that are applied first; empty if the report is about live state. */
  readonly changes: Plan['changes'];
  /** Rollouts, which make steps between the scheduled changes. */
  readonly rollouts?: readonly PlannedRollout[];
  readonly left?: Plan['left'];
  readonly moment?: Pick<Moment, 'now' | 'every'>;
}

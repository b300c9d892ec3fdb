/** A rollout: a value that changes by declared steps, and its progress. All of it is JSON, with times such as `2026-12-01T08:00:00.000Z`. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { GuardReading } from './guard.ts';

export interface Step {
  readonly at: string;
  readonly to: JsonValue;
  /** Somebody made the step in the service: it counts as applied at its time, whatever the record says. */
  readonly done?: true;
}

/** What a manifest declares instead of a value. */
export interface Rollout {
  /** The value until the first step. */
  readonly from: JsonValue;
  /** The steps in order of time; at least one. */
  readonly steps: readonly Step[];
  /** A late run goes to the newest step whose time has come, instead of the next one. */
  readonly catch_up?: 'latest';
  /** The names of the guards that each widening step waits for; at least one. */
  readonly guard?: readonly string[];
}

/** How far a rollout was applied to a project. */
export interface Progress extends Rollout {
  /** The key of the resource. */
  readonly key: string;
  /** The pointer in the manifest from the declaration: `/projects/staging/rollout_percentage`. */
  readonly pointer: string;
  /** The step that was applied last; -1: none yet. */
  readonly step: number;
  /** When that step was applied. */
  readonly at: string;
  /** The step that a run requested from the service, where people decide: no run asks again without knowing what became of that. */
  readonly asked?: number;
  /** The approvals of its steps when they were reviewed, one for each finding that requires it; absent if none does. */
  readonly approved?: readonly Approval[];
  /** What its guards said when that step was made. */
  readonly let_through?: readonly GuardReading[];
}

/** An approval of one finding on one step: it lifts no other. */
export interface Approval {
  readonly rule: string;
  readonly by: string;
  /** When the step is due. */
  readonly step: string;
  /** What the rule found. */
  readonly facts: JsonObject;
  /** It covers the jumps that late runs make over several steps. */
  readonly jumps?: true;
}

/** The progress of a rollout, as an apply recorded it or, if none did, as found in the service. */
export interface Reached extends Progress {
  readonly found_live?: true;
  /** No run is known to have made the step that was found: the value may mean something else, so no step follows it. */
  readonly unknown_origin?: true;
  /** The run takes the flag back to this step and makes no other. */
  readonly stays?: true;
  /** An undo took the next step back, and no run has made it since. */
  readonly taken_back?: true;
  /** See `DeclaredRollout`. */
  readonly continued?: number;
}

/** A rollout as it applies to a declared resource of one project. */
export interface DeclaredRollout extends Rollout {
  /** The pointer in the manifest from the declaration. */
  readonly pointer: string;
  /** The path in the names of the service: `/filters/groups/0/rollout_percentage`. */
  readonly path: string;
  /** The step whose value is declared; -1: none yet. */
  readonly step: number;
  /** The applied step; absent if none was. `key`: of the resource at that time, if it has another one now. */
  readonly applied?: Pick<Progress, 'step' | 'at' | 'let_through'> & Partial<Pick<Progress, 'key'>>;
  /** No apply recorded that step: it was found in the service, and its time is that of the run that found it. */
  readonly found_live?: true;
  /** It was found there, and no run is known to have made it. */
  readonly unknown_origin?: true;
  /** An undo took the next step back, and no run has made it since. */
  readonly taken_back?: true;
  /** The id of the flag: `off` or an undo held the rollout back, and the person who makes the plan lets it go on. */
  readonly continued?: number;
  /** When the step after the applied one is due, or was; absent after the last one. */
  readonly due?: string;
  /** When the step after the declared one is due if that one is made now; absent if it was made before, or is the last. */
  readonly then_due?: string;
  /** The step that a run requested from the service, where people decide. */
  readonly asked?: number;
  /** The recorded time of the applied step is in the future: a clock was wrong, and no run makes a step. */
  readonly recorded_later?: true;
  /** Its next step is due but not made: a person has to decide first, or a guard does not let it through. */
  readonly held?: true;
  /** The next step was due so long ago that at least one run must have missed it. */
  readonly overdue?: true;
  /**
   * What asks for the due step. `plan`: also the manifests that were applied last. `change`: only the current manifests. Absent if no step
   * is due, and in runs that do nothing but make steps.
   */
  readonly due_by?: 'plan' | 'change';
  /** What its guards say about its next step, in runs that ask them; absent if that step is not due, or narrows. */
  readonly guard_readings?: readonly GuardReading[];
  /** The steps were reviewed: the manifests that were applied last have the same, and the flag means the same to people. */
  readonly reviewed?: true;
}

/** A rollout at its place. */
export type PlacedRollout = Rollout & Pick<DeclaredRollout, 'path' | 'step'>;

/**
 * What a plan decides about the steps of a resource. Once it is applied, runs make the steps at their times and ask nobody. Only rollouts
 * with steps left are named.
 */
export interface RolloutChange {
  readonly ref: string;
  readonly key: string;
  /** What was applied last; empty: no step was left. */
  readonly before: readonly PlacedRollout[];
  /** What the plan declares; empty: no step comes any more. */
  readonly after: readonly PlacedRollout[];
}

/** A rollout of a resource of a plan. */
export interface PlannedRollout extends DeclaredRollout {
  /** The key of the resource. */
  readonly key: string;
  /** The flag is switched off in the service, and no manifest declares whether it is on. */
  readonly switched_off?: true;
  /** Why no run makes its next step until a person decides. */
  readonly waits?: WaitReason;
}

/**
 * `edited`: somebody changed the flag, its access or who may enroll since the last apply. `held_back`: somebody undid its next step, or turned
 * the flag off when it was off, so no difference shows it. `unrecorded`: the commit that was applied last has
 * other steps than those that were recorded with it, because an apply left the flag. `recorded_later`: its last step has a recorded time in
 * the future, so a clock was wrong. `switched_off`: the flag is off, and no manifest declares whether it is on, so no apply turns it on.
 * `unknown_origin`: the service has the value of a later step, and no run is known to have made that. `refused`: a safety rule or a policy refuses its step, in a run that makes nothing but due steps.
 * `guarded`: a guard holds its step, or does not know.
 */
export type WaitReason =
  'edited' | 'held_back' | 'unrecorded' | 'recorded_later' | 'switched_off' | 'unknown_origin' | 'refused' | 'guarded';

/** The time at which manifests are resolved, and what was applied until then. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly progress: readonly Reached[];
  /**
   * `applied`: the steps that were applied, whatever the time. `due`: and one more if it is due, as a run would make it. `planned`: every
   * step whose time has come, as if each had been made when it was due.
   */
  readonly reach: 'applied' | 'due' | 'planned';
  /** The latest time at which somebody can have made a step; absent if `now` is not the present. */
  readonly present?: number;
  /** The interval between runs that make steps, in ms: steps must not be closer, and a step that is late by less is on time. */
  readonly every: number;
}

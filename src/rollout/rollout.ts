/** A rollout: a value that its plan changes over time, and how far it has come. All of it is JSON; times are in UTC, `2026-12-01T08:00:00.000Z`. */

import type { JsonValue } from '../base/json.ts';

export interface Step {
  readonly at: string;
  readonly to: JsonValue;
  /** Somebody made it in the service: it counts as applied at its time, whatever else is recorded. */
  readonly done?: true;
}

/** What a manifest declares in place of a value. */
export interface Rollout {
  /** The value until the first step. */
  readonly from: JsonValue;
  /** The steps in order of time; at least one. */
  readonly steps: readonly Step[];
  /** A late run goes to the newest step whose time has come, in place of the next one. */
  readonly catch_up?: 'latest';
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
  /** Who approved its steps when they were reviewed, by the rule that asks for it; absent if no rule does. */
  readonly approved?: readonly Approval[];
}

export interface Approval {
  readonly rule: string;
  readonly by: string;
  /** It covers the jumps that late runs make over several steps. */
  readonly jumps?: true;
}

/** How far a rollout has come: as an apply recorded it, or as the service shows where no apply did. */
export interface Reached extends Progress {
  readonly found_live?: true;
}

/** A rollout as it applies to a declared resource of one project. */
export interface DeclaredRollout extends Rollout {
  /** The pointer in the manifest from the declaration. */
  readonly pointer: string;
  /** The path in the names of the service: `/filters/groups/0/rollout_percentage`. */
  readonly path: string;
  /** The step whose value is declared; -1: none yet. */
  readonly step: number;
  /** How far it was applied; absent: it never was. `key`: of the resource then, if it was another. */
  readonly applied?: Pick<Progress, 'step' | 'at'> & Partial<Pick<Progress, 'key'>>;
  /** No apply recorded that step: it was found in the service, and its time is that of the run that found it. */
  readonly found_live?: true;
  /** When the step after the applied one is due, or was; absent after the last one. */
  readonly due?: string;
  /** When the step after the declared one is due, if that is made now; absent where it is made already, and after the last one. */
  readonly then_due?: string;
  /** The time of the applied step is still to come: a clock was wrong, and no run makes a step. */
  readonly recorded_later?: true;
  /** Its next step is due and is not made: somebody changed the flag in the service, and a person decides first. */
  readonly held?: true;
  /** It was due so long ago that a run must have missed it. */
  readonly overdue?: true;
  /**
   * Who asks for the step that is due. `plan`: the manifests that were applied last do too. `change`: only those of the plan do. Absent where
   * none is due, and in runs that make nothing else.
   */
  readonly due_by?: 'plan' | 'change';
  /** The manifests that were applied last have the same steps, of a flag that means the same to people: they were reviewed. */
  readonly reviewed?: true;
}

/** A rollout of a resource of a plan. */
export interface PlannedRollout extends DeclaredRollout {
  /** The key of the resource. */
  readonly key: string;
  /** The flag is switched off in the service, and the manifests do not say whether it is to be. */
  readonly switched_off?: true;
}

/** The time at which manifests are resolved, and what was applied until then. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly progress: readonly Reached[];
  /**
   * `applied`: what was applied, whatever the time. `due`: one step more where its time has come, as a run writes it. `planned`: as if
   * each step were applied when it is due.
   */
  readonly reach: 'applied' | 'due' | 'planned';
  /** Nobody made a step later than this; absent where `now` is not the present. */
  readonly present?: number;
  /** How often rollouts are looked at, in ms: steps must not be closer, and one that is late by less is on time. */
  readonly every: number;
}

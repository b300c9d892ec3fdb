/** The result of an apply: each change of the plan with its one outcome, and what still differs afterwards. */

import type { ProjectIdentity } from '../engine/project.ts';
import type { Change, FieldChange, PlanSummary } from '../posthog/plan.ts';
import type { Remainder } from '../engine/remainder.ts';

export interface ApplyResult {
  readonly project: ProjectIdentity;
  readonly summary: PlanSummary;
  readonly outcomes: OutcomeCounts;
  /** In the plan's order, one for each change. */
  readonly changes: readonly ChangeResult[];
  /** What a re-read still finds different in flags whose change was applied; empty after a normal run. */
  readonly remainder: readonly Remainder[];
  /** Whether that re-read took place; a run that was interrupted or lost the service has none. */
  readonly verified: boolean;
  readonly requests: number;
}

export type OutcomeCounts = { readonly [Kind in OutcomeKind]: number };
export type OutcomeKind = Outcome['outcome'];

export interface ChangeResult {
  readonly change: Change;
  readonly result: Outcome;
}

export type Outcome =
  /**
   * `id`: of the flag, or of the role access entry, as the service answered. `already`: an earlier run of
   * the same plan or somebody else made it so, and this run wrote nothing: it sent nothing, or the service refused it.
   */
  | { readonly outcome: 'applied'; readonly id?: number; readonly already?: true }
  | { readonly outcome: 'failed'; readonly error: OutcomeError }
  | { readonly outcome: 'skipped'; readonly reason: SkipReason }
  /** The service opened a change request that a person has to approve. */
  | { readonly outcome: 'pending'; readonly error: OutcomeError }
  /** It may have happened: the answer was lost and the look-up afterwards failed too. */
  | { readonly outcome: 'unknown'; readonly error: OutcomeError };

export type SkipReason =
  | { readonly code: 'interrupted' }
  | { readonly code: 'deadline' }
  /** The record of the run could not be kept any more, and without it nothing is sent. */
  | { readonly code: 'not_recorded' }
  | { readonly code: 'needs_failed'; readonly refs: readonly string[] }
  | { readonly code: 'stale'; readonly moved: readonly FieldChange[] };

/** Why a change failed, as the service or the network put it; texts are data from outside. */
export interface OutcomeError {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  /** The field that the service names (`attr`). */
  readonly field?: string;
}

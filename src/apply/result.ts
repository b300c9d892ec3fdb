/** The result of an apply: each change of the plan with its outcome, and what still differs afterwards. */

import type { ProjectIdentity } from '../engine/project.ts';
import type { Change, FieldChange, PlanSummary } from '../posthog/plan.ts';
import type { Left } from '../engine/left.ts';
import type { Remainder } from '../engine/remainder.ts';

export interface ApplyResult {
  readonly project: ProjectIdentity;
  readonly summary: PlanSummary;
  readonly outcomes: OutcomeCounts;
  /** In the plan's order, one for each change. */
  readonly changes: readonly ChangeResult[];
  /** What reading back still finds different in applied changes; empty after a normal run. */
  readonly remainder: readonly Remainder[];
  /** What the plan left as it is live; absent where it left nothing. */
  readonly left?: readonly Left[];
  /** Whether that reading back took place; it does not when the run is interrupted or the service becomes unreachable. */
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
   * `id`: of the flag or the role access entry, from the service's answer. `already`: an earlier run of the same plan or
   * another user made the change, and this run wrote nothing: it sent nothing, or the service refused it.
   */
  | { readonly outcome: 'applied'; readonly id?: number; readonly already?: true }
  | { readonly outcome: 'failed'; readonly error: OutcomeError }
  | { readonly outcome: 'skipped'; readonly reason: SkipReason }
  /** The service opened a change request that needs approval. */
  | { readonly outcome: 'pending'; readonly error: OutcomeError }
  /** The write may have happened: the answer was lost, and the look-up did not settle it. */
  | { readonly outcome: 'unknown'; readonly error: OutcomeError };

export type SkipReason =
  | { readonly code: 'interrupted' }
  | { readonly code: 'deadline' }
  /** The run could not be recorded, and nothing is sent without a record. */
  | { readonly code: 'not_recorded' }
  /** The service refused the API key for `ref`, a change of the same kind of resource, so nothing was sent. */
  | { readonly code: 'key_refused'; readonly ref: string }
  | { readonly code: 'needs_failed'; readonly refs: readonly string[] }
  | { readonly code: 'stale'; readonly moved: readonly FieldChange[] };

/** Why a change failed. The strings come from the service or the network and are untrusted. */
export interface OutcomeError {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  /** The field that the service names (`attr`). */
  readonly field?: string;
}

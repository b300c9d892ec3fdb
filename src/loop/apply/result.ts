/** The result of an apply: each change of the plan with its outcome, and what still differs afterwards. */

import type { ResourceId } from '../../core/engine/snapshot.ts';
import type { RequestMatch } from '../../core/engine/change-request.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { Change, FieldChange, PlanSummary } from '../../posthog/plan.ts';
import type { Released } from '../../core/engine/base.ts';
import type { LeftChange } from '../../core/engine/matched.ts';
import type { RuleWarning, SwitchOff } from '../../core/engine/plan.ts';
import type { Unwritable } from '../../posthog/planning/drift-groups.ts';
import type { Remainder } from '../../core/engine/diff.ts';

export interface ApplyResult {
  readonly project: ProjectIdentity;
  /** The recorded run that the plan reverts. */
  readonly undoes?: string;
  readonly off?: SwitchOff;
  readonly summary: PlanSummary;
  readonly outcomes: OutcomeCounts;
  /** One for each change, in the plan's order. */
  readonly changes: readonly ChangeResult[];
  /** The differences that reading back still finds in applied changes; empty after a normal run. */
  readonly remainder: readonly Remainder[];
  /** The differences that the plan left as they are live; absent if there are none. */
  readonly left?: readonly LeftChange[];
  /** The differences that no plan can write; absent if there are none. */
  readonly unwritable?: readonly Unwritable[];
  /** The resources that only the base declared: the plan leaves them alone. Absent without a base. */
  readonly released?: readonly Released[];
  /** What the plan would have been checked against and could not be read; absent if all was. */
  readonly notKnown?: readonly NotKnown[];
  /** Whether applied changes were read back; they are not when the run is interrupted or the service becomes unreachable. */
  readonly verified: boolean;
  readonly requests: number;
}

export type NotKnown = Extract<RuleWarning, { readonly code: 'not_known' }>;

export type OutcomeCounts = { readonly [Kind in OutcomeKind]: number };
export type OutcomeKind = Outcome['outcome'];

export interface ChangeResult {
  readonly change: Change;
  readonly result: Outcome;
}

export type Outcome = WrittenOutcome | (UnwrittenOutcome & { readonly parts?: WrittenParts });

type WrittenOutcome =
  /**
   * `id`: of the resource or the role access entry, from the service's answer. `already`: an earlier run of the same plan or
   * another user made the change. This run wrote nothing: it sent nothing, or the service refused what it sent.
   */
  { readonly outcome: 'applied'; readonly id?: ResourceId; readonly already?: true };

type UnwrittenOutcome =
  | { readonly outcome: 'failed'; readonly error: OutcomeError }
  | { readonly outcome: 'skipped'; readonly reason: SkipReason }
  /** The change waits in the service until people approve it; `request` is absent if the answer names none. */
  | { readonly outcome: 'pending'; readonly error: OutcomeError; readonly request?: PendingRequest }
  /**
   * The write may have happened: the answer was lost, and the look-up did not settle it. Or it happened twice, as the error says:
   * another process made the same at the same time (`name_shared`).
   */
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

/** A change that was sent in parts: which fields are written and which are not. */
export interface WrittenParts {
  readonly written: readonly string[];
  /** The flag that a written part created. */
  readonly id?: ResourceId;
  /** Fields of the part that has the outcome. */
  readonly waiting: readonly string[];
  /** Fields of the parts after it. */
  readonly unsent: readonly string[];
}

/** The change request that a pending change waits for. Its strings come from the service and are untrusted. */
export interface PendingRequest {
  readonly id: string;
  /** Absent if the service has no web interface. */
  readonly url?: string;
  /** Such as `feature_flag.enable`. */
  readonly action?: string;
  /** The key of the flag that it changes. */
  readonly key?: string;
  /** Whether an earlier write opened it; this one opened none. */
  readonly wasOpen: boolean;
  /** Absent if the answer does not tell. */
  readonly asks?: RequestMatch;
}

/** Why a change failed. The strings come from the service or the network and are untrusted. */
export interface OutcomeError {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  /** The field that the service names (`attr`). */
  readonly field?: string;
}

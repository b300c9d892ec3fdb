/** A recorded run as reports need it: each change with what is known of it. */

import type { ChangeResult, OutcomeKind } from '../apply/result.ts';
import type { FlagwrightError } from '../base/errors.ts';
import type { ProjectIdentity } from '../engine/project.ts';
import type { Change } from '../posthog/plan.ts';

export interface RecordedRun {
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Absent when the run broke off. */
  readonly endedAt?: string;
  /** Whether a process carries it out. */
  readonly running: boolean;
  readonly project: ProjectIdentity;
  readonly changes: readonly RecordedChange[];
}

export type RecordedChange = ChangeResult | OpenChange;

/** A change without an outcome. `unanswered`: it was sent, and nobody knows what became of it. */
interface OpenChange {
  readonly change: Change;
  readonly open: 'unanswered' | 'not_started';
}

export interface History {
  /** The newest first. */
  readonly runs: readonly RecordedRun[];
  /** Runs whose journals cannot be used. */
  readonly unreadable: readonly { readonly name: string; readonly problem: FlagwrightError }[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

export type RecordedOutcome = OutcomeKind | OpenChange['open'];
export type RecordedCounts = { readonly [Kind in RecordedOutcome]: number };

/**
 * `complete`: every change was applied; `incomplete`: the run ended without that; `running`: a process carries it out;
 * `interrupted`: it broke off.
 */
export type RunState = 'complete' | 'incomplete' | 'running' | 'interrupted';

export function outcomeOf(recorded: RecordedChange): RecordedOutcome {
  return 'open' in recorded ? recorded.open : recorded.result.outcome;
}

export function countRecorded({ changes }: Pick<RecordedRun, 'changes'>): RecordedCounts {
  const counts = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0, unanswered: 0, not_started: 0 };
  for (const change of changes) counts[outcomeOf(change)] += 1;
  return counts;
}

/** Whether the run itself made a change that could be taken back. */
export function isUndoable({ changes }: Pick<RecordedRun, 'changes'>): boolean {
  return changes.some((one) => !('open' in one) && one.result.outcome === 'applied' && one.result.already !== true);
}

export function stateOf(run: RecordedRun): RunState {
  if (run.running) return 'running';
  if (run.changes.every((change) => outcomeOf(change) === 'applied')) return 'complete';
  return run.endedAt === undefined ? 'interrupted' : 'incomplete';
}

/** A recorded run as reports need it: each change with its known outcome. */

import type { ChangeResult, Outcome, OutcomeKind } from '../loop/apply/result.ts';
import type { FlagwrightError } from '../base/errors.ts';
import type { SwitchOff } from '../core/engine/plan.ts';
import type { ProjectIdentity } from '../core/engine/project.ts';
import type { Actor } from '../loop/apply/origin.ts';
import type { Change } from '../posthog/plan.ts';

export interface RecordedRun {
  readonly name: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Absent when the run was cut off. */
  readonly endedAt?: string;
  /** Whether a process executes it now. */
  readonly running: boolean;
  readonly project: ProjectIdentity;
  /** The newest runs of the journal when it began; absent if it does not say. */
  readonly follows?: readonly string[];
  readonly undoes?: string;
  /** Present if the run was one of `off`. */
  readonly off?: SwitchOff;
  readonly actor?: Actor;
  readonly commit?: string;
  readonly changes: readonly RecordedChange[];
}

export type RecordedChange = ChangeResult | OpenChange;

/** A change without an outcome. `unanswered`: it was sent, and no answer was recorded. */
interface OpenChange {
  readonly change: Change;
  readonly open: 'unanswered' | 'not_started';
}

export interface RunHistory {
  readonly folder: string;
  /** Newest first: each run comes before those that it followed. */
  readonly runs: readonly RecordedRun[];
  /** Runs with journals that cannot be read. */
  readonly unreadable: readonly { readonly name: string; readonly problem: FlagwrightError }[];
  /** The newest runs of a project, where it has several that did not follow each other. */
  readonly apart: readonly (readonly string[])[];
  readonly more: boolean;
}

export type RecordedOutcome = OutcomeKind | OpenChange['open'];

/** `complete`: every change was applied; `incomplete`: it ended without that; `interrupted`: it was cut off. */
export type RunStatus = 'complete' | 'incomplete' | 'running' | 'interrupted';

export function outcomeOf(recorded: RecordedChange): RecordedOutcome {
  return 'open' in recorded ? recorded.open : recorded.result.outcome;
}

export function countRecorded({ changes }: Pick<RecordedRun, 'changes'>): Readonly<Record<RecordedOutcome, number>> {
  const counts = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0, unanswered: 0, not_started: 0 };
  for (const change of changes) counts[outcomeOf(change)] += 1;
  return counts;
}

/** Whether the run itself made a change that could be undone. */
export function isUndoable({ changes }: Pick<RecordedRun, 'changes'>): boolean {
  return changes.some((one) => {
    if ('open' in one) return false;
    const { result } = one;
    return result.outcome === 'applied' ? result.already !== true : (result.parts?.written.length ?? 0) > 0;
  });
}

export function stateOf(run: RecordedRun): RunStatus {
  if (run.running) return 'running';
  if (run.changes.every((change) => outcomeOf(change) === 'applied')) return 'complete';
  return run.endedAt === undefined ? 'interrupted' : 'incomplete';
}

/** The live state already matched the plan; nothing was sent. */
export function wasAlready({ result }: ChangeResult): boolean {
  return result.outcome === 'applied' && result.already === true;
}

/** The run did not start or did not finish the change; resuming the run does. */
export function wasStopped(result: Outcome): boolean {
  if (result.outcome !== 'skipped') return result.outcome === 'unknown';
  return ['interrupted', 'deadline', 'not_recorded', 'key_refused'].includes(result.reason.code);
}

/** Executes a confirmed plan: records, applies and reports it. */

import { applyPlan } from '../../apply/apply-plan.ts';
import type { ApplyProgress } from '../../apply/recorder.ts';
import type { ApplyResult } from '../../apply/result.ts';
import type { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../../report/escape.ts';
import { wasAlready, wasStopped } from '../../report/run-record.ts';
import { exitCodeOfResult, type ExitCode } from '../line/exit.ts';
import { beginRecord, continueRecord, type RunRecord } from '../runs/record-run.ts';
import { runCommand } from '../runs/journal-folder.ts';
import type { Session } from '../session/session.ts';
import type { MadePlan } from './make-plan.ts';

export interface Execution extends MadePlan {
  /** Whether the run is recorded. */
  readonly journal: boolean;
  /** The name of the recorded run that this one finishes. */
  readonly resumed?: string;
  /** See `ApplyOptions`. */
  readonly read?: LiveState;
  /** The run is recorded even without changes: it supersedes what an earlier one did not finish. */
  readonly supersedes?: boolean;
}

export interface Executed {
  readonly code: ExitCode;
  readonly result: ApplyResult;
  /** The name of the run in the journal; absent if it was not recorded. */
  readonly run?: string;
}

export async function executePlan(session: Session, execution: Execution): Promise<ExitCode> {
  return (await executeAndTell(session, execution)).code;
}

/** Returns the result too, for commands that print more. */
export async function executeAndTell(session: Session, execution: Execution): Promise<Executed> {
  const { context } = session;
  const startedAt = context.now();
  const record = await openRecord(session, execution);
  const result = await applyRecorded(session, execution, record);
  const loss = await record?.end(result.outcomes);
  const durationMs = context.now() - startedAt;
  const { attributions } = execution;
  await session.publish({ kind: 'result', result, durationMs, ...defined({ run: record?.run, attributions }) });
  const code = exitCodeOfResult(result);
  if (record === undefined) return { code, result };
  const { run } = record;
  await (loss === undefined
    ? noteRecord(session, result, { run, undoes: execution.plan.undoes })
    : printLoss(session, loss));
  return { code: loss !== undefined && code === 0 ? 3 : code, result, run };
}

/** Records a run that decides something and has nothing to write. Returns its name. */
export async function recordNothing(session: Session, plan: Plan): Promise<string> {
  const record = await beginRecord(session, plan);
  const loss = await record.end({ applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 });
  if (loss !== undefined) await printLoss(session, loss);
  return record.run;
}

async function openRecord(
  session: Session,
  { plan, journal, resumed, supersedes }: Execution,
): Promise<RunRecord | undefined> {
  if (resumed !== undefined) return continueRecord(session, resumed);
  return journal && (plan.changes.length > 0 || supersedes === true) ? beginRecord(session, plan) : undefined;
}

async function applyRecorded(
  { options, interrupts }: Session,
  { plan, opened, progress, read }: Execution,
  record: RunRecord | undefined,
): Promise<ApplyResult> {
  // Reads before the first write and after the last one change nothing, so an interrupt need not wait for them.
  const onProgress = (event: ApplyProgress): void => {
    interrupts.drain(event.kind === 'started' || event.kind === 'finished');
    progress.onApply(event);
  };
  try {
    const client = plan.changes.length > 0 ? await opened.forWriting() : opened.client;
    return await applyPlan(plan, client, {
      concurrency: options.concurrency,
      signal: interrupts.stop,
      onProgress,
      ...defined({ recorder: record?.recorder, earlier: record?.earlier, read }),
    });
  } catch (error) {
    await record?.abandon();
    throw error;
  } finally {
    progress.clear();
  }
}

async function noteRecord(
  session: Session,
  { project, changes, outcomes, off }: ApplyResult,
  { run, undoes }: { readonly run: string; readonly undoes: string | undefined },
): Promise<void> {
  const stopped = changes.some(({ result }) => wasStopped(result));
  // A run of `off` says itself how to go on.
  if (!stopped && (off !== undefined || outcomes.applied === changes.filter(wasAlready).length)) return;
  const next = stopped
    ? `\`${runCommand(session, 'apply --resume', project.name)}\` finishes it`
    : `\`${runCommand(session, undoes === undefined ? 'undo' : `undo ${run}`, project.name)}\` reverts it`;
  await session.note(`${session.palette.dim(`Recorded as run ${run}; ${next}.`)}\n`);
}

async function printLoss(session: Session, { message, remedy }: FlagwrightError): Promise<void> {
  const { palette } = session;
  const words = `${palette.error('error')}  ${escapeLine(message)}\n`;
  await session.print(remedy === undefined ? words : `${words}  ${palette.dim('→')} ${escapeLine(remedy)}\n`);
}

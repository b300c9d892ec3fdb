/** Executes a confirmed plan: records, applies and reports it. A run that has nothing to do ends here too; a resumed or undone one is chosen. */

import { applyPlan } from '../../loop/apply/apply-plan.ts';
import type { ApplyProgress } from '../../loop/apply/recorder.ts';
import type { ApplyResult } from '../../loop/apply/result.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { selectProject } from '../../config/select.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { Run } from '../../loop/journal/read.ts';
import { continuedFlags } from '../../loop/journal/recorded.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { findOwnersOfChanges } from '../../posthog/planning/owners.ts';
import type { Grantors } from '../../review/policy/exceptions.ts';
import { approversIn, type Judgement } from '../../review/policy/finding.ts';
import { escapeLine } from '../../report/escape.ts';
import type { NothingReason } from '../../report/report.ts';
import { wasAlready, wasStopped } from '../../report/run-record.ts';
import { rolloutsContinueText } from '../../report/words/rollouts.ts';
import { exitCodeOfResult, type ExitCode } from '../line/exit.ts';
import { findOwners } from '../project/find-owners.ts';
import { chosenName, type LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';
import {
  belongsTo,
  findNewestRuns,
  refuseRunning,
  type FoundRun,
  apart,
  findRun,
  runCommand,
  journalFolder,
  useJournal,
} from '../runs/find-runs.ts';
import { beginRecord, continueRecord, type RunRecord } from '../runs/record-run.ts';
import { labeled, type Session } from '../session/session.ts';
import { checkIdentity } from './confirmation.ts';
import type { FreshPlan } from './make-plan.ts';

export interface Execution extends Pick<FreshPlan, 'plan' | 'attributions' | 'cohortNames' | 'opened'> {
  readonly journal: boolean;
  /** Says who owns what is changed. */
  readonly loaded: Pick<LoadedProject, 'config'>;
  /** The changes of the run that this one reverts. */
  readonly reverted?: readonly Change[];
  /** By the policies; its approvals are reported. */
  readonly judgement?: Judgement;
  /** Whom the command line names as approvers, and who may be one. */
  readonly approvedBy?: readonly string[];
  readonly grantors?: Grantors;
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

export async function executePlan(session: Session, execution: Execution): Promise<Executed> {
  const { context } = session;
  const startedAt = context.now();
  const { plan, journal, resumed, supersedes, attributions, cohortNames, loaded, reverted, judgement } = execution;
  // Nothing but the journal knows that a rollout was held, and that somebody lets it go on.
  const isWorthIt = plan.changes.length > 0 || supersedes === true || continuedFlags(plan).length > 0;
  const isNew = resumed === undefined && journal && isWorthIt;
  const continued = resumed === undefined ? undefined : await continueRecord(session, resumed);
  const record = isNew ? await beginRecord(session, plan) : continued;
  const result = await applyRecorded(session, execution, record);
  const loss = await record?.end(result.outcomes);
  const durationMs = context.now() - startedAt;
  const { project } = execution.opened;
  const keyVariable = project.service === 'remote' ? project.apiKeyVariable : undefined;
  const owners = findOwnersOfChanges(plan.changes, await findOwners(loaded.config), reverted);
  const approvers = approversIn(judgement, execution);
  const about = defined({ owners, rollouts: plan.rollouts, later: plan.rollout_changes });
  const known = { ...defined({ run: record?.run, attributions, cohortNames, keyVariable }), ...about, approvers };
  await session.publish({ kind: 'result', result, durationMs, ...known });
  const code = exitCodeOfResult(result);
  if (record === undefined) return { code, result };
  const { run } = record;
  await (loss === undefined ? noteRecord(session, result, { run, plan }) : printLoss(session, loss));
  return { code: loss !== undefined && code === 0 ? 3 : code, result, run };
}

/** Records a run that decides something and has nothing to write. Returns its name. */
export async function recordNothing(session: Session, plan: Plan): Promise<string> {
  const record = await beginRecord(session, plan);
  const loss = await record.end({ applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0 });
  if (loss !== undefined) await printLoss(session, loss);
  return record.run;
}

async function applyRecorded(
  { options, interrupts }: Session,
  { plan, opened, read }: Execution,
  record: RunRecord | undefined,
): Promise<ApplyResult> {
  // Reads before the first write and after the last one change nothing, so an interrupt need not wait for them.
  const onProgress = (event: ApplyProgress): void => {
    interrupts.drain(event.kind === 'started' || event.kind === 'finished');
    opened.progress.onApply(event);
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
    opened.progress.clear();
  }
}

async function noteRecord(
  session: Session,
  { project, changes, outcomes, off }: ApplyResult,
  { run, plan: { undoes, rollouts = [] } }: { readonly run: string; readonly plan: Plan },
): Promise<void> {
  const continued = rollouts.filter((one) => one.continued !== undefined).map(({ key }) => key);
  if (changes.length === 0 && continued.length > 0) {
    const words = `Recorded as run ${run}: on this machine, ${rolloutsContinueText(continued)}.`;
    return session.note(`${session.palette.dim(words)}\n`);
  }
  const stopped = changes.some(({ result }) => wasStopped(result));
  // A run of `off` says itself how to go on.
  if (!stopped && (off !== undefined || outcomes.applied === changes.filter(wasAlready).length)) return;
  const next = stopped
    ? `\`${runCommand(session, 'apply --resume', project.name)}\` finishes it`
    : `\`${runCommand(session, undoes === undefined ? 'undo' : `undo ${run}`, project.name)}\` reverts it`;
  await session.note(`${session.palette.dim(`Recorded as run ${run}; ${next}.`)}\n`);
}

async function printLoss(session: Session, { message, remedy }: FlagwrightError): Promise<void> {
  await session.print(labeled(session, 'error', escapeLine(message), remedy && escapeLine(remedy)));
}

export async function nothingToDo(
  session: Session,
  project: ProjectIdentity,
  reason: NothingReason,
): Promise<ExitCode> {
  await session.publish({ kind: 'nothing', project, reason });
  return 0;
}

export interface RunChoice {
  /** The name of a run, a beginning of it, or `last`. */
  readonly reference?: string;
  /** The folder of a journal, or the file of one run. */
  readonly journal?: string;
  /** Decides whether a run can be the default: the newest fitting one is chosen without a reference. */
  readonly fits: (run: Run) => boolean;
  /** What no recorded run is, for the error. */
  readonly lacking: string;
}

/** @throws {FlagwrightError} if there is no such run or which one is unknown, or if another process executes it. */
export async function chooseRun(
  session: Session,
  config: Config,
  { reference, journal, fits, lacking }: RunChoice,
): Promise<{ readonly run: FoundRun; readonly project: ProjectConfig; readonly identity: ProjectIdentity }> {
  const inFile = journal === undefined ? undefined : await useJournal(session, journal);
  if (inFile !== undefined && reference !== undefined) {
    throw new FlagwrightError('usage', 'A run and --journal with the file of one run cannot be used together.', {
      remedy: 'Leave out the run, or pass the folder of the journal.',
    });
  }
  const name = reference ?? inFile;
  // `last` counts the runs of the project that is chosen without the run.
  const isOfChosen = (run: Run): boolean => belongsTo(run, identityOf(selectProject(config, chosenName(session))));
  const named = name === undefined ? undefined : await findRun(session, name, isOfChosen);
  const project = selectProject(config, chosenName(session, named?.plan.project.name));
  const identity = identityOf(project);
  if (named !== undefined) checkIdentity(named.plan, identity);
  const [run, ...others] = named === undefined ? await findNewestRuns(session, identity, fits) : [named];
  if (run === undefined) {
    const words = `No run of the project ${identity.name} ${lacking} in ${journalFolder(session)}.`;
    throw new FlagwrightError('file', words, {
      remedy:
        'A run is recorded where it was applied. Name the journal of another machine or CI job with --journal PATH.',
    });
  }
  if (others.length > 0) throw apart([run, ...others].map((one) => one.name));
  refuseRunning(run);
  return { run, project, identity };
}

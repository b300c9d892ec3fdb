/** `flagwright apply [PLAN]`: applies a saved plan, makes and applies a plan, or resumes a run. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { isFailedReading } from '../../core/rollout/guard.ts';
import { isComplete, type Run } from '../../loop/journal/read.ts';
import { type Grantors, noLongerLifted } from '../../review/policy/exceptions.ts';
import { type Judgement, parseJudgement, refusalsIn } from '../../review/policy/finding.ts';
import type { CohortNames } from '../../posthog/cohort/names.ts';
import { isDecision, type Change, type Hazard, type Plan } from '../../posthog/plan.ts';
import { keysWithSecretsLeftOut, parseSavedFile, savedPlansIn } from '../../posthog/planning/plan-document.ts';
import { isDue, makesOnlySteps, waitingFlags } from '../../posthog/rollouts/rollouts.ts';
import { escapeLine } from '../../report/escape.ts';
import { wasAlready } from '../../report/run-record.ts';
import { findLaterBase, refuseMoved } from '../applied/find-base.ts';
import { findExceptions } from '../applied/find-exceptions.ts';
import { approversOf, findJudge, type Judge } from '../applied/find-judge.ts';
import { withCheckout } from '../applied/open-checkout.ts';
import { recordApplied, type AppliedPlan } from '../applied/record-applied.ts';
import type { ExitCode } from '../line/exit.ts';
import { PLANNING, type PlanningOptions } from '../line/options.ts';
import { refuseGuarded } from '../plan/ask-guards.ts';
import { askFirst, checkIdentity, refusePlan, showPlan } from '../plan/confirmation.ts';
import { findScheduledOf, scheduledSubjects, forecastApply } from '../plan/forecast.ts';
import { chooseRun, type RunChoice, executePlan, nothingToDo } from '../plan/execute-plan.ts';
import { findNewHazards } from '../plan/inspect-plan.ts';
import { judgePlan, prepareJudging, liftReviewed } from '../plan/judge-plan.ts';
import { withPlan } from '../plan/make-plan.ts';
import { createKnownFiles } from '../project/known-files.ts';
import { loadConfiguration, loadProject, type LoadedProject } from '../project/load-project.ts';
import { identityOf, type OpenProject, withProject } from '../project/open-project.ts';
import { findRevertedOff, refuseRevertedOff } from '../runs/find-recorded.ts';
import { noteUnfinished, toRecordedRun, recordIn } from '../runs/find-runs.ts';
import { readUserFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

export interface ApplyCommandOptions extends PlanningOptions {
  readonly file?: string;
  readonly yes?: boolean;
  /** The name of a run, or true for the newest one. */
  readonly resume?: string | true;
  readonly moveBase?: boolean;
  readonly journal?: string | false;
}

export async function apply(session: Session, { file, ...options }: ApplyCommandOptions): Promise<ExitCode> {
  if (options.resume !== undefined) return resume(session, file, options);
  if (file !== undefined) return applySaved(session, file, options);
  if (typeof options.journal === 'string') recordIn(session, options.journal);
  refuseWithDue(options);
  const planning = {
    ...options,
    approvedBy: options.approvedBy ?? [],
    mayKeepDrift: true,
    skipsRefused: options.due === true,
    requests: true,
    schedules: true,
  };
  return withPlan(session, planning, async (made) => {
    const { plan, opened, attributions, cohortNames, judgement, excepted, requests, steps, sections, refusedSteps } =
      made;
    const forecast = await forecastApply(session, plan, made).finally(opened.progress.clear);
    const isUnfinished = await noteUnfinished(session, opened.identity, plan.commit);
    const yes = options.due === true || options.yes;
    const { loaded, live } = made;
    const scheduled = await findScheduledOf(session, { loaded, live, applied: plan }, scheduledSubjects(plan, live));
    const known = { attributions, cohortNames, judgement, excepted, requests, steps, sections };
    await showPlan(session, plan, defined({ ...known, yes, forecast, scheduled }));
    const findings = refusalsIn(judgement);
    const granting = defined({ grantors: made.grantors });
    if (plan.hazards.length + findings.length > 0) return refusePlan(session, { ...plan, ...granting, findings });
    if (refusedSteps !== undefined && plan.changes.length === 0)
      return refusePlan(session, { ...plan, ...granting, ...refusedSteps });
    // The steps were reviewed when their commit was applied.
    const isAsked = options.yes !== true && options.due !== true;
    if (isDecision(plan) && isAsked) {
      await askFirst(session, plan);
      // Somebody may have thought for a while.
      await refuseGuarded(session, plan, guardSources({ loaded, ...defined({ judge: made.judge }) }, opened, options));
    }
    // Whatever made the plan, a run that makes due steps writes nothing else.
    const other = options.due === true && plan.changes.find(({ key }) => !makesOnlySteps(plan, key));
    if (other) {
      const words = `The plan would change ${escapeLine(other.key)} in more than its due step; nothing was written.`;
      throw new FlagwrightError('internal', words, {
        remedy: 'This is a bug in flagwright. Please report it with the output of `flagwright plan --due`.',
      });
    }
    await refuseMoved(session, made.loaded, plan);
    const { code, result } = await executePlan(session, {
      ...{ ...made, journal: options.journal !== false, ...defined({ approvedBy: options.approvedBy }) },
      supersedes: isUnfinished && options.target === undefined && options.due !== true,
    });
    // A step that fails or waits for approval does not keep the others from being recorded.
    const failed = result.changes.filter((one) => one.result.outcome !== 'applied').map(({ change }) => change.key);
    // The records stay of flags that an earlier apply left, and of those whose steps are refused.
    const unrecorded = [...waitingFlags(plan)].filter(([, why]) => why === 'unrecorded' || why === 'refused');
    const unmade = options.due === true ? [...failed, ...unrecorded.map(([key]) => key)] : [];
    if (code === 0 || unmade.length > 0) {
      await recordApplied(session, {
        ...made,
        result,
        unmade,
        moves: options.moveBase === true,
        now: opened.clock.now,
      });
    }
    // A run that could not look at what a step waits for is no success.
    const isBlind = (plan.rollouts ?? []).some(({ guard_readings: readings = [] }) => readings.some(isFailedReading));
    if (refusedSteps === undefined) return isBlind && code === 0 ? 3 : code;
    const error = new FlagwrightError(
      'refused',
      'Rules refuse the steps of these flags; all other due steps were made.',
    );
    await session.print(await session.textOf({ kind: 'failure', error, project: plan.project, ...refusedSteps }));
    return code === 0 ? 3 : code;
  });
}

/** A saved plan was reviewed, so it is applied unchanged and without a question. */
async function applySaved(session: Session, file: string, options: ApplyCommandOptions): Promise<ExitCode> {
  refusePlanningOptions(
    options,
    'A saved plan is applied unchanged: pass --target, --prune, --base, --override, --only-pending, --who and --allow-* to `plan` instead.',
  );
  const text = await readUserFile(session, file);
  const all = savedPlansIn(text);
  if (all !== undefined) return (await import('./plan-projects.ts')).applySavedPlans(session, all, options);
  const { plan, policy, cohortNames } = parseSavedFile(text);
  const judgement = policy && parseJudgement(policy);
  return applyPlanned(session, { plan, file, ...defined({ judgement, cohortNames }) }, options);
}

/** Applies a plan that was shown before. `file`: where it is; absent: nowhere. `isShown`: this run showed it. */
export async function applyPlanned(
  session: Session,
  { file, plan, judgement: recorded, cohortNames, isShown }: PlannedBefore,
  options: Pick<ApplyCommandOptions, 'approvedBy' | 'journal' | 'moveBase' | 'verdicts'>,
): Promise<ExitCode> {
  if (typeof options.journal === 'string') recordIn(session, options.journal);
  const loaded = await loadProject(session, plan.project.name);
  const { project } = loaded;
  checkIdentity(plan, identityOf(project));
  const { approvedBy = [] } = options;
  const saved = { loaded, plan, approvedBy, ...defined({ file, recorded }) };
  const { judgement, found, judge, ...granting } = await judgeSaved(session, saved);
  if (session.options.verbose && isShown !== true)
    await showPlan(session, plan, { yes: true, ...defined({ judgement, cohortNames }) });
  const findings = refusalsIn(judgement);
  const hazards = [...plan.hazards, ...found, ...(await findRevertedOff(session, plan))];
  if (hazards.length + findings.length > 0) return refusePlan(session, { ...plan, ...granting, hazards, findings });
  const isUnfinished = await noteUnfinished(session, identityOf(project), plan.commit);
  await refuseMoved(session, loaded, plan);
  const { code, result, now, rollouts } = await withProject(session, { project }, async (opened) => {
    const asked = await refuseGuarded(session, plan, guardSources({ loaded, ...defined({ judge }) }, opened, options));
    const executed = await executePlan(session, {
      ...{ plan, opened, loaded, journal: options.journal !== false, ...defined({ judgement, cohortNames }) },
      ...{ approvedBy, ...granting },
      supersedes: isUnfinished && plan.commit !== undefined,
    });
    return { ...executed, now: opened.clock.now, rollouts: asked };
  });
  const moves = options.moveBase === true;
  const made = { ...plan, rollouts };
  // Somebody else made these steps since the plan: what a person set is no step of ours.
  const due = new Set(rollouts.filter(isDue).map(({ key }) => key));
  const unmade = result.changes.filter(wasAlready).flatMap(({ change: { key } }) => (due.has(key) ? [key] : []));
  if (code === 0)
    await recordApplied(session, { loaded, plan: made, result, unmade, moves, now, ...defined({ judgement }) });
  return code;
}

interface PlannedBefore {
  readonly file?: string;
  readonly plan: Plan;
  readonly judgement?: Judgement;
  readonly cohortNames?: CohortNames;
  readonly isShown?: true;
}

interface SavedPlan {
  readonly file?: string;
  readonly loaded: LoadedProject;
  readonly plan: Plan;
  readonly recorded?: Judgement;
  readonly approvedBy: readonly string[];
}

/**
 * Judges again, since time has passed and somebody may have approved the plan. An undo reverts a mistake and is not judged. `found`: hazards
 * that the plan did not have, since code reads what it deletes or renames, and those that no exception lifts any more.
 */
async function judgeSaved(
  session: Session,
  { file, loaded, plan, recorded, approvedBy }: SavedPlan,
): Promise<{
  readonly judgement?: Judgement;
  readonly judge?: Judge;
  readonly found: readonly Hazard[];
  readonly grantors?: Grantors;
}> {
  if (plan.undoes !== undefined || !isDecision(plan)) return { found: [] };
  const { applied, judge, judging, exceptions } = await withCheckout(session, loaded.config, async (checkout) => {
    const search = { loaded, checkout, known: createKnownFiles() };
    const base = await findLaterBase(session, search, plan.base);
    const by = await findJudge(session, search, base);
    const granted = await findExceptions(loaded, { judge: by, approvedBy });
    const policies = await prepareJudging(session, search, { judge: by, exceptions: granted });
    return { applied: base, judge: by, judging: policies, exceptions: granted };
  });
  const state = { from: 'saved', ...defined({ recorded }) } as const;
  const judged = await judgePlan(session, judging, { plan, state, approvedBy });
  const reviewed = applied.kind === 'commit' ? (applied.rollouts ?? []) : [];
  const judgement = judged && liftReviewed(judged, plan, reviewed);
  const read = await findNewHazards(session, {
    plan,
    judge,
    config: loaded.config,
    files: file === undefined ? [] : [file],
  });
  const approvers = approversOf(judge, loaded.config);
  const ended = noLongerLifted(plan, { exceptions, now: session.context.now(), ...defined({ approvers }) });
  return { found: [...read, ...ended], grantors: approvers ?? 'anybody', judge, ...defined({ judgement }) };
}

async function resume(session: Session, file: string | undefined, options: ApplyCommandOptions): Promise<ExitCode> {
  if (file !== undefined) throw new FlagwrightError('usage', 'A saved plan and --resume cannot be used together.');
  if (options.journal === false) {
    throw new FlagwrightError('usage', '--resume needs the journal: it cannot be used with --no-journal.');
  }
  refusePlanningOptions(
    options,
    'A run is resumed as planned: --resume cannot be used with --target, --prune, --base, --override, --only-pending, --who and --allow-*.',
  );
  if (options.approvedBy !== undefined) {
    throw new FlagwrightError(
      'usage',
      'A resumed run is not judged again: --resume cannot be used with --approved-by.',
    );
  }
  const reference = options.resume === true ? undefined : options.resume;
  const { journal, verdicts, moveBase } = options;
  return resumeRun(session, { ...defined({ reference, journal, verdicts }), moves: moveBase === true });
}

/** The steps were reviewed as a whole, so no option may select some of them or permit anything else. */
export function refuseWithDue(options: ApplyCommandOptions): void {
  if (
    options.due !== true ||
    !OF_PLANS.some((name) => !['due', 'who', 'verdicts'].includes(name) && options[name] !== undefined)
  )
    return;
  const words = '--due makes the steps that were reviewed: no other planning option can be used with it.';
  throw new FlagwrightError('usage', words);
}

function refusePlanningOptions(options: ApplyCommandOptions, words: string): void {
  if (OF_PLANS.some((name) => options[name] !== undefined)) throw new FlagwrightError('usage', words);
}

/** An approval concerns whoever judges, and is refused apart; a saved plan's steps are guarded too. */
const OF_PLANS = (Object.keys(PLANNING) as (keyof PlanningOptions)[]).filter(
  (name) => !['approvedBy', 'verdicts'].includes(name),
);

/**
 * Finds out what an interrupted run did, and makes the remaining changes. Without a name, resumes the newest run of the project. Later plans
 * have superseded an older unfinished run, so that one is resumed only by name.
 */
async function resumeRun(
  session: Session,
  {
    moves,
    verdicts,
    ...choice
  }: Pick<RunChoice, 'reference' | 'journal'> & Pick<AppliedPlan, 'moves'> & Pick<ApplyCommandOptions, 'verdicts'>,
): Promise<ExitCode> {
  const config = await loadConfiguration(session);
  const wanted = { ...choice, fits: () => true, lacking: 'is recorded' };
  const { run, project, identity } = await chooseRun(session, config, wanted);
  if (isComplete(run)) return nothingToDo(session, identity, { code: 'nothing_to_resume' });
  const [secret] = keysWithSecretsLeftOut(openChanges(run));
  if (secret !== undefined) {
    const words = `Run ${run.name} cannot be resumed: it changes the encrypted payloads of ${secret}, which no journal contains.`;
    throw new FlagwrightError('plan_invalid', words, {
      remedy: 'Run `flagwright apply` again: it plans the remaining changes.',
    });
  }
  if (run.plan.hazards.length > 0) return refusePlan(session, run.plan);
  await refuseRevertedOff(session, run.plan, { changes: openChanges(run) });
  await refuseMoved(session, { config, project }, { ...run.plan, changes: openChanges(run) });
  const loaded = { config, project };
  await session.note(`${await session.textOf({ kind: 'resuming', run: toRecordedRun(run) })}\n`);
  const { code, result, now, rollouts } = await withProject(session, { project }, async (opened) => {
    const open = { ...run.plan, changes: openChanges(run) };
    let asked = open.rollouts ?? [];
    if ((open.rollouts ?? []).some(isDue)) {
      const judge = await withCheckout(session, config, async (checkout) => {
        const search = { loaded, checkout, known: createKnownFiles() };
        return findJudge(session, search, await findLaterBase(session, search, open.base));
      });
      asked = await refuseGuarded(session, open, guardSources({ loaded, judge }, opened, defined({ verdicts })));
    }
    const executed = await executePlan(session, { plan: run.plan, opened, loaded, journal: true, resumed: run.name });
    return { ...executed, now: opened.clock.now, rollouts: asked };
  });
  if (code === 0) await recordApplied(session, { loaded, plan: { ...run.plan, rollouts }, result, moves, now });
  return code;
}

function guardSources(
  judged: { readonly loaded: LoadedProject; readonly judge?: Judge },
  { client, clock }: OpenProject,
  { verdicts }: Pick<ApplyCommandOptions, 'verdicts'>,
): Parameters<typeof refuseGuarded>[2] {
  return { ...judged, client, now: clock.now(), ...defined({ verdicts }) };
}

function openChanges({ plan, applied }: Run): readonly Change[] {
  return plan.changes.filter(({ ref }) => !applied.has(ref));
}

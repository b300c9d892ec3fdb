/** `flagwright apply [PLAN]`: applies a saved plan, makes and applies a plan, or resumes a run. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { parseJudgement } from '../../policy/document.ts';
import { isRefusal, type Finding, type Judgement } from '../../policy/finding.ts';
import type { Plan } from '../../posthog/plan.ts';
import { parseSavedFile } from '../../posthog/saved-plan.ts';
import type { ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import { noteUnfinished } from '../runs/find-runs.ts';
import { recordIn } from '../runs/journal-folder.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { askFirst, checkIdentity, refusePlan, showPlan } from '../stages/agree.ts';
import { executePlan } from '../stages/execute-plan.ts';
import { findTakenBack } from '../stages/find-taken-back.ts';
import { findLaterBase } from '../stages/find-base.ts';
import { findJudge } from '../stages/find-judge.ts';
import { judgePlan, prepareBench } from '../stages/judge-plan.ts';
import { withCheckout } from '../stages/checkout.ts';
import { createKnownFiles } from '../stages/known-files.ts';
import { loadProject, type LoadedProject } from '../stages/load-project.ts';
import { withPlan } from '../stages/make-plan.ts';
import { identityOf, withProject } from '../stages/open-project.ts';
import { readUserFile } from '../session/files.ts';
import { recordApplied } from '../stages/record-applied.ts';
import { resumeRun } from '../stages/resume-run.ts';

export interface ApplyOptions extends PlanningOptions {
  readonly yes?: boolean;
  /** The name of a run, or true for the newest one. */
  readonly resume?: string | true;
  /** Record the commit also where it does not contain the one that was applied last. */
  readonly moveBase?: boolean;
  /** A folder or a file; false: `--no-journal`. */
  readonly journal?: string | false;
}

export async function apply(session: Session, file: string | undefined, options: ApplyOptions): Promise<ExitCode> {
  if (options.resume !== undefined) return resume(session, file, options);
  if (typeof options.journal === 'string') recordIn(session, options.journal);
  if (file !== undefined) return applySaved(session, file, options);
  const planning = { ...options, approvedBy: options.approvedBy ?? [], mayKeepDrift: true, requests: true };
  return withPlan(session, planning, async (made) => {
    const { plan, opened, forecast, attributions, judgement, requests } = made;
    await noteUnfinished(session, opened.identity);
    await showPlan(session, plan, defined({ yes: options.yes, forecast, attributions, judgement, requests }));
    const findings = refusalsIn(judgement);
    if (plan.hazards.length + findings.length > 0) return refusePlan(session, { ...plan, findings });
    if (plan.changes.length > 0 && options.yes !== true) await askFirst(session, plan);
    const code = await executePlan(session, { ...made, journal: options.journal !== false });
    if (code === 0) await recordApplied(session, { ...made, moves: options.moveBase === true });
    return code;
  });
}

/** A saved plan was reviewed when it was made: it is applied unchanged, without a question. */
async function applySaved(session: Session, file: string, options: ApplyOptions): Promise<ExitCode> {
  refusePlanningOptions(
    options,
    'A saved plan is applied unchanged: pass --target, --prune, --base, --permits, --override, --only-pending, --who and --allow-* to `plan` instead.',
  );
  const { plan, policy } = parseSavedFile(await readUserFile(session, file));
  const loaded = await loadProject(session, plan.project.name);
  const { project } = loaded;
  checkIdentity(plan, identityOf(project));
  const recorded = policy && parseJudgement(policy);
  const judgement = await judgeSaved(session, { loaded, plan, ...defined({ recorded }) }, options);
  if (session.options.verbose) await showPlan(session, plan, { yes: true, ...defined({ judgement }) });
  const findings = refusalsIn(judgement);
  const hazards = [...plan.hazards, ...(await findTakenBack(session, plan))];
  if (hazards.length + findings.length > 0) return refusePlan(session, { ...plan, hazards, findings });
  await noteUnfinished(session, identityOf(project));
  const progress = createProgress(session);
  const code = await withProject(session, { project, onEvent: progress.onService }, async (opened) =>
    executePlan(session, { plan, opened, progress, journal: options.journal !== false }),
  );
  if (code === 0) await recordApplied(session, { loaded, plan, moves: options.moveBase === true });
  return code;
}

interface SavedPlan {
  readonly loaded: LoadedProject;
  readonly plan: Plan;
  readonly recorded?: Judgement;
}

/** Time has passed since the plan was made, and somebody may have approved it. An undo takes a mistake back: it is not judged. */
async function judgeSaved(
  session: Session,
  { loaded, plan, recorded }: SavedPlan,
  { approvedBy = [] }: ApplyOptions,
): Promise<Judgement | undefined> {
  if (plan.undoes !== undefined || plan.changes.length === 0) return undefined;
  const bench = await withCheckout(session, loaded.config, async (checkout) => {
    const search = { loaded, checkout, known: createKnownFiles() };
    const base = await findLaterBase(session, search, plan.base);
    return prepareBench(session, search, await findJudge(session, search, base));
  });
  return judgePlan(session, bench, { plan, state: { from: 'saved', ...defined({ recorded }) }, approvedBy });
}

function refusalsIn(judgement: Judgement | undefined): readonly Finding[] {
  return judgement?.findings.filter(isRefusal) ?? [];
}

async function resume(session: Session, file: string | undefined, options: ApplyOptions): Promise<ExitCode> {
  if (file !== undefined) throw new FlagwrightError('usage', 'A saved plan and --resume cannot be used together.');
  if (options.journal === false) {
    throw new FlagwrightError('usage', '--resume needs the journal: it cannot be used with --no-journal.');
  }
  refusePlanningOptions(
    options,
    'A run is resumed as planned: --resume cannot be used with --target, --prune, --base, --permits, --override, --only-pending, --who and --allow-*.',
  );
  if (options.approvedBy !== undefined) {
    throw new FlagwrightError(
      'usage',
      'A resumed run is not judged again: --resume cannot be used with --approved-by.',
    );
  }
  const reference = options.resume === true ? undefined : options.resume;
  return resumeRun(session, { ...defined({ reference, journal: options.journal }), moves: options.moveBase === true });
}

function refusePlanningOptions(options: ApplyOptions, words: string): void {
  if (PLANNING.some((name) => options[name] !== undefined)) throw new FlagwrightError('usage', words);
}

const PLANNING: readonly (keyof PlanningOptions)[] = [
  'target',
  'prune',
  'base',
  'permits',
  'override',
  'onlyPending',
  'who',
  'allowDeletes',
  'allowUpdates',
  'allowDisables',
  'allowProtected',
  'allowRisky',
];

/** `flagwright apply [PLAN]`: applies a saved plan, makes and applies a plan, or resumes a run. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { parseSavedPlan } from '../../posthog/saved-plan.ts';
import type { ApplyOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import { noteUnfinished } from '../runs/find-runs.ts';
import { recordIn } from '../runs/journal-folder.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { askFirst, checkIdentity, refuseHazards, showPlan } from '../stages/agree.ts';
import { executePlan } from '../stages/execute-plan.ts';
import { loadProject } from '../stages/load-project.ts';
import { withPlan } from '../stages/make-plan.ts';
import { identityOf, withProject } from '../stages/open-project.ts';
import { readPlanText } from '../stages/save-plan.ts';
import { recordApplied } from '../stages/record-applied.ts';
import { resumeRun } from '../stages/resume-run.ts';

export async function apply(session: Session, file: string | undefined, options: ApplyOptions): Promise<ExitCode> {
  if (options.resume !== undefined) return resume(session, file, options);
  if (typeof options.journal === 'string') recordIn(session, options.journal);
  if (file !== undefined) return applySaved(session, file, options);
  return withPlan(session, { ...options, mayKeepDrift: true }, async (made) => {
    const { plan, opened, forecast, attributions } = made;
    await noteUnfinished(session, opened.identity);
    await showPlan(session, plan, defined({ yes: options.yes, forecast, attributions }));
    if (plan.hazards.length > 0) return refuseHazards(session, plan);
    if (plan.changes.length > 0 && options.yes !== true) await askFirst(session, plan);
    const code = await executePlan(session, { ...made, journal: options.journal !== false });
    if (code === 0) await recordApplied(session, made);
    return code;
  });
}

/** A saved plan was reviewed when it was made: it is applied unchanged, without a question. */
async function applySaved(session: Session, file: string, options: ApplyOptions): Promise<ExitCode> {
  refusePlanningOptions(
    options,
    'A saved plan is applied unchanged: pass --target, --prune, --base, --permits, --override, --only-pending, --who and --allow-* to `plan` instead.',
  );
  const plan = parseSavedPlan(await readPlanText(session, file));
  const loaded = await loadProject(session, plan.project.name);
  const { project } = loaded;
  checkIdentity(plan, identityOf(project));
  if (session.options.verbose) await showPlan(session, plan, { yes: true });
  if (plan.hazards.length > 0) return refuseHazards(session, plan);
  await noteUnfinished(session, identityOf(project));
  const progress = createProgress(session);
  const code = await withProject(session, { project, onEvent: progress.onService }, async (opened) =>
    executePlan(session, { plan, opened, progress, journal: options.journal !== false }),
  );
  if (code === 0) await recordApplied(session, { loaded, plan });
  return code;
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
  const reference = options.resume === true ? undefined : options.resume;
  return resumeRun(session, defined({ reference, journal: options.journal }));
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

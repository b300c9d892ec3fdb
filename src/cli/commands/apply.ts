/** `flagwright apply [PLAN]`: applies a saved plan, or plans, asks and applies; or finishes a run that broke off. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { parseSavedPlan } from '../../posthog/saved-plan.ts';
import type { ApplyOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import { mentionUnfinished } from '../runs/find-runs.ts';
import { fileError } from '../session/files.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { askFirst, checkIdentity, refuseHazards, showPlan } from '../stages/agree.ts';
import { executePlan } from '../stages/execute-plan.ts';
import { loadProject } from '../stages/load-project.ts';
import { withPlan } from '../stages/make-plan.ts';
import { identityOf, withProject } from '../stages/open-project.ts';
import { resumeRun } from '../stages/resume-run.ts';

export async function apply(session: Session, file: string | undefined, options: ApplyOptions): Promise<ExitCode> {
  if (options.resume !== undefined) return resume(session, file, options);
  if (file !== undefined) return applySaved(session, file, options);
  return withPlan(session, options, async (made) => {
    const { plan, opened, forecast } = made;
    await mentionUnfinished(session, opened.identity);
    await showPlan(session, plan, defined({ yes: options.yes, forecast }));
    if (plan.hazards.length > 0) return refuseHazards(session, plan);
    if (plan.changes.length > 0 && options.yes !== true) await askFirst(session, plan);
    return executePlan(session, { ...made, journal: options.journal });
  });
}

/** A saved plan was looked at when it was made: it is applied without a question, and nothing about it can be changed. */
async function applySaved(session: Session, file: string, options: ApplyOptions): Promise<ExitCode> {
  refusePlanningOptions(options, 'A saved plan is applied as it is: --target, --prune and --allow-* belong to `plan`.');
  const text = await readFile(path.resolve(session.context.cwd, file), 'utf8').catch((cause: unknown) => {
    throw fileError('read', file, cause);
  });
  const plan = parseSavedPlan(text);
  const { project } = await loadProject(session, plan.project.name);
  checkIdentity(plan, identityOf(project));
  if (session.options.verbose) await showPlan(session, plan, { yes: true });
  if (plan.hazards.length > 0) return refuseHazards(session, plan);
  await mentionUnfinished(session, identityOf(project));
  const progress = createProgress(session);
  return withProject(session, { project, onEvent: progress.onService }, async (opened) =>
    executePlan(session, { plan, opened, progress, journal: options.journal }),
  );
}

async function resume(session: Session, file: string | undefined, options: ApplyOptions): Promise<ExitCode> {
  if (file !== undefined) throw new FlagwrightError('usage', 'Either a saved plan is applied or a run is resumed.');
  if (!options.journal) {
    throw new FlagwrightError('usage', 'A run is resumed in its journal: --no-journal does not fit.');
  }
  refusePlanningOptions(options, 'A run is resumed as it was planned: --target, --prune and --allow-* do not fit.');
  return resumeRun(session, options.resume === true ? undefined : options.resume);
}

function refusePlanningOptions({ target, prune, ...options }: PlanningOptions, words: string): void {
  const { allowDeletes, allowUpdates, allowDisables, allowProtected, allowRisky } = options;
  const given = [target, prune, allowDeletes, allowUpdates, allowDisables, allowProtected, allowRisky];
  if (given.some((option) => option !== undefined)) throw new FlagwrightError('usage', words);
}

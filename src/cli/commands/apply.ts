/** `flaghoist apply [PLAN]`: applies a saved plan, or plans, asks and applies. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { applyPlan } from '../../apply/apply-plan.ts';
import type { ApplyResult } from '../../apply/result.ts';
import { FlaghoistError } from '../../base/errors.ts';
import { jsonEquals } from '../../base/json.ts';
import type { ProjectIdentity } from '../../model/project.ts';
import type { Forecast } from '../../plan/forecast.ts';
import type { Plan } from '../../plan/plan.ts';
import { parseSavedPlan } from '../../plan/saved-plan.ts';
import { resultDocument } from '../../report/documents.ts';
import { planText } from '../../report/plan-text.ts';
import { resultText } from '../../report/result-text.ts';
import { canAsk, confirm } from '../ask.ts';
import { exitCodeOfResult, type ExitCode } from '../exit.ts';
import { fileError } from '../files.ts';
import { loadProject } from '../load-project.ts';
import { withPlan, type MadePlan } from '../make-plan.ts';
import { identityOf, withProject } from '../open-project.ts';
import type { PlanningOptions } from '../options.ts';
import { createProgress } from '../progress.ts';
import { reportFailure } from '../report-failure.ts';
import type { Session } from '../session.ts';

export interface ApplyCommandOptions extends PlanningOptions {
  readonly yes?: boolean;
}

export async function apply(
  session: Session,
  file: string | undefined,
  options: ApplyCommandOptions,
): Promise<ExitCode> {
  if (file !== undefined) return applySaved(session, file, options);
  return withPlan(session, options, async (made) => {
    const { plan, forecast } = made;
    await showPlan(session, plan, { ...(options.yes === undefined ? {} : { yes: options.yes }), forecast });
    if (plan.hazards.length > 0) return refuse(session, plan);
    if (plan.changes.length > 0 && options.yes !== true) await askFirst(session, plan);
    return execute(session, made);
  });
}

/** A saved plan was looked at when it was made: it is applied without a question, and nothing about it can be changed. */
async function applySaved(session: Session, file: string, options: ApplyCommandOptions): Promise<ExitCode> {
  refusePlanningOptions(options);
  const text = await readFile(path.resolve(session.context.cwd, file), 'utf8').catch((cause: unknown) => {
    throw fileError('read', file, cause);
  });
  const plan = parseSavedPlan(text);
  const { project } = await loadProject(session, plan.project.name);
  checkIdentity(plan, identityOf(project));
  if (session.options.verbose) await showPlan(session, plan, { yes: true });
  if (plan.hazards.length > 0) return refuse(session, plan);
  const progress = createProgress(session);
  return withProject(session, { project, onEvent: progress.onService }, async (opened) =>
    execute(session, { plan, opened, progress }),
  );
}

function refusePlanningOptions({ target, prune, ...options }: PlanningOptions): void {
  const { allowDeletes, allowUpdates, allowDisables, allowProtected, allowRisky } = options;
  const given = [target, prune, allowDeletes, allowUpdates, allowDisables, allowProtected, allowRisky];
  if (given.every((option) => option === undefined)) return;
  throw new FlaghoistError(
    'usage',
    'A saved plan is applied as it is: --target, --prune and --allow-* belong to `flaghoist plan`.',
  );
}

function checkIdentity(plan: Plan, chosen: ProjectIdentity): void {
  if (jsonEquals({ ...plan.project }, { ...chosen })) return;
  const text = ({ name, host, project_id: id }: ProjectIdentity): string => `${name} (${host}, project ${id})`;
  throw new FlaghoistError(
    'plan_invalid',
    `The plan was made for ${text(plan.project)}, and this run is for ${text(chosen)}.`,
    { remedy: 'Choose its project with --project, or make a new plan.' },
  );
}

/** On stderr: stdout is for the result. A question is never asked about a plan that was not shown. */
async function showPlan(
  session: Session,
  plan: Plan,
  { yes, ...shown }: { readonly yes?: boolean; readonly forecast?: Forecast },
): Promise<void> {
  if (plan.changes.length === 0) return;
  const { verbose } = session.options;
  const text = `${planText(plan, { palette: session.palette, verbose, ...shown })}\n`;
  await (yes === true ? session.note(text) : session.say(text));
}

async function refuse(session: Session, plan: Plan): Promise<ExitCode> {
  const error = new FlaghoistError('refused', 'The plan breaks a safety rule; nothing was applied.', {
    remedy: 'Plan again with the options above, once you are sure that the plan is meant so.',
  });
  return reportFailure(session, error, plan.hazards);
}

async function askFirst(session: Session, plan: Plan): Promise<void> {
  if (!canAsk(session)) {
    throw new FlaghoistError('refused', 'Nobody is there to confirm; nothing was applied.', {
      remedy: 'Apply a saved plan (flaghoist plan --out FILE, then flaghoist apply FILE), or confirm with --yes.',
    });
  }
  const confirmed = await confirm(session, `Apply these changes to ${plan.project.name}?`);
  if (session.interrupts.stop.aborted) throw session.interrupts.stop.reason;
  if (!confirmed) throw new FlaghoistError('refused', 'Not confirmed; nothing was applied.');
}

async function execute(session: Session, { plan, opened, progress }: Omit<MadePlan, 'forecast'>): Promise<ExitCode> {
  const { context, interrupts, options } = session;
  const startedAt = context.now();
  interrupts.drain();
  const result: ApplyResult = await applyPlan(plan, opened.client, {
    concurrency: options.concurrency,
    signal: interrupts.stop,
    onProgress: progress.onApply,
  }).finally(progress.clear);
  const durationMs = context.now() - startedAt;
  await session.publish({
    text: (palette) => resultText(result, { palette, verbose: options.verbose, durationMs }),
    json: () => resultDocument(result),
  });
  return exitCodeOfResult(result);
}

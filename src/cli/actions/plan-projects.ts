/** The plans of several projects as one file: `plan --out` writes it, `show` and `apply` read it. */

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { plansDocument, parseSavedFile, type SavedPlans } from '../../posthog/planning/plan-document.ts';
import { escapeLine } from '../../report/escape.ts';
import type { ReportOf } from '../../report/report.ts';
import { parseJudgement, refusalsIn } from '../../review/policy/finding.ts';
import type { ApplyCommandOptions } from './apply.ts';
import { plan, refuseTogether, type PlanCommandOptions } from './plan.ts';
import { planInFile } from './show.ts';
import { exitCodeOfReads, type ExitCode } from '../line/exit.ts';
import { savedDocument, writePlan } from '../plan/confirmation.ts';
import { parseSelection, selectionDocument } from '../plan/selection.ts';
import { labeled, type Session } from '../session/session.ts';
import { applyAll, NOTHING_APPLIED, plansIn, refusalOfAll, type ShownPlan } from './apply-projects.ts';
import { createKnownFiles } from '../project/known-files.ts';
import { loadProject } from '../project/load-project.ts';
import { openSeveral, reportAll, sayAll } from '../project/over-projects.ts';
import { findLaterBase } from '../applied/find-base.ts';
import { findJudge, findSafety } from '../applied/find-judge.ts';
import { withCheckout } from '../applied/open-checkout.ts';
import type { Plan } from '../../posthog/plan.ts';
import { reportFailure } from '../session/failure.ts';

const PLANNING = { command: 'plan' } as const;

/** `plan` over several projects; with `out`, saves all plans, unless one project has none. `against`: a folder with the snapshot of each. */
export async function planProjects(session: Session, given: PlanCommandOptions): Promise<ExitCode> {
  refuseTogether(given);
  const { out, against, ...options } = given;
  const several = await openSeveral(session);
  const limits = new Set<number>();
  const ran = await several.run(async (one, { name }) => {
    const own = against === undefined ? options : { ...options, against: path.join(against, `${name}.json`) };
    return plan(one, own, ({ sharedLimit }) => void (sharedLimit !== undefined && limits.add(sharedLimit)));
  }, PLANNING);
  const refusal = refusalOfAll(plansIn(ran.outcomes), limits);
  const own = await reportAll(session, ran, { ...PLANNING, ...defined({ refusal }) });
  if (refusal !== undefined)
    await session.print(
      labeled(session, 'error', `Apply would refuse these plans: ${refusal.message}`, refusal.remedy),
    );
  const code = refusal !== undefined && options.detailedExitcode === true ? exitCodeOfReads([own, 4]) : own;
  if (out === undefined) return code;
  const reports = ran.outcomes.flatMap((one) => (one.kind === 'ran' && one.report.kind === 'plan' ? [one.report] : []));
  if (reports.length < ran.outcomes.length) {
    await session.note(`Not saved: ${ran.outcomes.length - reports.length} of the plans could not be made.\n`);
    return code;
  }
  await writePlan(session, plansDocument(reports.map(documentOf), selectionDocument(options)), out);
  const isRefused =
    refusal !== undefined ||
    reports.some(
      (one) => one.plan.hazards.length > 0 || refusalsIn(one.judgement).some(({ level }) => level === 'error'),
    );
  if (!isRefused) await session.note(`Saved. To apply exactly these plans: flagwright apply ${escapeLine(out)}\n`);
  return code;
}

function documentOf({ plan: planned, ...known }: ReportOf<'plan'>): ReturnType<typeof savedDocument> {
  const { judgement, excepted, grantors, forecast, attributions, cohortNames } = known;
  const extras = defined({ judgement, excepted, grantors, forecast, attributions, cohortNames });
  return savedDocument({ plan: planned, ...extras });
}

/** `show` of a file with several plans. */
export async function showSavedPlans(session: Session, { texts }: SavedPlans): Promise<ExitCode> {
  const projects = texts.map((text) => {
    const report = planInFile(text);
    return { kind: 'ran', project: report.plan.project.name, exit: 0, report } as const;
  });
  await session.publish({ kind: 'projects', command: 'plan', projects });
  return 0;
}

/** Applies the plans of a file, or with `-p` some of them. */
export async function applySavedPlans(
  session: Session,
  { texts, selection }: SavedPlans,
  options: ApplyCommandOptions,
): Promise<ExitCode> {
  const selected = parseSelection(selection);
  const plans = new Map<string, ShownPlan>();
  for (const text of texts) {
    const { plan: saved, policy, cohortNames } = parseSavedFile(text);
    const judgement = policy && parseJudgement(policy);
    plans.set(saved.project.name, { plan: saved, ...defined({ judgement, cohortNames }) });
  }
  if (plans.size < texts.length) {
    throw new FlagwrightError('plan_invalid', 'The file has two plans of one project.', {
      remedy: 'Save the plans anew with `flagwright plan --all-projects --out FILE`.',
    });
  }
  const { project = [...plans.keys()].join(',') } = session.options;
  const several = await openSeveral({ ...session, options: { ...session.options, project } });
  const limits = new Set<number>();
  const judged = await several.run(
    async (one, { name }) => {
      const shown = plans.get(name);
      if (shown === undefined) throw new FlagwrightError('plan_invalid', `The file has no plan of ${name}.`);
      const limit = await sharedLimitOf(one, shown.plan);
      if (limit !== undefined) limits.add(limit);
      await one.publish({ kind: 'plan', ...shown });
      return 0;
    },
    { command: 'apply' },
  );
  await sayAll(session, judged);
  const usable = plansIn(judged.outcomes);
  const refusal = refusalOfAll(usable, limits, NOTHING_APPLIED);
  if (refusal !== undefined) return reportFailure(session, refusal);
  return applyAll(session, several, { ran: judged, plans: usable, selection: selected, options });
}

/** `limits.all_projects` by the rules of the last apply, of which the saved plan may know nothing. */
async function sharedLimitOf(session: Session, { project, base }: Plan): Promise<number | undefined> {
  const loaded = await loadProject(session, project.name);
  const judge = await withCheckout(session, loaded.config, async (checkout) => {
    const search = { loaded, checkout, known: createKnownFiles() };
    return findJudge(session, search, await findLaterBase(session, search, base));
  });
  return findSafety(judge, loaded.config).limits.all_projects;
}

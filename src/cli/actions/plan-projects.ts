/** The plans of several projects as one file: `plan --out` writes it, `show` and `apply` read it. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { plansDocument, parseSavedFile } from '../../posthog/planning/plan-document.ts';
import { escapeLine } from '../../report/escape.ts';
import type { ReportOf } from '../../report/report.ts';
import { parseJudgement, refusalsIn } from '../../review/policy/finding.ts';
import type { ApplyCommandOptions } from './apply.ts';
import { plan, type PlanCommandOptions } from './plan.ts';
import { planInFile } from './show.ts';
import type { ExitCode } from '../line/exit.ts';
import { savedDocument, writePlan } from '../plan/confirmation.ts';
import type { Session } from '../session/session.ts';
import { applyAll, type ShownPlan } from './apply-projects.ts';
import { openSeveral, reportAll } from '../project/over-projects.ts';

const PLANNING = { command: 'plan' } as const;

/** `plan` over several projects; with `out`, saves all plans, unless one project has none. */
export async function planProjects(session: Session, { out, ...options }: PlanCommandOptions): Promise<ExitCode> {
  if (options.against !== undefined) {
    throw new FlagwrightError('usage', '--against compares one project with its snapshot; name that project with -p.');
  }
  const several = await openSeveral(session);
  const ran = await several.run(async (one) => plan(one, options), PLANNING);
  const code = await reportAll(session, ran, PLANNING);
  if (out === undefined) return code;
  const reports = ran.outcomes.flatMap((one) => (one.kind === 'ran' && one.report.kind === 'plan' ? [one.report] : []));
  if (reports.length < ran.outcomes.length) {
    await session.note(`Not saved: ${ran.outcomes.length - reports.length} of the plans could not be made.\n`);
    return code;
  }
  await writePlan(session, plansDocument(reports.map(documentOf)), out);
  const isRefused = reports.some(
    (one) => one.plan.hazards.length > 0 || refusalsIn(one.judgement).some(({ level }) => level === 'error'),
  );
  if (!isRefused) await session.note(`Saved. To apply exactly these plans: flagwright apply ${escapeLine(out)}\n`);
  return code;
}

function documentOf({ plan: planned, ...known }: ReportOf<'plan'>): ReturnType<typeof savedDocument> {
  const { judgement, excepted, grantors, forecast, attributions } = known;
  return savedDocument({ plan: planned, ...defined({ judgement, excepted, grantors, forecast, attributions }) });
}

/** `show` of a file with several plans. */
export async function showSavedPlans(session: Session, texts: readonly string[]): Promise<ExitCode> {
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
  texts: readonly string[],
  options: ApplyCommandOptions,
): Promise<ExitCode> {
  const plans = new Map<string, ShownPlan>();
  for (const text of texts) {
    const { plan: saved, policy } = parseSavedFile(text);
    plans.set(saved.project.name, { plan: saved, ...defined({ judgement: policy && parseJudgement(policy) }) });
  }
  if (plans.size < texts.length) {
    throw new FlagwrightError('plan_invalid', 'The file has two plans of one project.', {
      remedy: 'Save the plans anew with `flagwright plan --all-projects --out FILE`.',
    });
  }
  const { project = [...plans.keys()].join(',') } = session.options;
  const several = await openSeveral({ ...session, options: { ...session.options, project } });
  return applyAll(session, several, { plans, options });
}

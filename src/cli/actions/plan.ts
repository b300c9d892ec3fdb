/** `flagwright plan`: shows what apply would change. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { approversIn, refusalsIn } from '../../review/policy/finding.ts';
import { escapeLine } from '../../report/escape.ts';
import type { ReportOf } from '../../report/report.ts';
import { findOwnersOfChanges } from '../../posthog/planning/owners.ts';
import { exitCodeOfPlan, type ExitCode } from '../line/exit.ts';
import type { PlanningOptions, AtOption } from '../line/options.ts';
import { savePlan } from '../plan/confirmation.ts';
import {
  estimateImpact,
  findChangedAnswers,
  forecastApply,
  findScheduledOf,
  scheduledSubjects,
} from '../plan/forecast.ts';
import { withPlan } from '../plan/make-plan.ts';
import type { MadePlan } from '../plan/plan-states.ts';
import { findOwners } from '../project/find-owners.ts';
import { noteUnfinished } from '../runs/find-runs.ts';
import { findPlanOrigin } from '../runs/record-run.ts';
import type { Session } from '../session/session.ts';

export interface PlanCommandOptions extends PlanningOptions, AtOption {
  readonly out?: string;
  readonly against?: string;
  /** Milliseconds. */
  readonly maxAge?: number;
  readonly detailedExitcode?: boolean;
  readonly impact?: boolean;
  readonly persons?: string;
}

/** `onMade`: called with the plan before it is published. */
export async function plan(
  session: Session,
  options: PlanCommandOptions,
  onMade?: (made: MadePlan) => void,
): Promise<ExitCode> {
  refuseTogether(options);
  const { against: path, maxAge, out } = options;
  const planning = { ...options, approvedBy: options.approvedBy ?? [], mayKeepDrift: true };
  if (path !== undefined) {
    const { planAgainst } = await import('../plan/plan-against.ts');
    const made = await planAgainst(session, { path, ...defined({ maxAgeMs: maxAge }) }, planning);
    onMade?.(made);
    return publishPlan(session, made, { options, against: made.against });
  }
  return withPlan(session, { ...planning, schedules: true, requests: true }, async (made) => {
    const { plan: planned, judgement, opened, attributions, requests } = made;
    onMade?.(made);
    const forecast = await forecastApply(session, planned, made).finally(opened.progress.clear);
    if (out !== undefined) await savePlan(session, { ...made, forecast }, out);
    const code = await publishPlan(session, made, { options, forecast, ...defined({ attributions, requests }) });
    // An approval may still come.
    const isRefused = planned.hazards.length > 0 || refusalsIn(judgement).some(({ level }) => level === 'error');
    if (out !== undefined && !isRefused)
      await session.note(`Saved. To apply exactly this plan: flagwright apply ${escapeLine(out)}\n`);
    await noteUnfinished(session, opened.identity, planned.commit);
    return code;
  });
}

type KnownOfPlan = Pick<ReportOf<'plan'>, 'against' | 'forecast' | 'attributions' | 'requests'>;

async function publishPlan(
  session: Session,
  made: MadePlan,
  { options, ...known }: KnownOfPlan & { readonly options: PlanCommandOptions },
): Promise<ExitCode> {
  const { plan: planned, judgement, excepted, grantors, steps, soon, sections, cohortNames, loaded, live } = made;
  const impact = options.impact === true ? await estimateImpact(session, made, options.persons) : undefined;
  const named = await findChangedAnswers(session, made);
  const subjects = scheduledSubjects(planned, live);
  // The effects are those on the flags as the plan leaves them.
  const scheduled = await findScheduledOf(session, { loaded, live, applied: planned }, subjects);
  const owners = findOwnersOfChanges(planned.changes, await findOwners(loaded.config));
  const at = options.at === undefined ? undefined : new Date(options.at).toISOString();
  const approvers = approversIn(judgement, defined({ approvedBy: options.approvedBy, grantors }));
  const shown = defined({
    at,
    approvers,
    judgement,
    excepted,
    grantors,
    impact,
    named,
    scheduled,
    steps,
    soon,
    sections,
    cohortNames,
    owners,
  });
  await session.publish({ kind: 'plan', plan: planned, ...known, ...shown, origin: await findPlanOrigin(session) });
  return options.detailedExitcode === true ? exitCodeOfPlan(planned, refusalsIn(judgement).length) : 0;
}

/** @throws {FlagwrightError} `usage` for options that mean nothing together, or that need the service. */
export function refuseTogether({ impact, persons, at, out, against, maxAge, who }: PlanCommandOptions): void {
  const rules: readonly (readonly [isBroken: boolean, why: string, remedy: string])[] = [
    [
      persons !== undefined && impact !== true,
      '--persons needs --impact.',
      'Add --impact, which says how many people get a different value.',
    ],
    [
      maxAge !== undefined && against === undefined,
      '--max-age needs --against.',
      'Name the snapshot with --against, or leave out --max-age: only a snapshot has an age.',
    ],
    [
      at !== undefined && out !== undefined,
      '--at and --out cannot be used together.',
      'Leave out --at to save a plan for apply. To save the document of this run, use --output.',
    ],
    [
      against !== undefined && out !== undefined,
      '--against and --out cannot be used together.',
      'To make a plan for apply, use the key instead of --against. To save the document of this run, use --output.',
    ],
    [
      against !== undefined && who === true,
      '--against and --who cannot be used together.',
      'Leave out --who: only the service knows who made a difference.',
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken !== undefined) throw new FlagwrightError('usage', broken[1], { remedy: broken[2] });
}

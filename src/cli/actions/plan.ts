/** `flagwright plan`: shows what apply would change. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Impact } from '../../impact/impact.ts';
import type { ScheduledFacts } from '../../impact/scheduled.ts';
import { type Finding, refusalsIn } from '../../policy/finding.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../../report/escape.ts';
import { exitCodeOfPlan, type ExitCode } from '../line/exit.ts';
import type { PlanningOptions, AtOption } from '../line/options.ts';
import { savePlan } from '../plan/confirmation.ts';
import {
  estimateImpact,
  type Estimating,
  findChangedAnswers,
  forecastApply,
  findScheduledOf,
  scheduledSubjects,
} from '../plan/estimate-impact.ts';
import { withPlan } from '../plan/make-plan.ts';
import { noteUnfinished } from '../runs/find-runs.ts';
import type { Session } from '../session/session.ts';

export interface PlanCommandOptions extends PlanningOptions, AtOption {
  readonly out?: string;
  /** A snapshot. */
  readonly against?: string;
  /** Milliseconds. */
  readonly maxAge?: number;
  readonly detailedExitcode?: boolean;
  /** Shows how many people are affected. */
  readonly impact?: boolean;
  /** A file of people to count. */
  readonly persons?: string;
}

export async function plan(session: Session, options: PlanCommandOptions): Promise<ExitCode> {
  checkImpact(options);
  checkAge(options);
  checkTime(options);
  const planning = { ...options, approvedBy: options.approvedBy ?? [], mayKeepDrift: true };
  if (options.against !== undefined) return showAgainst(session, planning, options.against);
  return withPlan(session, { ...planning, schedules: true, requests: true }, async (made) => {
    const { plan: planned, attributions, judgement, requests, steps, soon, readers } = made;
    const forecast = await forecastApply(session, planned, made).finally(made.opened.progress.clear);
    if (options.out !== undefined) await savePlan(session, { ...made, forecast }, options.out);
    const refusals = refusalsIn(judgement);
    const impact = await impactOf(session, made, options).finally(made.opened.progress.clear);
    const named = await findChangedAnswers(session, made);
    const scheduled = await scheduledBy(session, made);
    const shown = defined({ judgement, impact, named, requests, scheduled, steps, soon, readers });
    const extras = defined({ at: timeOf(options), attributions, ...shown });
    await session.publish({ kind: 'plan', plan: planned, forecast, ...extras });
    // An approval may still come.
    if (options.out !== undefined && planned.hazards.length === 0 && !refusals.some(({ level }) => level === 'error')) {
      await session.note(`Saved. To apply exactly this plan: flagwright apply ${escapeLine(options.out)}\n`);
    }
    await noteUnfinished(session, made.opened.identity, planned.commit);
    return codeOf(options, planned, refusals);
  });
}

/** Shows the plan of a snapshot, without contacting the service. */
async function showAgainst(
  session: Session,
  options: PlanCommandOptions & { readonly approvedBy: readonly string[] },
  path: string,
): Promise<ExitCode> {
  checkAgainst(options);
  const { planAgainst } = await import('../plan/plan-against.ts');
  const made = await planAgainst(session, { path, ...defined({ maxAgeMs: options.maxAge }) }, options);
  const { plan: planned, against, judgement, steps, soon, readers } = made;
  const impact = await impactOf(session, made, options);
  const named = await findChangedAnswers(session, made);
  const scheduled = await scheduledBy(session, made);
  const extras = defined({ at: timeOf(options), judgement, impact, named, scheduled, steps, soon, readers });
  await session.publish({ kind: 'plan', plan: planned, against, ...extras });
  return codeOf(options, planned, refusalsIn(judgement));
}

function codeOf({ detailedExitcode }: PlanCommandOptions, planned: Plan, refusals: readonly Finding[]): ExitCode {
  return detailedExitcode === true ? exitCodeOfPlan(planned, refusals.length) : 0;
}

async function impactOf(session: Session, made: Estimating, options: PlanCommandOptions): Promise<Impact | undefined> {
  return options.impact === true ? estimateImpact(session, made, options.persons) : undefined;
}

function timeOf({ at }: PlanCommandOptions): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** The effects of scheduled changes on the flags as the plan leaves them. */
async function scheduledBy(
  session: Session,
  { loaded, live, plan: applied }: Estimating,
): Promise<ScheduledFacts | undefined> {
  return findScheduledOf(session, { loaded, live, applied }, scheduledSubjects(applied, live));
}

/** @throws {FlagwrightError} `usage` for counts that nothing shows. */
function checkImpact({ impact, persons }: PlanCommandOptions): void {
  if (impact === true || persons === undefined) return;
  throw new FlagwrightError('usage', '--persons needs --impact.', {
    remedy: 'Add --impact, which says how many people get something else.',
  });
}

/** @throws {FlagwrightError} `usage` for a plan of another time that would be kept. */
function checkTime({ at, out }: PlanCommandOptions): void {
  if (at === undefined || out === undefined) return;
  throw new FlagwrightError('usage', '--at and --out cannot be used together.', {
    remedy: 'Leave out --at to save a plan for apply. To save the document of this run, use --output.',
  });
}

/** @throws {FlagwrightError} `usage` for `--max-age` without `--against`. */
function checkAge({ against, maxAge }: PlanCommandOptions): void {
  if (maxAge === undefined || against !== undefined) return;
  throw new FlagwrightError('usage', '--max-age needs --against.', {
    remedy: 'Name the snapshot with --against, or leave out --max-age: only a snapshot has an age.',
  });
}

/** @throws {FlagwrightError} `usage` for options that need the service. */
function checkAgainst({ out, who }: PlanCommandOptions): void {
  if (out !== undefined) {
    throw new FlagwrightError('usage', '--against and --out cannot be used together.', {
      remedy:
        'To make a plan for apply, use the key instead of --against. To save the document of this run, use --output.',
    });
  }
  if (who === true) {
    throw new FlagwrightError('usage', '--against and --who cannot be used together.', {
      remedy: 'Leave out --who: only the service knows who made a difference.',
    });
  }
}

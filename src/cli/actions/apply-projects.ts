/**
 * `apply` over several projects: plans all, shows and asks once, and applies each plan as a saved one; a project after another waits for it.
 * All plans are made before anything is applied, since the answer and `limits.all_projects` are about all of them.
 */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { CohortNames } from '../../posthog/cohort/names.ts';
import { isDecision, type Plan } from '../../posthog/plan.ts';
import type { ProjectOutcome } from '../../report/report.ts';
import { count, keysText } from '../../report/words/amounts.ts';
import type { Judgement } from '../../review/policy/finding.ts';
import { apply, applyPlanned, type ApplyCommandOptions, refuseWithDue } from './apply.ts';
import { plan as makePlan } from './plan.ts';
import type { ExitCode } from '../line/exit.ts';
import { withPlan } from '../plan/make-plan.ts';
import { selectionIn, type Selection } from '../plan/selection.ts';
import { reportFailure } from '../session/failure.ts';
import { askForYes, type Session } from '../session/session.ts';
import {
  namesOf,
  openSeveral,
  reportAll,
  sayAll,
  type Ran,
  type Running,
  type Several,
} from '../project/over-projects.ts';

const APPLYING: Running = { command: 'apply', inOrder: true };

/** A plan that was shown, of one project. */
export interface ShownPlan {
  readonly plan: Plan;
  readonly judgement?: Judgement;
  readonly cohortNames?: CohortNames;
}

export async function applyProjects(session: Session, options: ApplyCommandOptions): Promise<ExitCode> {
  refuseWithDue(options);
  const several = await openSeveral(session);
  // The steps were reviewed when their commit was applied, so nobody is asked.
  if (options.due === true) {
    const ran = await several.run(async (one) => apply(one, options), APPLYING);
    return reportAll(session, ran, APPLYING);
  }
  const limits = new Set<number>();
  const { yes, moveBase: _moveBase, journal: _journal, file: _file, resume: _resume, ...planning } = options;
  const planned = await several.run(
    async (one) =>
      makePlan(one, planning, ({ sharedLimit }) => void (sharedLimit !== undefined && limits.add(sharedLimit))),
    { command: 'apply' },
  );
  await sayAll(session, planned);
  const plans = plansIn(planned.outcomes);
  const isAsked = yes !== true && [...plans.values()].some(({ plan }) => isDecision(plan));
  // Whoever is asked sees what is missing; else the document at the end says why.
  const shown = isAsked ? planned.outcomes : planned.outcomes.filter(({ project }) => plans.has(project));
  const text = `${await session.textOf({ kind: 'projects', command: 'plan', projects: shown })}\n`;
  // The document at the end says as much of projects in which nothing is to be done.
  const hasChanges = [...plans.values()].some(({ plan }) => plan.changes.length > 0);
  if (isAsked || hasChanges) await (isAsked ? session.print(text) : session.note(text));
  const refusal = refusalOfAll(plans, limits, NOTHING_APPLIED);
  if (refusal !== undefined) return reportFailure(session, refusal);
  if (isAsked) {
    const changed = several.projects.filter(
      ({ name }) => plans.get(name)?.plan.changes.length !== 0 && plans.has(name),
    );
    await askForYes(session, {
      question: `Apply these changes to ${namesOf(changed)}?`,
      refusal: 'nothing was applied',
      remedy: 'Apply saved plans (flagwright plan --out FILE, then flagwright apply FILE), or confirm with --yes.',
    });
  }
  return applyAll(session, several, {
    ran: planned,
    plans,
    selection: selectionIn(planning),
    options,
    isFresh: !isAsked,
    isShown: true,
  });
}

interface ShownPlans {
  /** How they came about, also where there is none. */
  readonly ran: Ran;
  readonly plans: ReadonlyMap<string, ShownPlan>;
  /** Which differences they cover. */
  readonly selection: Selection;
  readonly options: Pick<ApplyCommandOptions, 'approvedBy' | 'moveBase' | 'journal' | 'verdicts'>;
  /** Nobody waited since. */
  readonly isFresh?: boolean;
  /** This run showed them. */
  readonly isShown?: true;
}

/** Applies plans that were shown: those just made, or those of a file. */
export async function applyAll(session: Session, several: Several, shown: ShownPlans): Promise<ExitCode> {
  const { outcomes, said } = shown.ran;
  const awaited = new Set(several.projects.flatMap(({ after = [] }) => after));
  const ran = await several.run(async (one, { name }) => {
    const own = shown.plans.get(name);
    if (own !== undefined) {
      const code = await applyPlanned(one, { ...own, ...defined({ isShown: shown.isShown }) }, defined(shown.options));
      const isUnread = own.plan.changes.length === 0 && shown.isFresh !== true;
      const isAwaited = awaited.has(name);
      // What the shown plan left is in the result, which already says that the project is not in sync.
      const countsLeft = isAwaited && own.plan.left === undefined;
      if (code === 0 && (isUnread || isAwaited)) await refuseDiffering(one, shown.selection, countsLeft);
      return code;
    }
    const before = outcomes.find(({ project }) => project === name);
    if (before?.kind !== 'ran') throw new Error(`the run over ${name} has no plan`);
    if (before.report.kind === 'failure') await one.publishFailure(before.report);
    else await one.publish(before.report);
    return before.exit as ExitCode;
  }, APPLYING);
  return reportAll(session, ran, { ...APPLYING, before: said });
}

/**
 * A plan tells nothing of what happened since it was made, and an apply reads only what it writes: what is said to be in sync is read again.
 * @throws {FlagwrightError} `plan_stale` if something differs.
 */
async function refuseDiffering(session: Session, selection: Selection, countsLeft: boolean): Promise<void> {
  const planning = { ...selection, who: false, mayKeepDrift: true };
  const plan = await withPlan(session, planning, async (made) => Promise.resolve(made.plan));
  const differing = [...plan.changes, ...((countsLeft && plan.left) || [])];
  if (differing.length === 0) return;
  const keys = keysText([...new Set(differing.map(({ key }) => key))]);
  const words = `The project differs from the manifests in ${keys}: since the plan, one of the two was edited, or a step fell due.`;
  throw new FlagwrightError('plan_stale', words, { remedy: 'Plan again, and apply.' });
}

export function plansIn(outcomes: readonly ProjectOutcome[]): ReadonlyMap<string, ShownPlan> {
  const plans = new Map<string, ShownPlan>();
  for (const outcome of outcomes) {
    if (outcome.kind !== 'ran' || outcome.report.kind !== 'plan') continue;
    const { plan, judgement, cohortNames } = outcome.report;
    plans.set(outcome.project, { plan, ...defined({ judgement, cohortNames }) });
  }
  return plans;
}

export const NOTHING_APPLIED = ' Nothing was applied.';

/** The limit over all projects, of which no option lifts anything: the smallest that judges one of them. */
export function refusalOfAll(
  plans: ReadonlyMap<string, ShownPlan>,
  limits: ReadonlySet<number>,
  effect = '',
): FlagwrightError | undefined {
  const changed = [...plans.values()].filter(({ plan }) => plan.changes.length > 0);
  const changes = changed.reduce((sum, { plan }) => sum + plan.changes.length, 0);
  const limit = Math.min(...limits);
  if (changes <= limit) return undefined;
  const words = `${count(changes, 'change')} in ${count(changed.length, 'project')}; the limit of a run over several is ${limit} (limits.all_projects).${effect}`;
  return new FlagwrightError('refused', words, {
    remedy:
      'Apply fewer projects at a time (-p), or raise the limit in flagwright.yaml, which counts once it was applied.',
  });
}

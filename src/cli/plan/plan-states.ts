/** Makes the plan of states that were read, from a service or a snapshot, and refuses options that select nothing. */

import { FlagwrightError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { defined } from '../../base/optional.ts';
import type { LeaveRule } from '../../core/engine/matched.ts';
import type { Exception } from '../../core/engine/exceptions.ts';
import { addToPlan } from '../../core/engine/seal-plan.ts';
import { type ExceptionReport, type Grantors, reportExceptions, standing } from '../../review/policy/exceptions.ts';
import { type Judgement, refusalsIn } from '../../review/policy/finding.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { PostHog } from '../../posthog/kind.ts';
import { KINDS } from '../../posthog/kinds.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { type CohortNames, cohortNamesIn } from '../../posthog/cohort/names.ts';
import { buildPlan, type PlanOptions, snapshotOf } from '../../posthog/planning/build-plan.ts';
import { groupDrift, type DriftGroups, type Replan } from '../../posthog/planning/drift-groups.ts';
import { planReview } from '../../posthog/planning/jumps-ahead.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import {
  findStepsSoon,
  isStepped,
  type StepSoon,
  markDue,
  markReviewed,
} from '../../posthog/rollouts/rollouts-in-review.ts';
import { holdEdited, hasRollouts, leaveAllButDue, leaveDue, waitingFlags } from '../../posthog/rollouts/rollouts.ts';
import type { PlanSections } from '../../report/report.ts';
import type { GitFacts } from '../applied/find-base.ts';
import { exceptionsOf } from '../applied/find-exceptions.ts';
import { approversOf, findSafety, type Judge } from '../applied/find-judge.ts';
import type { PlanningOptions, AtOption } from '../line/options.ts';
import { checkOverrides, checkTargets, knownNames, type TargetSource } from '../project/check-targets.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';
import { advise, type Session } from '../session/session.ts';
import { inspectPlan } from './inspect-plan.ts';
import { judgePlan, type JudgingContext, judgingRules, judgeSteps, liftReviewed } from './judge-plan.ts';

export interface MakingOptions extends PlanningOptions, AtOption {
  /** The run shows what people changed apart from what git changed. */
  readonly divides?: true;
  /** The run reports unmanaged flags, so a target may name one. */
  readonly unmanaged?: boolean;
  /** The syntax that named the targets. */
  readonly targeting?: TargetSource;
  /** Families that the run reads even if manifests declare no resource of them. */
  readonly listed?: readonly FamilyName[];
  /** The run shows what the service will change by itself. `all`: also of flags that no manifest declares. */
  readonly schedules?: boolean | 'all';
  /** The run shows what waits for an approval in the service. */
  readonly requests?: boolean;
  /** The run reports no state between two: it fails while another one writes to the project. */
  readonly settled?: true;
  /** Whether the run may leave drift alone, if the options or the configuration ask for it; any other run shows it. */
  readonly mayKeepDrift?: boolean;
  /** The run makes nothing but due steps, and skips those that a rule refuses. */
  readonly skipsRefused?: boolean;
  /** The approvers whom the run names; absent if the policies do not judge the run. */
  readonly approvedBy?: readonly string[];
  /** Differences that the run leaves. */
  readonly findLeaving?: (loaded: LoadedProject) => Promise<LeaveRule | undefined>;
}

export interface PlanStates {
  /** The project has the moment at which its manifests are resolved. */
  readonly loaded: LoadedProject;
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly git: GitFacts;
  /** The manifests that are checked out, where the run reads others and rules of the checkout judge it too. */
  readonly checkedOut?: DesiredState;
  /** Absent for runs that are not judged. */
  readonly judge?: Judge;
  /** Absent if there are no policies, and for runs that are not judged. */
  readonly judging?: JudgingContext;
  /** Those of files, whether they count or not; absent for runs that are not judged. */
  readonly exceptions?: readonly Exception[];
}

/** A plan, with the states that it was made of. */
export interface MadePlan extends PlanStates {
  readonly plan: Plan;
  /** The same plan with the changes that it leaves in the service, whose authors are looked up too. */
  readonly attributed: Plan;
  readonly cohortNames?: CohortNames;
  /** Present if the run shows differences that people made in the service apart from those that git made. */
  readonly groups?: DriftGroups;
  /** The judgement of the policies; absent without policies, and for runs that are not judged. */
  readonly judgement?: Judgement;
  /** What the exceptions of files do for it; absent if there are none. */
  readonly excepted?: readonly ExceptionReport[];
  /** Who may grant one; absent for runs that are not judged. */
  readonly grantors?: Grantors;
  /** The limit of changes over all projects of one run, where there is one. */
  readonly sharedLimit?: number;
  /** What optional rooms say of it; absent if nothing, and for runs that are not judged. */
  readonly sections?: PlanSections;
  /** The steps ahead of rollouts that the manifests declare or change, and the largest jump of each flag; absent if there are none. */
  readonly steps?: readonly StepAhead[];
  /** Steps that fall due while the change may still be reviewed; absent if there are none. */
  readonly soon?: readonly StepSoon[];
  /** The due steps that the run skips because rules refuse them, with the rules; absent if there are none. `changes`: those that would make the steps. */
  readonly refusedSteps?: Pick<Plan, 'changes' | 'hazards'> & Pick<Judgement, 'findings'>;
}

interface Planning {
  readonly states: PlanStates;
  readonly options: MakingOptions;
  /** Flags whose due steps wait for an approval of the service, or were refused one. */
  readonly asked?: ReadonlySet<string>;
  /** Flags whose due steps rules refuse. */
  readonly refused?: ReadonlySet<string>;
}

/** Plans again without the steps that rules refuse, if the run skips these: the step of one flag does not stop those of the others. */
export async function planStates(session: Session, planning: Planning): Promise<MadePlan> {
  const made = await planOnce(session, planning);
  const { plan, judgement } = made;
  const refusals = refusalsIn(judgement);
  // A rule about the number of changes refuses all of them, and one about a flag only that flag.
  const changed = new Set(plan.changes.map(({ key }) => key));
  const ofRules = [...plan.hazards, ...refusals].flatMap((one) =>
    'key' in one && changed.has(one.key) ? [one.key] : [],
  );
  const keys = new Set(planning.options.skipsRefused === true ? ofRules : []);
  if (keys.size === 0) return made;
  const others = await planStates(session, { ...planning, refused: new Set([...(planning.refused ?? []), ...keys]) });
  const isOwn = (one: object): boolean => 'key' in one && keys.has(one.key as string);
  const { changes = [], hazards = [], findings = [] } = others.refusedSteps ?? {};
  const refusedSteps = {
    changes: [...plan.changes.filter(isOwn), ...changes],
    hazards: [...plan.hazards.filter(isOwn), ...hazards],
    findings: [...refusals.filter(isOwn), ...findings],
  };
  return { ...others, refusedSteps };
}

async function planOnce(session: Session, planning: Planning): Promise<MadePlan> {
  const { states, options, asked = new Set(), refused = new Set() } = planning;
  const { loaded, live, git, judge, judging, exceptions = [] } = states;
  const { config, project } = loaded;
  const { moment } = project;
  const { approvedBy = [] } = options;
  const isJudged = options.approvedBy !== undefined && options.due !== true;
  const former = git.base !== undefined && 'desired' in git.base ? git.base.desired : undefined;
  const hasSteps = [states.desired, former].some((state) => state !== undefined && hasRollouts(state));
  const reviews = hasSteps && options.due !== true;
  const told = hasSteps ? markReviewed(states.desired, former) : states.desired;
  const inForce = former && { desired: former, waits: findWaiting(former, states) };
  const declared = reviews ? markDue(told, inForce, moment) : told;
  const keepDrift = options.mayKeepDrift === true && (options.onlyPending === true || config.drift === 'keep');
  const ignored = await options.findLeaving?.(loaded);
  const granting = { now: session.context.now(), ...defined({ approvers: approversOf(judge, config) }) };
  const rules: PlanOptions = {
    project: identityOf(project),
    ...findSafety(judge, config),
    exceptions: [...exceptionsOf(options), ...standing({ exceptions, ...granting })],
    scope: config.scope,
    prune: options.prune === true,
    ...defined({ targets: options.target }),
  };
  // A plan of a part of the manifests is not the state of a commit.
  const { commit } = git.manifests.kind === 'committed' && options.target === undefined ? git.manifests : {};
  const leaving = ignored === undefined ? [] : [ignored];
  const all = { ...rules, leaving, ...defined({ base: git.base, commit, alsoNamed: states.checkedOut }) };
  const whole = options.due === true || asked.size > 0 ? buildPlan(declared, live, all) : undefined;
  const leaveSteps = options.due === true ? leaveAllButDue : leaveDue;
  const steady = whole === undefined ? [] : [leaveSteps(whole, new Set([...asked, ...refused]))];
  const own = { ...all, refused, leaving: [...leaving, ...steady] };
  // Plans again where the first plan shows that a rollout was edited, or that code reads what changes.
  const first = buildPlan(declared, live, { ...own, keepDrift });
  const desired = reviews ? holdEdited(declared, first) : declared;
  const compared = desired === declared ? first : buildPlan(desired, live, { ...own, keepDrift });
  // Only judged runs may write what they plan, so only these are searched for.
  const found = judge && (await inspectPlan(session, { plan: compared, judge, config }));
  const unreviewed =
    found?.facts === undefined ? compared : buildPlan(desired, live, { ...own, ...found.facts, keepDrift });
  if (keepDrift && unreviewed.base?.kind !== 'commit') await missBase(session, options);
  checkNamed(session, planning, { unmanaged: unreviewed.unmanaged, desired });
  // An apply of targets records no steps, and no run but a plan and an apply decides about any.
  const steps =
    hasSteps && isJudged && options.target === undefined && moment !== undefined
      ? planReview({ desired, former, live, changes: unreviewed.changes, moment, options: rules })
      : undefined;
  const plan = addToPlan<PostHog>(unreviewed, steps ?? {}, KINDS);
  const reviewed = git.base?.facts.kind === 'commit' ? (git.base.facts.rollouts ?? []) : [];
  const judged = await judgePlan(session, judging, { plan, state: { from: 'live', flags: live.flags }, approvedBy });
  const ahead = { judging, steps: steps?.judged ?? [], approvedBy, from: 'live' } as const;
  const judgement = judged && liftReviewed(await judgeSteps(session, judged, ahead), plan, reviewed);
  const judgedPlan = { plan, findings: judgement?.findings ?? [], judgedBy: judgingRules(judging, 'live') };
  const excepted = reportExceptions(
    { exceptions, ...granting },
    { ...judgedPlan, known: knownNames(desired, live.flags) },
  );
  const replanPart: Replan = (part) =>
    buildPlan(desired, live, { ...own, targets: part.targets, leaving: [...own.leaving, ...part.leaving] });
  const groups = options.divides === true ? groupDrift(plan, replanPart) : undefined;
  const recorded = moment && { ...moment, progress: [...moment.progress, ...reviewed] };
  const isSoon = hasSteps && isJudged && options.at === undefined;
  const soon = isSoon && inForce && recorded ? findStepsSoon({ plan, desired, former: inForce, moment: recorded }) : [];
  // The scheduled changes of the service may not be known.
  const why = live.unknownSchedules;
  const warnings: Plan['warnings'] = why === undefined ? [] : [{ code: 'not_known', key: 'schedules', why }];
  return {
    ...states,
    plan: addToPlan<PostHog>(plan, { warnings }, KINDS),
    ...defined({
      cohortNames: cohortNamesIn([plan, steps?.shown], loaded.project.cohorts, () => snapshotOf(desired, live).cohorts),
    }),
    ...defined({ judgement, groups, sections: found?.sections, sharedLimit: rules.limits.all_projects }),
    ...(excepted.length === 0 ? {} : { excepted }),
    ...(judge && { grantors: granting.approvers ?? 'anybody' }),
    ...(steps === undefined || steps.shown.length === 0 ? {} : { steps: steps.shown }),
    ...(soon.length === 0 ? {} : { soon }),
    attributed: keepDrift && plan.left !== undefined ? buildPlan(desired, live, own) : plan,
  };
}

/** Which flags have rollouts that wait for a person as long as nothing but what was applied last is. */
function findWaiting(former: DesiredState, { live, git }: PlanStates): (key: string) => boolean {
  const waiting = once(() =>
    waitingFlags(buildPlan({ flags: former.flags.filter(isStepped) }, live, defined({ base: git.base }))),
  );
  return (key) => waiting().has(key);
}

function checkNamed(
  { onMisses }: Session,
  { states: { loaded, live }, options }: Planning,
  { unmanaged, desired }: Pick<Plan, 'unmanaged'> & Pick<PlanStates, 'desired'>,
): void {
  const { target, override, targeting } = options;
  const project = loaded.project.name;
  const isShown = options.prune === true || options.unmanaged === true;
  const facts = { project, desired, live, ...defined({ onMisses }) };
  if (target !== undefined)
    checkTargets(target, { ...facts, unmanaged: isShown ? unmanaged : [], ...defined({ targeting }) });
  if (override !== undefined) checkOverrides(override, facts);
}

/** Drift and pending changes cannot be told apart without a base. The first apply of a project has none. */
async function missBase(session: Session, { onlyPending }: MakingOptions): Promise<void> {
  if (onlyPending !== true) {
    return advise(
      session,
      'drift: keep has no effect yet: changes in git and edits in PostHog can be told apart only after an apply of committed manifests.',
    );
  }
  throw new FlagwrightError('usage', '--only-pending needs a base: the commit that was last applied to the project.', {
    remedy: 'Name it with --base REF, or apply once without the option.',
  });
}

/** Makes the plan of states that were read, from a service or a snapshot, and refuses options that select nothing. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import type { Leaving } from '../../engine/matched.ts';
import type { GivenPermit } from '../../engine/safety.ts';
import { addToPlan } from '../../engine/seal-plan.ts';
import { type Judgement, refusalsIn } from '../../policy/finding.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { PostHog } from '../../posthog/kind.ts';
import { KINDS } from '../../posthog/kinds.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { buildPlan, type PlanOptions } from '../../posthog/planning/build-plan.ts';
import { groupDrift, type DriftGroups, type Replan } from '../../posthog/planning/drift-groups.ts';
import { planReview, type StepsToReview } from '../../posthog/planning/jumps-ahead.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import { holdEdited } from '../../posthog/rollouts/hold-edited.ts';
import { findStepsSoon, type StepSoon, tellDue, tellReviewed } from '../../posthog/rollouts/rollouts-in-review.ts';
import { hasRollouts, leaveAllButDue, leaveDue } from '../../posthog/rollouts/rollouts.ts';
import type { Readers } from '../../references/losses.ts';
import type { Moment } from '../../rollout/rollout.ts';
import type { GitFacts } from '../applied/find-base.ts';
import { findSafety, type Judge } from '../applied/find-judge.ts';
import { toPermissions, type PlanningOptions } from '../line/options.ts';
import type { AtOption } from '../line/parameters.ts';
import { checkOverrides, checkTargets, type TargetSource } from '../project/check-targets.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { identityOf } from '../project/open-project.ts';
import type { Session } from '../session/session.ts';
import type { AttributionOptions } from './find-attributions.ts';
import { findReaders, type FoundReaders } from './find-readers.ts';
import { judgePlan, type JudgingContext, judgeSteps, liftReviewed } from './judge-plan.ts';

export interface MakingOptions extends PlanningOptions, AttributionOptions, AtOption {
  /** The run shows what people changed apart from what git changed. */
  readonly divides?: true;
  /** The run reports unmanaged flags, so a target may name one. */
  readonly unmanaged?: boolean;
  /** The syntax that named the targets. */
  readonly targeting?: TargetSource;
  /** Families that the run reads even if manifests declare no resource of them. */
  readonly listed?: readonly FamilyName[];
  /** The run shows what the service will change by itself. */
  readonly schedules?: boolean;
  /** The run shows what waits for an approval in the service. */
  readonly requests?: boolean;
  /** Whether the run may leave drift alone, if the options or the configuration ask for it; any other run shows it. */
  readonly mayKeepDrift?: boolean;
  /** The run makes nothing but due steps, and skips those that a rule refuses. */
  readonly skipsRefused?: boolean;
  /** The approvers whom the run names; absent if the policies do not judge the run. */
  readonly approvedBy?: readonly string[];
  /** Differences that the run leaves out. */
  readonly findLeaving?: (loaded: LoadedProject) => Promise<Leaving | undefined>;
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
}

export interface PlannedStates {
  readonly plan: Plan;
  /** The same plan with the changes that it leaves in the service, whose authors are looked up too. */
  readonly attributed: Plan;
  /** Present if the run shows them apart. */
  readonly groups?: DriftGroups;
  /** The judgement of the policies; absent without policies, and for runs that are not judged. */
  readonly judgement?: Judgement;
  /** Code that reads what changes; absent if no code can lose anything, and for runs that are not judged. */
  readonly readers?: Readers;
  /** The steps ahead of rollouts that the manifests declare or change, and the largest jump of each flag; absent if there are none. */
  readonly steps?: readonly StepAhead[];
  /** Steps that fall due while the change may still be reviewed; absent if there are none. */
  readonly soon?: readonly StepSoon[];
  /** The due steps that the run skips because rules refuse them, with the rules; absent if there are none. */
  readonly refusedSteps?: RefusedSteps;
}

/** `changes`: those that would make the steps. */
export type RefusedSteps = Pick<Plan, 'changes' | 'hazards'> & Pick<Judgement, 'findings'>;

interface Planning {
  readonly loaded: LoadedProject;
  readonly states: PlanStates;
  readonly permits: readonly GivenPermit[];
  readonly options: MakingOptions;
  /** Flags whose due steps wait for an approval of the service, or were refused one. */
  readonly asked?: ReadonlySet<string>;
  /** Flags whose due steps rules refuse. */
  readonly refused?: ReadonlySet<string>;
}

/** Plans again without the steps that rules refuse, if the run skips these: the step of one flag does not stop those of the others. */
export async function planStates(session: Session, planning: Planning): Promise<PlannedStates> {
  const planned = await planOnce(session, planning);
  const keys = planning.options.skipsRefused === true ? refusedIn(planned) : [];
  if (keys.length === 0) return planned;
  const others = await planStates(session, { ...planning, refused: new Set([...(planning.refused ?? []), ...keys]) });
  const isOwn = (one: object): boolean => 'key' in one && keys.includes(one.key as string);
  const { changes, hazards, findings } = others.refusedSteps ?? { changes: [], hazards: [], findings: [] };
  return {
    ...others,
    refusedSteps: {
      changes: [...planned.plan.changes.filter(isOwn), ...changes],
      hazards: [...planned.plan.hazards.filter(isOwn), ...hazards],
      findings: [...refusalsIn(planned.judgement).filter(isOwn), ...findings],
    },
  };
}

/** The flags that rules about one flag refuse. A rule about the number of changes refuses all of them. */
function refusedIn({ plan: { changes, hazards }, judgement }: PlannedStates): readonly string[] {
  const changed = new Set(changes.map(({ key }) => key));
  const keys = [...hazards, ...refusalsIn(judgement)].flatMap((one) => ('key' in one ? [one.key] : []));
  return [...new Set(keys)].filter((key) => changed.has(key));
}

async function planOnce(session: Session, planning: Planning): Promise<PlannedStates> {
  const { loaded, states, options } = planning;
  const { git } = states;
  const former = git.base !== undefined && 'desired' in git.base ? git.base.desired : undefined;
  const isStepped = [states.desired, former].some((state) => state !== undefined && hasRollouts(state));
  const made = await makePlans(session, planning, { former, isStepped });
  const { desired, replan } = made;
  const keepDrift = keepsDrift(loaded.config, options);
  if (keepDrift && made.plan.base?.kind !== 'commit') await missBase(session, options);
  checkNamed(planning, made);
  const steps = isStepped ? reviewSteps(planning, made, former) : undefined;
  const plan = addToPlan<PostHog>(made.plan, steps ?? {}, KINDS);
  const reviewed = git.base?.facts.kind === 'commit' ? (git.base.facts.rollouts ?? []) : [];
  const judgement = await judge(session, planning, { plan, steps: steps?.judged ?? [], reviewed });
  const groups = options.divides === true ? groupDrift(plan, made.replanPart) : undefined;
  const { moment } = loaded.project;
  const soon = isStepped && isReviewed(options) ? soonIn({ plan, desired, former }, moment, reviewed) : [];
  return {
    plan: addToPlan<PostHog>(plan, { warnings: unknownSchedules(states.live) }, KINDS),
    attributed: keepDrift && plan.left !== undefined ? replan() : plan,
    ...defined({ judgement, groups, readers: made.readers }),
    ...(steps === undefined || steps.shown.length === 0 ? {} : { steps: steps.shown }),
    ...(soon.length === 0 ? {} : { soon }),
  };
}

/** An apply of targets records no steps, and no run but a plan and an apply decides about any. */
function reviewSteps(
  { loaded, states, permits, options }: Planning,
  { plan: { changes }, desired }: Pick<MadePlans, 'plan' | 'desired'>,
  former: DesiredState | undefined,
): StepsToReview | undefined {
  const { moment } = loaded.project;
  const isDeciding = options.approvedBy !== undefined && options.due !== true && options.target === undefined;
  if (moment === undefined || !isDeciding) return undefined;
  const rules = toPlanOptions(loaded, states.judge, options);
  return planReview({ desired, former, live: states.live, changes, moment, options: { ...rules, permits } });
}

/** The warning that the scheduled changes of the service are not known. */
function unknownSchedules({ unknownSchedules: why }: LiveState): Plan['warnings'] {
  return why === undefined ? [] : [{ code: 'not_known', key: 'schedules', why }];
}

interface FormerState {
  readonly former: DesiredState | undefined;
  /** Whether the current or the former manifests have rollouts. */
  readonly isStepped: boolean;
}

interface MadePlans {
  readonly plan: Plan;
  /** The desired state of the plan, in which edited rollouts stay at their step. */
  readonly desired: DesiredState;
  readonly readers: Readers | undefined;
  /** The same plan with the drift that it keeps. */
  readonly replan: () => Plan;
  readonly replanPart: Replan;
}

/** Plans again where the first plan shows that a rollout was edited, or that code reads what changes. */
async function makePlans(
  session: Session,
  { loaded, states, permits, options, asked = new Set(), refused = new Set() }: Planning,
  { former, isStepped }: FormerState,
): Promise<MadePlans> {
  const { live, git } = states;
  const reviewed = isStepped ? tellReviewed(states.desired, former) : states.desired;
  const reviews = isStepped && options.due !== true;
  const declared = reviews ? tellDue(reviewed, former, loaded.project.moment) : reviewed;
  const keepDrift = keepsDrift(loaded.config, options);
  const ignored = await options.findLeaving?.(loaded);
  const all = {
    ...toPlanOptions(loaded, states.judge, options),
    permits,
    leaving: ignored === undefined ? [] : [ignored],
    ...defined({ base: git.base, commit: commitOf(git, options), alsoNamed: states.checkedOut }),
  };
  const whole = options.due === true || asked.size > 0 ? buildPlan(declared, live, all) : undefined;
  const leaveSteps = options.due === true ? leaveAllButDue : leaveDue;
  const stay = new Set([...asked, ...refused]);
  const own = { ...all, refused, leaving: [...all.leaving, ...(whole === undefined ? [] : [leaveSteps(whole, stay)])] };
  const first = buildPlan(declared, live, { ...own, keepDrift });
  const desired = reviews ? holdEdited(declared, first) : declared;
  const compared = desired === declared ? first : buildPlan(desired, live, { ...own, keepDrift });
  const found = await findReadersOf(session, compared, { loaded, states, options });
  return {
    plan: found?.isRead === true ? buildPlan(desired, live, { ...own, readers: found.readers, keepDrift }) : compared,
    desired,
    readers: found?.shown,
    replan: () => buildPlan(desired, live, own),
    replanPart: ({ targets, leaving }) =>
      buildPlan(desired, live, { ...own, targets, leaving: [...own.leaving, ...leaving] }),
  };
}

/** Refuses targets and overrides that name nothing. */
function checkNamed(
  { loaded, states: { live }, options }: Planning,
  { plan, desired }: Pick<MadePlans, 'plan' | 'desired'>,
): void {
  const { target, override, targeting } = options;
  const project = loaded.project.name;
  const unmanaged = options.prune === true || options.unmanaged === true ? plan.unmanaged : [];
  if (target !== undefined) checkTargets(target, { project, desired, live, unmanaged, ...defined({ targeting }) });
  if (override !== undefined) checkOverrides(override, { project, desired, live });
}

interface ToJudge {
  readonly plan: Plan;
  readonly steps: StepsToReview['judged'];
  /** What was applied of rollouts. */
  readonly reviewed: Moment['progress'];
}

async function judge(
  session: Session,
  { states: { live, judging }, options }: Planning,
  { plan, steps, reviewed }: ToJudge,
): Promise<Judgement | undefined> {
  const approvedBy = options.approvedBy ?? [];
  const found = await judgePlan(session, judging, { plan, state: { from: 'live', flags: live.flags }, approvedBy });
  return (
    found &&
    liftReviewed(await judgeSteps(session, found, { judging, steps, approvedBy, from: 'live' }), plan, reviewed)
  );
}

function isReviewed({ approvedBy, due, at }: MakingOptions): boolean {
  return approvedBy !== undefined && due !== true && at === undefined;
}

function soonIn(
  {
    former,
    ...states
  }: { readonly plan: Plan; readonly desired: DesiredState; readonly former: DesiredState | undefined },
  moment: Moment | undefined,
  recorded: Moment['progress'],
): readonly StepSoon[] {
  if (former === undefined || moment === undefined) return [];
  return findStepsSoon({ ...states, former, moment: { ...moment, progress: [...moment.progress, ...recorded] } });
}

/** Only judged runs may write what they plan, so only these are searched for. */
async function findReadersOf(
  session: Session,
  plan: Plan,
  { loaded: { config }, states: { judge }, options }: Omit<Planning, 'permits'>,
): Promise<FoundReaders | undefined> {
  return (
    judge &&
    findReaders(session, { plan, judge, config, files: options.permits === undefined ? [] : [options.permits] })
  );
}

function keepsDrift({ drift }: Config, { mayKeepDrift, onlyPending }: MakingOptions): boolean {
  return mayKeepDrift === true && (onlyPending === true || drift === 'keep');
}

/** Drift and pending changes cannot be told apart without a base. The first apply of a project has none. */
async function missBase(session: Session, { onlyPending }: MakingOptions): Promise<void> {
  if (onlyPending !== true) {
    const note =
      'No drift is kept (drift: keep): drift and pending changes can be told apart only after an apply of committed manifests.';
    return session.note(`${session.palette.warning('note')}  ${note}\n`);
  }
  throw new FlagwrightError('usage', '--only-pending needs a base: the commit that was last applied to the project.', {
    remedy: 'Name it with --base REF, or apply once without the option.',
  });
}

/** A plan of a part of the manifests is not the state of a commit. */
function commitOf({ manifests }: GitFacts, { target }: MakingOptions): string | undefined {
  return manifests.kind === 'committed' && target === undefined ? manifests.commit : undefined;
}

function toPlanOptions(
  { config, project }: LoadedProject,
  judge: Judge | undefined,
  options: PlanningOptions,
): PlanOptions {
  return {
    project: identityOf(project),
    ...findSafety(judge, config),
    allow: toPermissions(options),
    scope: config.scope,
    prune: options.prune === true,
    ...defined({ targets: options.target }),
  };
}

/** Judges a plan and its future steps by the policies, also by what other projects declared first, and lifts what approvals and exceptions lift. */

import { isDeepStrictEqual } from 'node:util';
import { FlagwrightError } from '../../base/errors.ts';
import { memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectConfig } from '../../config/config.ts';
import type { PolicyContext } from '../../review/policy/basis/policy-kind.ts';
import type { Exception } from '../../core/engine/exceptions.ts';
import { isSafetyRule } from '../../review/policy/broken-rules.ts';
import { areOfBuiltIn, policyKindOf, type AnyPolicy, nameOfPolicy, type Policy } from '../../review/policy/built-in.ts';
import { coversFacts, liftFindings } from '../../review/policy/exceptions.ts';
import { isRefusal, type Finding, type Judgement } from '../../review/policy/finding.ts';
import type { JudgedPlan } from '../../review/policy/judge.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { canonicalFlag } from '../../posthog/flag/model/canonical.ts';
import type { ExperimentSummary, Flag } from '../../posthog/flag/model/flag.ts';
import { mapReferencesIn } from '../../posthog/flag/model/references.ts';
import type { LiveState } from '../../posthog/live.ts';
import { isDecision, type Plan } from '../../posthog/plan.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import type { OwnerRules } from '../../core/manifest/code-owners.ts';
import { jumps, makesOnlySteps } from '../../posthog/rollouts/rollouts.ts';
import { approvalsBefore } from '../../core/rollout/record.ts';
import type { Approval, Progress } from '../../core/rollout/rollout.ts';
import { findBase } from '../applied/find-base.ts';
import { findPolicies, type FoundPolicies, type Judge } from '../applied/find-judge.ts';
import { loadBase } from '../applied/load-base.ts';
import type { BaseSearch, RunBase } from '../applied/open-checkout.ts';
import { prepareSoaking, type ReadSoaking } from '../applied/soak.ts';
import { findOwners } from '../project/find-owners.ts';
import type { Session } from '../session/session.ts';

export interface JudgingContext extends FoundPolicies {
  /** Those of the file, whether they count or not. */
  readonly exceptions: readonly Exception[];
  readonly declared: PolicyContext['declared'];
  /** Absent if no policy asks what another project has had. */
  readonly readSoaking?: ReadSoaking;
  /** Absent if no policy asks for owners. */
  readonly owners?: OwnerRules;
  /** The policies of the checkout, which judge too in a run that nobody reviews again; absent if they are the same. */
  readonly checkout?: JudgingContext;
}

interface JudgedBy extends Pick<JudgingContext, 'exceptions'> {
  readonly judge: Judge;
}

/** `undefined` if there are no policies. Call this while the checkout is open. */
export async function prepareJudging(
  session: Session,
  search: BaseSearch,
  { judge: by, exceptions }: JudgedBy,
): Promise<JudgingContext | undefined> {
  const found = findPolicies(by, search.loaded);
  if (found === undefined) return undefined;
  const commit = by.from === 'base' ? by.commit : undefined;
  const needsOthers = found.set.rules.some((policy) => kindOf(policy)?.comparesWith !== undefined);
  const declared = needsOthers ? await findDeclared(session, search, { ...found, commit }) : new Map();
  const readSoaking = await prepareSoaking(session, search, { judge: by, ...found });
  const asksOwners = found.set.rules.some((policy) => kindOf(policy)?.asksOwners?.(policy) === true);
  // A change names owners in its tags and in CODEOWNERS, but it does not decide what counts as a name.
  const { config } = search.loaded;
  const owners = asksOwners ? await findOwners(config, by.from === 'base' ? by.config : config) : undefined;
  return { ...found, exceptions, declared, ...defined({ readSoaking, owners }) };
}

/** A merged freeze applies to due steps even before it is applied. */
export async function prepareJudgingOfSteps(
  session: Session,
  search: BaseSearch,
  { judge: by, exceptions }: JudgedBy,
): Promise<JudgingContext | undefined> {
  const judging = await prepareJudging(session, search, { judge: by, exceptions });
  if (judging?.source.from !== 'base' || !judging.source.differs) return judging;
  const own = await prepareJudging(session, search, { judge: { from: 'checkout', why: 'no_base' }, exceptions });
  return { ...judging, ...defined({ checkout: own }) };
}

export interface PlanToJudge {
  readonly plan: JudgedPlan;
  readonly state:
    | { readonly from: 'live'; readonly flags: LiveState['flags'] }
    /** `recorded`: what the policies said when the plan was saved. */
    | { readonly from: 'saved'; readonly recorded?: Judgement }
    | { readonly from: 'manifests'; readonly flags: LiveState['flags'] };
  readonly approvedBy: readonly string[];
  /** When the change is made; absent: now. */
  readonly now?: number;
}

export async function judgePlan(
  session: Session,
  judging: JudgingContext | undefined,
  given: PlanToJudge,
): Promise<Judgement | undefined> {
  if (judging === undefined) return undefined;
  const judged = await judgeBy(session, judging, given);
  if (judging.checkout === undefined) return judged;
  const also = await judgeBy(session, judging.checkout, given);
  const more = also.findings.filter((finding) => !judged.findings.some((one) => saysSame(one, finding)));
  return { ...judged, findings: [...judged.findings, ...more] };
}

async function judgeBy(
  session: Session,
  judging: JudgingContext,
  { plan, state, approvedBy, now = session.context.now() }: PlanToJudge,
): Promise<Judgement> {
  const { set, source, project, declared, exceptions, readSoaking, owners } = judging;
  const { judge } = await import('../../review/policy/judge.ts');
  const keys = new Set(plan.changes.flatMap((change) => (change.resource === 'flag' ? [change.key] : [])));
  const asksOthers = state.from !== 'manifests' && keys.size > 0;
  const soaked = asksOthers ? await readSoaking?.([...keys]) : undefined;
  const found = judge(set.rules, plan, {
    project,
    now,
    flags: state.from === 'saved' ? [] : state.flags,
    ...defined({
      declared,
      soaked,
      owners,
      experiments: state.from === 'live' ? runningExperiments(state.flags) : undefined,
    }),
  });
  const kept = state.from === 'saved' ? keepRecorded(state.recorded, { ...judging, found }, plan) : [];
  const placed = found.map((finding) => (source.from === 'base' ? { ...finding, commit: source.commit } : finding));
  const grants = { exceptions, approvedBy, now, ...defined({ approvers: set.approvers }) };
  return { source, findings: liftFindings([...placed, ...kept], grants) };
}

/** The rules that judge all changes of a plan; others may find more where live state is read. */
export function judgingRules(
  judging: JudgingContext | undefined,
  from: PlanToJudge['state']['from'],
): (rule: string) => boolean {
  const judgesAll = (policy: Policy): boolean =>
    isFor(policy, judging?.project ?? '') && (kindOf(policy)?.asksLiveState !== true || from !== 'manifests');
  const names = new Set((judging?.set.rules ?? []).filter(judgesAll).map(nameOfPolicy));
  return (rule) => names.has(rule) || (from !== 'manifests' && isSafetyRule(rule));
}

/** Findings that need live state stay as recorded when the plan was made. */
function keepRecorded(
  recorded: Judgement | undefined,
  { set, project, found }: JudgingContext & { readonly found: readonly Finding[] },
  plan: JudgedPlan,
): Finding[] {
  const isLive = (policy: Policy): boolean => kindOf(policy)?.stillHolds !== undefined && isFor(policy, project);
  // No file has the flags at the time of a step.
  const isRecorded = (policy: Policy): boolean =>
    isLive(policy) || (plan.rollout_changes !== undefined && isFor(policy, project));
  if (recorded === undefined && isDecision(plan) && set.rules.some(isRecorded) && !found.some(isRefusal)) {
    throw new FlagwrightError('plan_invalid', 'The saved plan was not judged by the policies of the project.', {
      remedy: 'Make a new one with `flagwright plan --out FILE`.',
    });
  }
  const rules = set.rules.filter(isLive);
  const isFound = ({ rule, ref, facts }: Finding): boolean =>
    found.some((one) => one.rule === rule && one.ref === ref && 'flags' in one.facts === 'flags' in facts);
  return (recorded?.findings ?? [])
    .filter((finding) => finding.step !== undefined || (stillHolds(finding, rules) && !isFound(finding)))
    .map(({ lifted: _lifted, approvers: _approvers, ...finding }) => finding);
}

/** The current policies may allow more. */
function stillHolds({ facts }: Finding, rules: readonly Policy[]): boolean {
  if (!areOfBuiltIn(facts)) return false;
  const own = rules.filter(({ rule }) => rule === facts.what);
  return policyKindOf(facts.what).stillHolds?.(facts, own) === true;
}

function kindOf({ rule }: Policy): AnyPolicy | undefined {
  return rule === 'own' ? undefined : policyKindOf(rule);
}

/** Whether two sets of policies find the same, at the same level and for the same approvers. */
function saysSame(...findings: readonly [Finding, Finding]): boolean {
  const [one, other] = findings.map(({ rule, ref, level, facts, lifted, approvers = null }) => {
    return { rule, ref, level, facts, lifted, approvers };
  });
  return isDeepStrictEqual(one, other);
}

function isFor({ projects }: Policy, project: string): boolean {
  return projects?.includes(project) ?? true;
}

/** A service of 2023 does not say which experiments run, so all linked ones count. */
function runningExperiments(flags: readonly Flag[]): ReadonlyMap<string, readonly ExperimentSummary[]> {
  return new Map(
    flags.map(({ key, experiment_set_metadata: known, experiment_set: ids }) => [
      key,
      known?.filter(({ is_running: isRunning }) => isRunning !== false) ?? (ids ?? []).map((id) => ({ id })),
    ]),
  );
}

/** The judgement of the plan with the findings of its steps. */
export async function judgeSteps(
  session: Session,
  judgement: Judgement,
  given: Pick<PlanToJudge, 'approvedBy'> & {
    readonly judging: JudgingContext | undefined;
    readonly steps: readonly StepAhead[];
    readonly from: 'live' | 'manifests';
  },
): Promise<Judgement> {
  const { judging, steps, approvedBy, from } = given;
  const findings: Finding[] = [...judgement.findings];
  for (const { at, due, jump_since: since, plan, live } of steps) {
    const state = { from, flags: live.flags };
    const judged = await judgePlan(session, judging, { plan, state, approvedBy, now: Date.parse(due ?? at) });
    for (const found of judged?.findings ?? []) {
      const finding = { ...found, step: at, ...defined({ due, jump_since: since }) };
      if (!findings.some((one) => saysAll(one, finding))) findings.push(finding);
    }
  }
  return { ...judgement, findings };
}

/** Whether the finding of a step, or of a larger jump, already says what the finding of a jump says. */
function saysAll(one: Finding, { rule, ref, step, jump_since: since, facts }: Finding): boolean {
  if (since === undefined || one.rule !== rule || one.ref !== ref || 'flags' in one.facts !== 'flags' in facts)
    return false;
  return one.jump_since !== undefined || (one.step === step && isDeepStrictEqual(one.facts, facts));
}

/**
 * Lifts findings on steps by the approvals of their review. An approval holds when the step is made, for what was found then, and while its
 * approver is one; for a jump over several steps only if jumps to that step were reviewed too. Other changes of the flag were not reviewed.
 */
export function liftReviewed(judgement: Judgement, plan: Plan, reviewed: readonly Progress[]): Judgement {
  const findings = judgement.findings.map((finding): Finding => {
    if (finding.lifted !== undefined || finding.level !== 'approve' || finding.step !== undefined) return finding;
    if (!makesOnlySteps(plan, finding.key)) return finding;
    const own = (plan.rollouts ?? []).filter(({ key }) => key === finding.key);
    const isJump = jumps(own);
    const approval = own
      .flatMap((one) => {
        const at = one.steps[one.step]?.at ?? '';
        const isOf = ({ step, jumps: covers }: Approval): boolean =>
          isJump ? covers === true && at <= step : at === step;
        return approvalsBefore(one, reviewed).filter(isOf);
      })
      .filter(({ by }) => finding.approvers?.includes(by) ?? true)
      .find(({ rule, facts }) => rule === finding.rule && coversFacts(facts, finding.facts));
    return approval === undefined ? finding : { ...finding, lifted: { by: 'approval', approver: approval.by } };
  });
  return { ...judgement, findings };
}

/**
 * Uses the commit last applied to the other project, or else the base of the run. A project without either is absent. `commit`: that of the
 * base; absent if there is none.
 */
export async function findDeclared(
  session: Session,
  search: BaseSearch,
  { set, project: name, commit }: Pick<FoundPolicies, 'set' | 'project'> & { readonly commit: string | undefined },
): Promise<NonNullable<PolicyContext['declared']>> {
  const { config, project } = search.loaded;
  const names = set.rules.flatMap((policy) => {
    const compared = policy.rule === 'own' ? undefined : policyKindOf(policy.rule).comparesWith?.(policy);
    return compared !== undefined && policy.projects?.includes(name) !== false ? [compared] : [];
  });
  const declared = new Map<string, ReadonlyMap<string, JsonObject>>();
  for (const first of new Set(names)) {
    const other = memberOf(config.projects, first);
    const desired = other && (await desiredOf(session, { ...search, loaded: { config, project: other } }, commit));
    if (other !== undefined && desired !== undefined)
      declared.set(first, flagsOf(desired, { from: other, to: project }));
  }
  return declared;
}

async function desiredOf(
  session: Session,
  search: BaseSearch,
  commit: string | undefined,
): Promise<DesiredState | undefined> {
  // A snapshot names the commit that was applied to its own project.
  const { snapshot } = search;
  const applied = await findBase(session, { ...search, option: 'auto', ...(snapshot && { snapshot: {} }) });
  if (applied !== undefined && 'desired' in applied) return applied.desired;
  const opened = await search.checkout.opened;
  if (commit === undefined || opened.kind !== 'open') return undefined;
  const facts = { kind: 'commit', commit, from: 'option' } as const;
  const base: RunBase = await loadBase(session, search, { repository: opened.repository, facts });
  return 'desired' in base ? base.desired : undefined;
}

/** Flags in the form in which they are compared, with the ids that the project itself gives the same cohorts. */
function flagsOf(
  { flags }: DesiredState,
  { from, to }: { readonly from: ProjectConfig; readonly to: ProjectConfig },
): Map<string, JsonObject> {
  const ids = new Map(Object.entries(from.cohorts).map(([alias, id]) => [id, memberOf(to.cohorts, alias)]));
  const cohort = (value: JsonValue): JsonValue => (typeof value === 'number' ? (ids.get(value) ?? value) : value);
  return new Map(
    flags.flatMap((flag) =>
      flag.kind === 'retired' ? [] : [[flag.key, canonicalFlag(mapReferencesIn(flag.fields, { cohort }))]],
    ),
  );
}

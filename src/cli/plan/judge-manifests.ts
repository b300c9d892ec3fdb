/** Judges what the manifests change since the base, by the policies and by time, without the service. */

import { distinct, type DiagnosticOf } from '../../base/diagnostic.ts';
import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { type ExceptionReport, reportExceptions } from '../../review/policy/exceptions.ts';
import type { Judgement } from '../../review/policy/finding.ts';
import { asLive } from '../../posthog/as-live.ts';
import { resolveProject, type ManifestFile, type Resolution } from '../../posthog/manifests/manifests.ts';
import { buildPlan } from '../../posthog/planning/build-plan.ts';
import { planReview } from '../../posthog/planning/jumps-ahead.ts';
import { findPassed } from '../../posthog/rollouts/rollouts-in-review.ts';
import { noBaseNote } from '../../report/words/base.ts';
import type { RolloutProblems } from '../../core/rollout/problems.ts';
import { DEFAULT_STEPS_EVERY } from '../../core/rollout/read-rollout.ts';
import { findBase } from '../applied/find-base.ts';
import { findExceptions } from '../applied/find-exceptions.ts';
import { findJudge, refuseUnproved } from '../applied/find-judge.ts';
import { type BaseCommit, type Checkout, withCheckout } from '../applied/open-checkout.ts';
import { knownNames } from '../project/check-targets.ts';
import type { KnownFiles } from '../project/known-files.ts';
import { identityOf } from '../project/open-project.ts';
import { advise, type Session } from '../session/session.ts';
import { judgePlan, judgingRules, prepareJudging, judgeSteps } from './judge-plan.ts';

export interface ManifestsToJudge {
  readonly config: Config;
  readonly projects: readonly { readonly project: ProjectConfig; readonly resolution: Resolution }[];
  readonly files: readonly ManifestFile[];
  readonly known: KnownFiles;
  readonly option?: string;
  readonly approvedBy: readonly string[];
  /** Whether the policies judge; otherwise only rollouts are examined. */
  readonly isJudged: boolean;
}

export interface ProjectJudgement {
  readonly project: string;
  readonly judgement: Judgement;
  /** What the exceptions of files do for it; absent if there are none. */
  readonly excepted?: readonly ExceptionReport[];
}

export interface ComparedManifests {
  readonly judged: readonly ProjectJudgement[];
  readonly diagnostics: readonly DiagnosticOf<RolloutProblems>[];
}

/**
 * Compares the projects that have a base with it, and judges those that have policies; fetches nothing. Without a base, it says nothing
 * about rollouts: only the base shows which of them are new.
 * @throws {FlagwrightError} `base_unreadable` if `--base` asks for a base that cannot be read.
 */
export async function judgeManifests(session: Session, given: ManifestsToJudge): Promise<ComparedManifests> {
  return withCheckout(session, given.config, async (checkout) => {
    const judged: ProjectJudgement[] = [];
    const diagnostics: DiagnosticOf<RolloutProblems>[] = [];
    for (const one of given.projects) {
      await session.interrupts.breathe();
      const { judged: found, passed = [] } = await judgeProject(session, { ...given, checkout }, one);
      if (found !== undefined) judged.push({ project: one.project.name, ...found });
      diagnostics.push(...passed);
    }
    return { judged, diagnostics: distinct(diagnostics) };
  });
}

async function judgeProject(
  session: Session,
  { config, checkout, files, known, option, approvedBy, isJudged }: ManifestsToJudge & { readonly checkout: Checkout },
  { project, resolution }: ManifestsToJudge['projects'][number],
): Promise<{ judged?: Omit<ProjectJudgement, 'project'>; passed?: ComparedManifests['diagnostics'] }> {
  const roles = unverifiedRoles(resolution);
  const findRoles = async (): Promise<ProjectConfig['roles']> => roles;
  const allProjects = Object.keys(config.projects);
  const loaded = { config, project };
  const search = { loaded, checkout, known, findRoles, offline: true, ...defined({ option }) } as const;
  const base = await findBase(session, search);
  if (base === undefined) return {};
  if (!('desired' in base)) {
    const { reason } = base.facts;
    const isOrdinary = reason.code === 'not_recorded' || reason.code === 'no_repository';
    // An editor runs this at each save and needs no base; a user who names a base expects its judgement.
    if (isJudged && option !== undefined) await refuseUnproved(reason, loaded);
    else if (isJudged && !isOrdinary)
      await advise(session, `The policies judge nothing in ${project.name}: ${noBaseNote(reason)}.`);
    return {};
  }
  const passed = warnOfPassed(resolution, base, project);
  if (!isJudged) return { passed };
  const judge = await findJudge(session, search, base.facts);
  const exceptions = await findExceptions(loaded, { judge, approvedBy });
  const judging = await prepareJudging(session, search, { judge, exceptions });
  if (judging === undefined) return { passed };
  const named = { ...project, roles: { ...roles, ...project.roles } };
  const wanted = Object.keys(roles).length === 0 ? resolution : resolveProject({ files, project: named, allProjects });
  const { desired, live } = asLive(wanted.desired, base.desired);
  const plan = buildPlan(desired, live, { project: identityOf(project) });
  const judged = await judgePlan(session, judging, {
    plan,
    state: { from: 'manifests', flags: live.flags },
    approvedBy,
  });
  const { judged: steps } = planReview({
    ...{ desired: wanted.desired, former: base.desired, changes: [] },
    live: asLive(wanted.desired, wanted.desired).live,
    moment: { now: project.moment?.now ?? session.context.now(), every: project.moment?.every ?? DEFAULT_STEPS_EVERY },
  });
  if (judged === undefined) return { passed };
  const judgement = await judgeSteps(session, judged, { judging, steps, approvedBy, from: 'manifests' });
  const { findings } = judgement;
  const { approvers } = judging.set;
  const excepted = reportExceptions(
    { exceptions, now: session.context.now(), ...defined({ approvers }) },
    { plan, findings, judgedBy: judgingRules(judging, 'manifests'), known: knownNames(desired, live.flags) },
  );
  return { judged: { judgement, ...(excepted.length > 0 && { excepted }) }, passed };
}

function warnOfPassed(
  { desired }: Resolution,
  base: BaseCommit,
  { name, moment }: ProjectConfig,
): ComparedManifests['diagnostics'] {
  if (moment === undefined) return [];
  const recorded = { now: moment.now, progress: base.facts.rollouts ?? [] };
  return findPassed(desired, base.desired, recorded).map((found) => ({
    code: 'steps-passed',
    severity: 'warning',
    ...found,
    args: { project: name },
  }));
}

/** Only the service knows the ids of roles; here a name replaces its id, before and after the change. */
function unverifiedRoles({ diagnostics }: Resolution): ProjectConfig['roles'] {
  const names = diagnostics.flatMap((one) => (one.code === 'role-unknown' ? one.args.role : []));
  return Object.fromEntries(names.map((name) => [name, name]));
}

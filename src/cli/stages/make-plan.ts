/** Makes a plan from the command line's options, for plan, drift and apply. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Config } from '../../config/config.ts';
import type { Forecast } from '../../engine/forecast.ts';
import type { Leaving } from '../../engine/left.ts';
import type { SafetyRules } from '../../engine/safety.ts';
import type { Attributions } from '../../posthog/attribution.ts';
import { buildPlan, type PlanOptions } from '../../posthog/build-plan.ts';
import { readLiveState } from '../../posthog/client/live-state.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { findRoleIds } from '../../posthog/role-access/organization.ts';
import { wantedState } from '../../posthog/wanted-state.ts';
import { toPermissions, type PlanningOptions } from '../line/options.ts';
import { findRecorded } from '../runs/find-recorded.ts';
import { createProgress, type ProgressReporter } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { withCheckout } from './checkout.ts';
import { findAttributions, type AttributionOptions } from './find-attributions.ts';
import { checkTargets, type Targeting } from './check-targets.ts';
import { consultGit, type GitFacts } from './consult-git.ts';
import type { ManifestCommit } from './find-manifest-commit.ts';
import { forecastApply } from './forecast-apply.ts';
import { createKnownFiles } from './known-files.ts';
import { loadDesiredState, loadPermits, loadProject, type LoadedProject } from './load-project.ts';
import { withProject, type OpenProject } from './open-project.ts';

export interface MadePlan {
  readonly plan: Plan;
  /** For applying it immediately. */
  readonly forecast: Forecast;
  /** Absent where nobody is to be named. */
  readonly attributions?: Attributions;
  readonly opened: OpenProject;
  readonly progress: ProgressReporter;
}

/** With what it was made of. */
export interface FreshPlan extends MadePlan {
  readonly loaded: LoadedProject;
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** The commit that has the manifests as they were read. */
  readonly manifests: ManifestCommit;
}

export interface MakingOptions extends PlanningOptions, AttributionOptions {
  /** The run reports unmanaged flags, so a target may name one. */
  readonly unmanaged?: boolean;
  /** How the command line names the targets. */
  readonly targeting?: Targeting;
  /** The run shows what the service is to change by itself. */
  readonly schedules?: boolean;
  /** The run leaves drift alone where the options or the configuration ask for it; any other run shows it. */
  readonly mayKeepDrift?: boolean;
  /** Differences that the run leaves out. */
  readonly findLeaving?: (loaded: LoadedProject) => Promise<Leaving | undefined>;
}

/** Makes a plan and passes it to `use` while the project is open. */
export async function withPlan<Result>(
  session: Session,
  options: MakingOptions,
  use: (made: FreshPlan) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadProject(session);
  const permits = options.permits === undefined ? [] : await loadPermits(session, loaded, options.permits);
  const progress = createProgress(session);
  return withProject(session, { project: loaded.project, onEvent: progress.onService }, async (opened) => {
    const { desired, live, git } = await readStates(session, { loaded, opened, options }).finally(progress.clear);
    const keepDrift = keepsDrift(loaded.config, options);
    const leaving = await options.findLeaving?.(loaded);
    const plan = buildPlan(desired, live, {
      ...toPlanOptions(loaded, opened, options),
      permits,
      keepDrift,
      ...defined({ base: git.base, commit: commitOf(git, options), leaving }),
    });
    if (keepDrift && plan.base?.kind !== 'commit') await missBase(session, options);
    const unmanaged = options.prune === true || options.unmanaged === true ? plan.unmanaged : [];
    const { targeting } = options;
    checkTargets(options.target ?? [], {
      project: loaded.project.name,
      desired,
      live,
      unmanaged,
      ...defined({ targeting }),
    });
    const attributions = await findAttributions(session, { plan, live, opened }, options).finally(progress.clear);
    const forecast = await forecastApply(session, plan, { live, opened });
    const { manifests } = git;
    return use({ loaded, desired, live, plan, forecast, ...defined({ attributions }), opened, progress, manifests });
  });
}

function keepsDrift({ drift }: Config, { mayKeepDrift, onlyPending }: MakingOptions): boolean {
  return mayKeepDrift === true && (onlyPending === true || drift === 'keep');
}

/** Without a base nothing tells drift from pending changes. The first apply of a project has none. */
async function missBase(session: Session, { onlyPending }: MakingOptions): Promise<void> {
  if (onlyPending !== true) {
    const note = 'Nothing is kept (drift: keep), since no earlier apply tells drift from pending changes.';
    return session.note(`${session.palette.warning('note')}  ${note}\n`);
  }
  throw new FlagwrightError('usage', '--only-pending needs a base: the commit that was last applied to the project.', {
    remedy: 'Name it with --base REF, or apply once without the option.',
  });
}

interface Reading {
  readonly loaded: LoadedProject;
  readonly opened: OpenProject;
  readonly options: MakingOptions;
}

/** The service is read while the manifests are parsed and git is asked. Errors of the manifests are reported first. */
async function readStates(
  session: Session,
  { loaded, opened, options }: Reading,
): Promise<{ readonly desired: DesiredState; readonly live: LiveState; readonly git: GitFacts }> {
  return withCheckout(session, loaded.config, async (checkout) => {
    const known = createKnownFiles();
    const findRoles = once(() => findRoleIds(opened.client));
    const loading = loadDesiredState(session, loaded, { findRoles, onRead: known.remember });
    const search = { loaded, checkout, known, findRoles, ...defined({ option: options.base }) };
    const asking = loading.then(() => consultGit(session, search));
    const reading = readLiveState(opened.client, loading.then(wantedState), {
      findRecorded: (keys) => findRecorded(session, opened.identity, keys),
      schedules: options.schedules === true,
    });
    // They may fail before they are awaited, which must not count as unhandled.
    for (const later of [asking, reading]) later.catch(() => undefined);
    const desired = await loading;
    const git = await asking;
    return { desired, live: await reading, git };
  });
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

/** A part of what the manifests declare is not the state of a commit. */
function commitOf({ manifests }: GitFacts, { target }: MakingOptions): string | undefined {
  return manifests.kind === 'committed' && target === undefined ? manifests.commit : undefined;
}

function toPlanOptions({ config }: LoadedProject, { identity }: OpenProject, options: PlanningOptions): PlanOptions {
  return {
    project: identity,
    ...toSafetyRules(config, options),
    scope: config.scope,
    prune: options.prune === true,
    ...defined({ targets: options.target }),
  };
}

export function toSafetyRules(config: Config, options: Parameters<typeof toPermissions>[0]): SafetyRules {
  return { limits: config.limits, protected: config.protected, allow: toPermissions(options) };
}

/** The desired state at the time of a run: each rollout at the step that was applied, or at the next one if that is due. */

import { memberOf, objectOrEmpty, type JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import { viewFilters } from '../../posthog/flag/model/view.ts';
import { resolveDesired, type LoadOptions } from '../../posthog/manifests/load.ts';
import type { ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { LiveState } from '../../posthog/live.ts';
import { buildPlan } from '../../posthog/planning/build-plan.ts';
import { hasRollouts, rolloutsIn } from '../../posthog/rollouts/rollouts.ts';
import { findAhead } from '../../rollout/ahead.ts';
import type { Moment, PlannedRollout } from '../../rollout/rollout.ts';
import type { GitFacts } from '../applied/find-base.ts';
import type { LoadedProject } from '../project/load-project.ts';

export interface DesiredNow {
  readonly loaded: LoadedProject;
  readonly desired: DesiredState;
  /** The files that `desired` was read from. */
  readonly files: readonly ManifestFile[];
  readonly live: LiveState;
  readonly git: GitFacts;
  readonly moment: Pick<Moment, 'now' | 'reach'>;
  readonly findRoles?: LoadOptions['findRoles'];
}

/** The state, and the project with the moment; both unchanged if nothing changes over time. */
export async function desiredNow({
  loaded,
  desired,
  files,
  live,
  git,
  moment,
  findRoles,
}: DesiredNow): Promise<Pick<DesiredNow, 'desired' | 'loaded'>> {
  if (!hasRollouts(desired)) return { desired, loaded };
  const base = git.base?.facts.kind === 'commit' ? git.base.facts : undefined;
  const isPlanned = moment.reach === 'planned';
  // Steps that were applied after the requested time are ignored: the declared steps count then.
  const recorded = (base?.rollouts ?? []).filter(({ at }) => !isPlanned || Date.parse(at) <= moment.now);
  const { config, project } = loaded;
  const resolve = async (progress: Moment['progress']): Promise<Pick<DesiredNow, 'desired' | 'loaded'>> => {
    if (project.moment === undefined) return { desired, loaded };
    const timed = { ...project, moment: { ...project.moment, ...moment, progress } };
    const options = { project: timed, allProjects: Object.keys(config.projects), ...(findRoles && { findRoles }) };
    const found = await resolveDesired({ files, diagnostics: [] }, options);
    return { desired: found.desired, loaded: { config, project: timed } };
  };
  const now = await resolve(recorded);
  if (isPlanned) return now;
  const ahead = findAhead(rolloutsIn(now.desired, live), liveValues(now.desired, live), moment.now);
  if (ahead.length === 0) return now;
  const edited = flagsWithOtherEdits(now.desired, live);
  return resolve([...ahead.filter(({ key }) => !edited.has(key)), ...recorded]);
}

/** If a flag differs in more than its steps, the value at a path may belong to another condition. */
function flagsWithOtherEdits(desired: DesiredState, live: LiveState): ReadonlySet<string> {
  const stepped = new Set(rolloutsIn(desired, live).map(({ key, path }) => `${key} ${path}`));
  const others = buildPlan(desired, live).changes.filter(
    (change) =>
      change.resource === 'flag' &&
      (change.action !== 'update' || change.fields.some(({ path }) => !stepped.has(`${change.key} ${path}`))),
  );
  return new Set(others.map(({ key }) => key));
}

function liveValues(desired: DesiredState, live: LiveState): (rollout: PlannedRollout) => JsonValue | undefined {
  const byKey = new Map(live.flags.map((flag) => [flag.key, flag]));
  const declared = new Map(
    desired.flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag] as const] : [])),
  );
  return ({ key, path }) => {
    const flag = namesOf(declared.get(key))
      .map((name) => byKey.get(name))
      .find((one) => one !== undefined);
    return valueIn(flag as unknown as JsonValue | undefined, path);
  };
}

function namesOf(flag: DeclaredFlag | undefined): readonly string[] {
  return flag === undefined ? [] : [flag.key, ...flag.previousKeys];
}

/** A condition without a percentage has all of its people. */
function valueIn(flag: JsonValue | undefined, path: string): JsonValue | undefined {
  const [first, ...rest] = fromPointer(path);
  if (rest.length === 0) return memberOf(objectOrEmpty(flag), first ?? '');
  const { conditions } = viewFilters(objectOrEmpty(flag)['filters']);
  const condition = conditions.find(({ number }) => number === Number(rest[1]) + 1);
  return condition === undefined ? undefined : (condition.part.rollout_percentage ?? 100);
}

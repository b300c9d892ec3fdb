/** The desired state at the time of a run: each rollout at the step that was applied, or at the next one if that is due. */

import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { jsonEquals, memberOf, objectOrEmpty, type JsonValue } from '../../base/json.ts';
import { matchKeyPatterns } from '../../core/engine/scope.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import { resolveDesired, type LoadOptions } from '../../posthog/manifests/load.ts';
import type { ManifestFile } from '../../posthog/manifests/manifests.ts';
import { findLiveSteps } from '../../posthog/planning/live-steps.ts';
import { hasRollouts, isDue, rolloutsIn } from '../../posthog/rollouts/rollouts.ts';
import { findAhead, valueOf } from '../../core/rollout/position.ts';
import type { Moment, PlannedRollout, Progress, Reached } from '../../core/rollout/rollout.ts';
import type { GitFacts } from '../applied/find-base.ts';
import type { LoadedProject } from '../project/load-project.ts';
import { isMade, type LastWrite, type StepValue } from '../runs/find-recorded.ts';

export interface DesiredNow {
  readonly loaded: LoadedProject;
  readonly desired: DesiredState;
  /** The files that `desired` was read from. */
  readonly files: readonly ManifestFile[];
  readonly live: LiveState;
  readonly git: GitFacts;
  readonly moment: Pick<Moment, 'now' | 'reach'>;
  readonly findRoles?: LoadOptions['findRoles'];
  /** Finds those of the steps in the service that people approved there, after a run had asked. */
  readonly findApproved: (values: readonly FoundStep[]) => Promise<readonly FoundStep[]>;
  /** The newest recorded write of each value. */
  readonly findWrites: (values: readonly StepValue[]) => Promise<ReadonlyMap<StepValue, LastWrite>>;
  /** Keys or patterns of flags that the run takes back to the manifests, whatever the service has. */
  readonly override: readonly string[] | undefined;
}

/** A step that a run would make now, or that somebody lets go on before its time. */
interface NextStep extends StepValue {
  readonly rollout: PlannedRollout;
  /** Those of the steps from the first one that is not recorded up to it. A rollout may jump over some. */
  readonly values: readonly JsonValue[];
  /** The value that the flag has. */
  readonly now: JsonValue | undefined;
}

/** A step that nobody recorded, in the live flag. */
export interface FoundStep extends StepValue {
  readonly progress: Reached;
  readonly rollout: PlannedRollout;
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
  findApproved,
  findWrites,
  override = [],
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
  const rollouts = rolloutsIn(now.desired, live);
  const liveStep = findLiveSteps(now.desired, live);
  const ahead = findAhead(rollouts, (rollout) => liveStep(rollout)?.value, moment.now);
  const isOverridden = matchKeyPatterns(override);
  // Who lets a rollout go on may do so before its next step is due.
  const next = rollouts.flatMap((rollout): NextStep[] => {
    const step = isDue(rollout) || isOverridden(rollout.key) ? liveStep(rollout) : undefined;
    const { applied, due } = rollout;
    if (step === undefined || applied === undefined || due === undefined) return [];
    const { flag, path, value: now } = step;
    const index = Math.max(rollout.step, applied.step + 1);
    const values = rollout.steps.slice(applied.step + 1, index + 1).map(({ to }) => to);
    return [{ rollout, id: flag.id, path, value: valueOf(rollout, index), values, now }];
  });
  if (ahead.length === 0 && next.length === 0) return now;
  const found = ahead.flatMap((progress): FoundStep[] => {
    const rollout = rollouts.find((one) => isOf(one, progress));
    const step = rollout && liveStep(rollout);
    if (rollout === undefined || step === undefined) return [];
    return [{ progress, rollout, id: step.flag.id, path: step.path, value: valueOf(progress, progress.step) }];
  });
  const writes = await findWrites([...found, ...next]);
  const others = found.filter((one) => !isMade(one, writes.get(one)));
  const approved = others.length === 0 ? [] : await findApproved(others);
  const made = new Set(found.filter((one) => !others.includes(one) || approved.includes(one)));
  const reverted = found.filter((one) => !made.has(one) && isOverridden(one.rollout.key));
  // Who reverts an edit gets back what was applied before it. A later run makes the step that fell due since then.
  const isReverted = (one: Reached): boolean =>
    reverted.some(({ rollout: { key, applied } }) => (applied?.key ?? key) === one.key);
  const reached = found
    .filter((one) => !reverted.includes(one))
    .map((one): Reached => (made.has(one) ? one.progress : { ...one.progress, unknown_origin: true }));
  // The flag has the recorded value, but not because nothing happened: somebody took back a step whose run died before it recorded that, or
  // `off` set this very value. Only the journal tells.
  const taken = next.filter((step) => {
    const write = writes.get(step);
    if (write === undefined) return false;
    if (write.by === 'undo') return step.values.some((value) => jsonEquals(write.before, value));
    // A write of something around the value does not tell it: the rollout waits.
    if (write.by !== 'off') return false;
    return write.after === undefined || jsonEquals(write.after, step.now);
  });
  const settle = (one: Reached): Reached => {
    const { id, rollout } = taken.find((step) => isOf(step.rollout, one)) ?? {};
    if (rollout !== undefined && !isOverridden(rollout.key)) return { ...one, stays: true, taken_back: true };
    return { ...one, ...defined({ continued: id }), ...(isReverted(one) ? { stays: true } : {}) };
  };
  return resolve([...reached, ...recorded.map(settle)]);
}

/** Whether the record is that of the rollout, which may have been recorded under a former key of the flag. */
function isOf({ key, pointer, applied }: PlannedRollout, recorded: Pick<Progress, 'key' | 'pointer'>): boolean {
  return (applied?.key ?? key) === recorded.key && pointer === recorded.pointer;
}

/** A condition without a percentage has all of its people. */
export function valueIn(fields: object | undefined, path: string): JsonValue | undefined {
  const [first, ...rest] = fromPointer(path);
  const flag = objectOrEmpty(fields as JsonValue | undefined);
  if (rest.length === 0) return memberOf(flag, first ?? '');
  const { conditions } = viewFilters(flag['filters']);
  const condition = conditions.find(({ number }) => number === Number(rest[1]) + 1);
  return condition === undefined ? undefined : (condition.part.rollout_percentage ?? 100);
}

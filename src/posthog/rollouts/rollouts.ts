/**
 * The rollouts of a plan: which of them wait because somebody changed the flag, and what a run may write that makes nothing but due steps.
 */

import type { KnownRequest } from '../../engine/change-request.ts';
import type { Leaving, Left } from '../../engine/matched.ts';
import { isSameRollout } from '../../rollout/record.ts';
import type { PlannedRollout } from '../../rollout/rollout.ts';
import type { DesiredState } from '../desired.ts';
import { kindFor } from '../kinds.ts';
import type { LiveState } from '../live.ts';
import type { Change, Plan } from '../plan.ts';

/** Whether a declared value changes over time. */
export function hasRollouts({ flags }: DesiredState): boolean {
  return flags.some((flag) => flag.kind === 'declared' && flag.rollouts !== undefined);
}

/** The rollouts of a state. */
export function rolloutsIn(desired: DesiredState, { flags }: Pick<LiveState, 'flags'>): readonly PlannedRollout[] {
  if (!hasRollouts(desired)) return [];
  const declared = desired.flags.filter((flag) => flag.kind === 'declared');
  const off = new Set(flags.filter(({ active }) => active === false).map(({ key }) => key));
  return declared.flatMap(({ key, previousKeys, fields, rollouts = [] }) => {
    const isOff = fields['active'] === undefined && [key, ...previousKeys].some((name) => off.has(name));
    return rollouts.map((rollout) => ({ key, ...rollout, ...(isOff ? { switched_off: true } : {}) }));
  });
}

/** Whether the plan decides anything, now or about later steps. */
export function isDecision({
  changes,
  rollout_changes: later = [],
}: Pick<Plan, 'changes' | 'rollout_changes'>): boolean {
  return changes.length + later.length > 0;
}

type WithRollouts = Pick<Plan, 'changes' | 'left' | 'rollouts' | 'base' | 'commit'>;

/**
 * Why a rollout waits for a person. `edited`: the service changed the flag since the last apply. `unrecorded`: the commit that was applied
 * last has other steps than those that were recorded with it, because an apply left the flag. `recorded_later`: its last step has a
 * recorded time in the future, so a clock was wrong. `switched_off`: the flag is off, and no manifest declares whether it is on, so no
 * apply turns it on.
 */
export type WaitReason = 'edited' | 'unrecorded' | 'recorded_later' | 'switched_off';

/** Whether the plan makes its next step. */
export function isDue({ applied, step }: Pick<PlannedRollout, 'applied' | 'step'>): boolean {
  return applied !== undefined && step > applied.step;
}

/** Whether its next step should have been made long ago. */
export function isOverdue({ overdue }: PlannedRollout): boolean {
  return overdue === true;
}

/** Whether a rollout is not at its planned step, or reached it without an apply: a run without changes says so. */
export function isRemarkable(rollout: PlannedRollout): boolean {
  const { held, found_live: foundLive, recorded_later: recordedLater } = rollout;
  return isDue(rollout) || isOverdue(rollout) || held === true || foundLive === true || recordedLater === true;
}

/** The keys of flags whose rollouts wait for a person. */
export function waitingFlags(plan: WithRollouts): ReadonlyMap<string, WaitReason> {
  const { changes, left = [], rollouts = [] } = plan;
  const stepped = new Set(rollouts.map(({ key }) => key));
  const off = rollouts.filter((one) => one.switched_off === true);
  const edited = [...changes, ...left].filter(
    ({ resource, key }) => (resource === 'flag' || resource === 'role_access') && stepped.has(key),
  );
  return new Map([
    ...rollouts.flatMap((one) => (one.recorded_later === true ? [[one.key, 'recorded_later'] as const] : [])),
    ...rollouts.filter(isUnrecorded(plan)).map(({ key }) => [key, 'unrecorded'] as const),
    ...off.map(({ key }) => [key, 'switched_off'] as const),
    ...edited.filter(isEdited).map(({ key }) => [key, 'edited'] as const),
  ]);
}

/** The record of a commit has its own steps, unless an apply left them. */
function isUnrecorded({ base, commit }: WithRollouts): (rollout: PlannedRollout) => boolean {
  if (base?.kind !== 'commit' || base.commit !== commit) return () => false;
  const recorded = base.rollouts ?? [];
  return (rollout) =>
    rollout.applied !== undefined && !recorded.some((one) => one.key === rollout.key && isSameRollout(one, rollout));
}

/** A change that creates or restores a flag that was declared before: somebody deleted it. */
function isEdited(change: Change | Left): boolean {
  if (change.resource === 'flag' && change.action !== 'update') return true;
  const parts = 'fields' in change ? change.fields : kindFor(change).parts(change);
  return parts.some(({ divergence }) => divergence !== 'pending');
}

/** Whether a late run makes several of its steps at once. */
export function jumps({ applied, step }: Pick<PlannedRollout, 'applied' | 'step'>): boolean {
  return applied !== undefined && step > applied.step + 1;
}

/** Whether the changes of a flag are the next steps of its rollouts, or jumps over several, and nothing else. */
export function makesOnlySteps({ changes, rollouts = [] }: WithRollouts, flag: string): boolean {
  const next = rollouts.filter((one) => one.key === flag && isDue(one) && (one.catch_up === 'latest' || !jumps(one)));
  const paths = new Set(next.map(({ path }) => path));
  return changes
    .filter(({ key }) => key === flag)
    .every(
      (change) =>
        change.action === 'update' &&
        change.fields.every(({ path, divergence }) => divergence === 'pending' && paths.has(path)),
    );
}

/**
 * The keys of flags whose change was already requested from the service and not made: people have not decided, or decided against it. They
 * did not decide a request that expired or failed.
 */
export function undecidedOrRefused(requests: readonly KnownRequest[]): ReadonlySet<string> {
  const left = requests.filter(({ standing }) => ['open', 'rejected', 'withdrawn'].includes(standing.kind));
  return new Set(left.map(({ key }) => key));
}

/** Leaves everything except due steps. `asked`: the flags whose steps were already requested from the service. */
export function leaveAllButDue(plan: WithRollouts, asked: ReadonlySet<string> = new Set()): Leaving {
  const waiting = waitingFlags(plan);
  const due = (plan.rollouts ?? []).filter((one) => isDue(one) && !waiting.has(one.key) && !asked.has(one.key));
  const paths = new Set(due.map(({ key, path }) => `${key} ${path}`));
  return {
    by: 'difference',
    isLeft: ({ divergence, path }, { name, change }) =>
      divergence !== 'pending' || change.action !== 'update' || !paths.has(`${name} ${path}`),
  };
}

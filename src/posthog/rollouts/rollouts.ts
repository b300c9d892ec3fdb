/**
 * The rollouts of a plan: which of them wait because somebody changed the flag, and what a run may write that makes nothing but due steps.
 */

import type { KnownRequest } from '../../core/engine/change-request.ts';
import type { LeaveRule, LeftChange } from '../../core/engine/matched.ts';
import { defined } from '../../base/optional.ts';
import { isSameRollout } from '../../core/rollout/record.ts';
import type { PlannedRollout, WaitReason, DeclaredRollout } from '../../core/rollout/rollout.ts';
import type { DesiredState } from '../desired.ts';
import { kindFor, nameOfChange } from '../kinds.ts';
import type { LiveState } from '../live.ts';
import type { Change, Plan } from '../plan.ts';
import { valueOf } from '../../core/rollout/position.ts';
import { setAt } from '../flag/values-of-others.ts';

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
  const { held, found_live: foundLive, recorded_later: recordedLater, continued } = rollout;
  const isOdd = held === true || foundLive === true || recordedLater === true || continued !== undefined;
  return isOdd || isDue(rollout) || isOverdue(rollout);
}

interface FoundDifferences extends Pick<Plan, 'changes' | 'left' | 'base' | 'commit'> {
  /** Other names of a resource in options. An early access feature has that of its flag. */
  readonly otherNames: (name: string) => readonly string[];
  /** The ids by key of flags that a person wants off, and that were off before. */
  readonly kept: ReadonlyMap<string, number>;
  /** Those of `kept` that the person who makes the plan lets go on. */
  readonly isContinued: (key: string) => boolean;
  /** The keys of flags whose steps a rule refuses. */
  readonly refused?: ReadonlySet<string> | undefined;
}

/** The rollouts, each with the reason why it waits for a person. `found`: all differences, those that the run makes and those that it leaves. */
export function withReasons(rollouts: readonly PlannedRollout[], found: FoundDifferences): readonly PlannedRollout[] {
  if (rollouts.length === 0) return rollouts;
  const edited = new Set(
    [...found.changes, ...(found.left ?? [])]
      .filter(isEdited)
      .flatMap((change) => [nameOfChange(change as Change), ...found.otherNames(nameOfChange(change as Change))]),
  );
  const reasons: readonly (readonly [WaitReason, (rollout: PlannedRollout) => boolean])[] = [
    ['edited', ({ key }) => edited.has(key)],
    [
      'held_back',
      ({ key, taken_back: isTaken }) => isTaken === true || (found.kept.has(key) && !found.isContinued(key)),
    ],
    ['switched_off', (one) => one.switched_off === true],
    ['unknown_origin', (one) => one.unknown_origin === true],
    ['unrecorded', isUnrecorded(found)],
    ['recorded_later', (one) => one.recorded_later === true],
    ['refused', ({ key }) => found.refused?.has(key) === true],
  ];
  const waits = new Map<string, WaitReason>();
  for (const [reason, applies] of reasons)
    for (const one of rollouts) if (!waits.has(one.key) && applies(one)) waits.set(one.key, reason);
  // A guard holds one rollout of a flag, and a person decides about the whole flag.
  const guarded = (one: PlannedRollout): WaitReason | undefined => (isHeldByGuard(one) ? 'guarded' : undefined);
  return rollouts.map((one) => {
    const continued = one.continued ?? (found.isContinued(one.key) ? found.kept.get(one.key) : undefined);
    const isOpen = one.applied !== undefined && one.due !== undefined;
    const known = { ...one, ...defined({ continued: isOpen ? continued : undefined }) };
    return { ...known, ...defined({ waits: waits.get(one.key) ?? guarded(one) }) };
  });
}

/** Whether its next step is due and a guard does not let it through. */
export function isHeldByGuard({ held, guard_readings: readings = [] }: DeclaredRollout): boolean {
  return held === true && readings.some(({ says }) => says !== 'pass');
}

/** The keys of flags whose rollouts wait for a person. */
export function waitingFlags({ rollouts = [] }: Pick<Plan, 'rollouts'>): ReadonlyMap<string, WaitReason> {
  return new Map(rollouts.flatMap(({ key, waits }) => (waits === undefined ? [] : [[key, waits] as const])));
}

/** The record of a commit has its own steps, unless an apply left them. */
function isUnrecorded({
  base,
  commit,
}: Pick<FoundDifferences, 'base' | 'commit'>): (rollout: PlannedRollout) => boolean {
  if (base?.kind !== 'commit' || base.commit !== commit) return () => false;
  const recorded = base.rollouts ?? [];
  return (rollout) =>
    rollout.applied !== undefined && !recorded.some((one) => one.key === rollout.key && isSameRollout(one, rollout));
}

/** A change that creates or restores a flag that was declared before: somebody deleted it. */
function isEdited(change: Change | LeftChange): boolean {
  if (change.resource === 'flag' && change.action !== 'update') return true;
  const parts = 'fields' in change ? change.fields : kindFor(change).parts(change);
  return parts.some(({ divergence }) => divergence !== 'pending');
}

/** Whether a late run makes several steps of a flag at once: of one rollout, or of several that are not due at the same time. */
export function jumps(rollouts: readonly PlannedRollout[]): boolean {
  const made = rollouts.flatMap(({ steps, applied, step }) =>
    applied === undefined ? [] : steps.slice(applied.step + 1, step + 1).map(({ at }) => at),
  );
  return new Set(made).size > 1;
}

/** Whether the changes of a flag are the next steps of its rollouts, or jumps over several, and nothing else. */
export function makesOnlySteps({ changes, rollouts = [] }: Pick<Plan, 'changes' | 'rollouts'>, flag: string): boolean {
  const next = rollouts.filter((one) => one.key === flag && isDue(one) && (one.catch_up === 'latest' || !jumps([one])));
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

/** Leaves the due steps of these flags, as far as the manifests that were applied last ask for them: no merge decides about them again. */
export function leaveDue({ rollouts = [] }: Pick<Plan, 'rollouts'>, keys: ReadonlySet<string>): LeaveRule {
  const own = rollouts.filter((one) => one.due_by === 'plan' && keys.has(one.key));
  const paths = new Set(own.map(({ key, path }) => `${key} ${path}`));
  return { by: 'difference', isLeft: ({ path }, { name }) => paths.has(`${name} ${path}`) };
}

/**
 * Leaves everything except due steps: what a run may write that makes nothing else. `stay`: the flags whose steps it does not make, because
 * they were requested from the service or a rule refuses them.
 */
export function leaveAllButDue(
  { rollouts = [] }: Pick<Plan, 'rollouts'>,
  stay: ReadonlySet<string> = new Set(),
): LeaveRule {
  const due = rollouts.filter((one) => isDue(one) && one.waits === undefined && !stay.has(one.key));
  const paths = new Set(due.map(({ key, path }) => `${key} ${path}`));
  return {
    by: 'difference',
    isLeft: ({ divergence, path }, { name, change }) =>
      divergence !== 'pending' || change.action !== 'update' || !paths.has(`${name} ${path}`),
  };
}

/** `plan`: the plan of the state. Returns the same state if none of its due steps waits. */
export function holdEdited(desired: DesiredState, plan: Plan): DesiredState {
  const waiting = waitingFlags(plan);
  const isHeld = (key: string, rollout: DeclaredRollout): boolean =>
    isDue(rollout) && (WAITS_FOR_PEOPLE.has(waiting.get(key)) || turnsOn(plan, key));
  if (!(plan.rollouts ?? []).some((one) => isHeld(one.key, one))) return desired;
  const flags = desired.flags.map((flag) => {
    if (flag.kind !== 'declared' || flag.rollouts === undefined) return flag;
    const held = flag.rollouts.filter((one) => isHeld(flag.key, one));
    const fields = held.reduce(
      (made, one) => setAt(made, one.path, valueOf(one, one.applied?.step ?? -1)),
      flag.fields,
    );
    return { ...flag, fields, rollouts: flag.rollouts.map((one) => (held.includes(one) ? atApplied(one) : one)) };
  });
  return { ...desired, flags };
}

const WAITS_FOR_PEOPLE: ReadonlySet<string | undefined> = new Set(['edited', 'held_back', 'switched_off']);

/** Whether the manifests turn the flag on, and not a step: the rollout then begins with what people had. */
function turnsOn({ changes, rollouts = [] }: Plan, flag: string): boolean {
  if (rollouts.some(({ key, path }) => key === flag && path === '/active')) return false;
  return changes.some(
    (change) =>
      change.resource === 'flag' &&
      change.action === 'update' &&
      change.key === flag &&
      change.fields.some(({ path, after }) => path === '/active' && after === true),
  );
}

export function atApplied({ then_due: _then, due_by: _by, ...rollout }: DeclaredRollout): DeclaredRollout {
  return { ...rollout, step: rollout.applied?.step ?? rollout.step, held: true };
}

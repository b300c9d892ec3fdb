/**
 * Separates what a change does from what rollouts that were applied before do anyway: the steps that are due, and those of the next days.
 */

import { toPointer } from '../../base/json-pointer.ts';
import { type Place, placeAt } from '../../base/place.ts';
import { jsonEquals, type JsonValue, type JsonObject } from '../../base/json.ts';
import { isSameRollout, withoutProgress } from '../../core/rollout/record.ts';
import { dueAt, hasPassed, lastMade, progressOf, stepAt, valueOf } from '../../core/rollout/position.ts';
import type {
  DeclaredRollout,
  Moment,
  Progress,
  Step,
  PlacedRollout,
  RolloutChange,
} from '../../core/rollout/rollout.ts';
import type { DeclaredFlag, DesiredState, DesiredFlag } from '../desired.ts';
import type { Change, Plan, RiskHazard } from '../plan.ts';
import { isDue, waitingFlags } from './rollouts.ts';
import { refTo } from '../../core/engine/change.ts';
import type { FlagPart } from '../flag/change.ts';
import { predictChanges, type Schedules } from '../flag/schedules.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import { setAt } from '../flag/values-of-others.ts';

/** The state with `reviewed` in each rollout whose steps the manifests that were applied last have. */
export function markReviewed(desired: DesiredState, former: DesiredState | undefined): DesiredState {
  const told = (flag: DeclaredFlag): DeclaredFlag =>
    isReviewed(flag, former)
      ? { ...flag, rollouts: (flag.rollouts ?? []).map((one) => ({ ...one, reviewed: true })) }
      : flag;
  return { ...desired, flags: desired.flags.map((flag) => (isStepped(flag) ? told(flag) : flag)) };
}

/** What was applied last. */
interface Former {
  readonly desired: DesiredState;
  /** Whether the rollouts of a flag wait for a person unless the change is applied. */
  readonly waits: (key: string) => boolean;
}

/** The state with `due_by` in each rollout that is due; without a former state, no rollout gets one. */
export function markDue(desired: DesiredState, former: Former | undefined, moment: Moment | undefined): DesiredState {
  if (former === undefined || moment === undefined) return desired;
  const formerOf = findFormer(former.desired);
  const told = (flag: DeclaredFlag): DeclaredFlag => {
    const { rollouts = [] } = flag;
    if (!rollouts.some(isDue)) return flag;
    const before = formerOf(flag);
    const by = (one: DeclaredRollout): 'plan' | 'change' =>
      before !== undefined && isDueBefore(one, before, moment) && !former.waits(before.key) ? 'plan' : 'change';
    return { ...flag, rollouts: rollouts.map((one) => (isDue(one) ? { ...one, due_by: by(one) } : one)) };
  };
  return { ...desired, flags: desired.flags.map((flag) => (flag.kind === 'declared' ? told(flag) : flag)) };
}

/** Whether the flag as it was applied has the same value at the same time. */
function isDueBefore(rollout: DeclaredRollout, before: DeclaredFlag, moment: Moment): boolean {
  const all = before.rollouts ?? [];
  const made = rollout.steps[rollout.step];
  const own =
    all.find(({ path }) => path === rollout.path) ?? all.find((one) => made !== undefined && hasStep([one], made));
  const applied = own && progressIn(before, own, moment.progress);
  if (own === undefined || applied === undefined || !isRecorded(own, before, moment)) return false;
  const step = stepAt(own, applied, moment);
  return step > applied.step && jsonEquals(valueOf(own, step), valueOf(rollout, rollout.step));
}

/** An apply that left the flag recorded other steps than those of its commit: nobody applied these. */
function isRecorded(rollout: DeclaredRollout, { key }: DeclaredFlag, { progress }: Moment): boolean {
  return progress.some((one) => one.key === key && one.found_live !== true && isSameRollout(one, rollout));
}

/** Whether the plan makes the change no matter what git changed since the last apply: all its values are due steps. */
export function isDueByPlan(change: Change, { rollouts = [] }: Pick<Plan, 'rollouts'>): boolean {
  if (change.resource !== 'flag' || change.action !== 'update') return false;
  const paths = dueByPlan(change.key, { rollouts });
  return paths.size > 0 && change.fields.every(({ path, divergence }) => divergence === 'pending' && paths.has(path));
}

/** The paths of a flag whose step is due by its rollout. */
export function dueByPlan(flag: string, { rollouts = [] }: Pick<Plan, 'rollouts'>): ReadonlySet<string> {
  return new Set(rollouts.filter((one) => one.key === flag && one.due_by === 'plan').map(({ path }) => path));
}

/** A step that may fall due before the change is applied, if its review takes that long. */
export interface StepSoon {
  /** The key of the flag. */
  readonly key: string;
  readonly path: string;
  readonly at: string;
  readonly to: JsonValue;
  /**
   * `plan`: the step was applied before, and the change keeps it. `former_plan`: it was applied before, and the change removes it.
   * `change`: only the change has it, or lets it come.
   */
  readonly by: 'plan' | 'former_plan' | 'change';
}

/** A review rarely lasts longer, weekends included. */
export const REVIEW_DAYS = 3;
const DAY_MS = 86_400_000;

interface Review {
  readonly plan: Plan;
  readonly desired: DesiredState;
  readonly former: Former;
  readonly moment: Pick<Moment, 'now' | 'every' | 'progress'>;
}

/** The steps soon of the flags that the change is about, in order of time. A rollout that waits for a person has none. */
export function findStepsSoon(review: Review): readonly StepSoon[] {
  const { plan, desired } = review;
  const waiting = waitingFlags(plan);
  const begun = stepsOfFormer(review).filter(({ key }) => !waiting.has(key));
  const found = [...begun, ...desired.flags.flatMap((flag) => stepsOfChange(flag, review))];
  return found.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function stepsOfFormer({ plan, desired, former, moment }: Review): StepSoon[] {
  const declared = desired.flags.filter((flag) => flag.kind === 'declared');
  const byName = new Map(declared.flatMap((flag) => namesOf(flag).map((name) => [name, flag] as const)));
  const changed = new Set(plan.changes.filter((change) => !isDueByPlan(change, plan)).map(({ key }) => key));
  return former.desired.flags.filter(isStepped).flatMap((before): StepSoon[] => {
    const flag = byName.get(before.key);
    const key = flag?.key ?? before.key;
    return (before.rollouts ?? []).flatMap((rollout): StepSoon[] => {
      const applied = progressIn(before, rollout, moment.progress);
      const next = applied && nextOf(rollout, applied, moment);
      if (next === undefined || next.due > moment.now + REVIEW_DAYS * DAY_MS) return [];
      const isKept = flag !== undefined && hasStep(flag.rollouts, next.step);
      // A step that is due is among the changes.
      if (isKept && (next.due <= moment.now || !changed.has(key))) return [];
      const waits = former.waits(before.key);
      if (waits && !isKept) return [];
      const at = new Date(next.due).toISOString();
      const by = waits ? 'change' : isKept ? 'plan' : 'former_plan';
      return [{ key, path: rollout.path, at, to: next.step.to, by }];
    });
  });
}

function nextOf(
  rollout: DeclaredRollout,
  applied: Progress,
  moment: Review['moment'],
): { readonly step: Step; readonly due: number } | undefined {
  const step = rollout.steps[lastMade(rollout, applied, moment.now).step + 1];
  const due = dueAt(rollout, applied, moment);
  return step === undefined || due === undefined ? undefined : { step, due };
}

function stepsOfChange(flag: DesiredState['flags'][number], { former, moment }: Review): StepSoon[] {
  if (flag.kind !== 'declared' || flag.rollouts === undefined) return [];
  const before = findFormer(former.desired)(flag);
  return flag.rollouts.flatMap(({ path, steps, step }): StepSoon[] => {
    const next = steps[step + 1];
    const due = next === undefined ? 0 : Date.parse(next.at);
    if (next === undefined || due <= moment.now || due > moment.now + REVIEW_DAYS * DAY_MS) return [];
    if (before !== undefined && hasStep(before.rollouts, next)) return [];
    return [{ key: flag.key, path, at: next.at, to: next.to, by: 'change' }];
  });
}

function hasStep(rollouts: readonly DeclaredRollout[] = [], { at, to }: Step): boolean {
  return rollouts.some(({ steps }) => steps.some((one) => one.at === at && jsonEquals(one.to, to)));
}

/** The places of new rollouts whose steps have all passed: an author copied old ones, or the change waited for too long. */
export function findPassed(
  desired: DesiredState,
  former: DesiredState,
  { now, progress }: Pick<Moment, 'now' | 'progress'>,
): readonly { readonly place: Place; readonly path: string }[] {
  const formerOf = findFormer(former);
  return desired.flags.filter(isStepped).flatMap((flag) =>
    (flag.rollouts ?? []).filter(hasPassed(now)).flatMap((rollout) => {
      const isKnown =
        progressIn(flag, rollout, progress) !== undefined ||
        rollout.steps.slice(-1).some((last) => hasStep(formerOf(flag)?.rollouts, last));
      const path = `${toPointer(['flags', flag.key])}${rollout.pointer}`;
      return isKnown ? [] : [{ place: placeAt(flag.places, rollout.path), path }];
    }),
  );
}

/** A flag is found under its former keys too. */
export function findFormer(former: DesiredState): (flag: DeclaredFlag) => DeclaredFlag | undefined {
  const byKey = new Map(former.flags.filter(isStepped).map((flag) => [flag.key, flag]));
  return (flag) =>
    namesOf(flag)
      .map((name) => byKey.get(name))
      .find((one) => one !== undefined);
}

function progressIn(flag: DeclaredFlag, rollout: DeclaredRollout, recorded: Moment['progress']): Progress | undefined {
  return progressOf(rollout, recorded, { keys: namesOf(flag), pointer: rollout.pointer });
}

/** The same steps mean something else if the flag has other conditions. Its description changes nothing for anybody. */
export function isReviewed(flag: DeclaredFlag, former: DesiredState | undefined): boolean {
  const names = namesOf(flag);
  const before = former?.flags.find((one) => one.kind === 'declared' && names.includes(one.key));
  return before?.kind === 'declared' && jsonEquals(reviewedOf(flag), reviewedOf(before));
}

function reviewedOf({ fields, rollouts = [] }: DeclaredFlag): JsonValue {
  const plans = rollouts.map(({ path, from, steps, catch_up: catchUp, guard = null }) => [
    ...[path, from, steps],
    ...[catchUp ?? null, guard],
  ]);
  const { name: _, ...deciding } = fields;
  const rest = rollouts.reduce<JsonObject>((all, { path }) => setAt(all, path, null), deciding);
  return [rest, plans] as unknown as JsonValue;
}

/** `former`: what was applied last. A flag whose steps stay, but which means something else to people, decides about them again. */
export function findRolloutChanges(desired: DesiredState, former: DesiredState | undefined): readonly RolloutChange[] {
  const gone = new Map(former?.flags.filter(isStepped).map((flag) => [flag.key, flag]));
  const changes = desired.flags.flatMap((flag): RolloutChange[] => {
    if (flag.kind === 'retired') return [];
    const before = namesOf(flag)
      .map((name) => gone.get(name))
      .find((one) => one !== undefined);
    if (before === undefined && flag.rollouts === undefined) return [];
    if (before !== undefined) gone.delete(before.key);
    return isReviewed(flag, former) ? [] : changeOf(flag.key, before, flag);
  });
  return [...changes, ...[...gone.values()].flatMap((flag) => changeOf(flag.key, flag))];
}

function changeOf(key: string, former: DeclaredFlag | undefined, flag?: DeclaredFlag): RolloutChange[] {
  const open = ({ rollouts = [] }: Pick<DeclaredFlag, 'rollouts'> = {}): readonly PlacedRollout[] =>
    rollouts.filter(isOpen).map((one) => ({ path: one.path, ...withoutProgress(one), step: one.step }));
  const before = open({ rollouts: former?.rollouts?.map((one) => ({ ...one, step: stepAfter(one, flag) })) ?? [] });
  const after = open(flag);
  return before.length + after.length === 0 ? [] : [{ ref: refTo('flag', key), key, before, after }];
}

/** A step of the former rollout that is made by now, or by the plan, is no later one. */
function stepAfter({ path, steps, step }: DeclaredRollout, flag: DeclaredFlag | undefined): number {
  const now = flag?.rollouts?.find((one) => one.path === path);
  const reached = now?.steps[now.step];
  return Math.max(
    step,
    steps.findIndex(({ at, to }) => at === reached?.at && jsonEquals(to, reached.to)),
  );
}

export function isStepped(flag: DesiredFlag): flag is DeclaredFlag {
  return flag.kind === 'declared' && flag.rollouts !== undefined;
}

/** The key of the flag, and those that it had. */
function namesOf({ key, previousKeys }: DeclaredFlag): readonly string[] {
  return [key, ...previousKeys];
}

/** Whether steps are left. */
function isOpen({ steps, step }: DeclaredRollout): boolean {
  return step < steps.length - 1;
}

/** `former`: what was applied last, whose steps were reviewed already. A scheduled change of an unknown operation may touch anything. */
export function riskSteps(
  desired: DesiredState,
  former: DesiredState | undefined,
  { flags, schedules }: { readonly flags: FlagSnapshot; readonly schedules: Schedules },
): readonly RiskHazard[] {
  if (schedules.size === 0) return [];
  return desired.flags.flatMap((flag): RiskHazard[] => {
    const names = flag.kind === 'declared' ? namesOf(flag) : [];
    const live = names.map((name) => flags.byKey(name)).find((one) => one !== undefined);
    const scheduled = live && schedules.get(live.id);
    if (flag.kind !== 'declared' || live === undefined || scheduled === undefined) return [];
    const open = isReviewed(flag, former) ? [] : (flag.rollouts ?? []).filter(isOpen);
    const stepped = new Set(open.map(({ path }): FlagPart => (path === '/active' ? 'active' : 'conditions')));
    const met = predictChanges(flags.comparable(live), scheduled, flags).flatMap(({ schedule, outcome }) => {
      const touched = outcome.kind === 'made' ? outcome.parts : outcome.kind === 'unknown' ? [...stepped] : [];
      return touched.filter((part) => stepped.has(part)).map((part) => ({ schedule, part }));
    });
    const [next] = met;
    if (next === undefined) return [];
    return [
      {
        code: 'schedule_conflict',
        ref: refTo('flag', flag.key),
        key: flag.key,
        parts: [...new Set(met.map(({ part }) => part))],
        schedules: [...new Set(met.map(({ schedule }) => schedule.id))],
        at: next.schedule.scheduled_at,
        permit: { kind: 'risky', value: flag.key },
      },
    ];
  });
}

/** Finds the future steps that a change declares or edits, since its merge reviews them, and scheduled changes of the same parts. */

import { jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { refTo } from '../../engine/change.ts';
import { withoutProgress } from '../../rollout/record.ts';
import type { DeclaredRollout, PlacedRollout, RolloutChange } from '../../rollout/rollout.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../desired.ts';
import type { FlagPart } from '../flag/change.ts';
import { predictChanges, type Schedules } from '../flag/schedules.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import { setAt } from '../flag/values-of-others.ts';
import type { RiskHazard } from '../plan.ts';

/** The same steps mean something else if the flag has other conditions. Its description changes nothing for anybody. */
export function isReviewed(flag: DeclaredFlag, former: DesiredState | undefined): boolean {
  const names = namesOf(flag);
  const before = former?.flags.find((one) => one.kind === 'declared' && names.includes(one.key));
  return before?.kind === 'declared' && jsonEquals(reviewedOf(flag), reviewedOf(before));
}

function reviewedOf({ fields, rollouts = [] }: DeclaredFlag): JsonValue {
  const plans = rollouts.map(({ path, from, steps, catch_up: catchUp }) => [path, from, steps, catchUp ?? null]);
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
  const [before, after] = [open(former), open(flag)];
  return before.length + after.length === 0 ? [] : [{ ref: refTo('flag', key), key, before, after }];
}

export function isStepped(flag: DesiredFlag): flag is DeclaredFlag {
  return flag.kind === 'declared' && flag.rollouts !== undefined;
}

/** The key of the flag, and those that it had. */
export function namesOf({ key, previousKeys }: DeclaredFlag): readonly string[] {
  return [key, ...previousKeys];
}

/** Whether steps are left. */
function isOpen({ steps, step }: DeclaredRollout): boolean {
  return step < steps.length - 1;
}

interface LiveSchedules {
  readonly flags: FlagSnapshot;
  readonly schedules: Schedules;
}

/** `former`: what was applied last, whose steps were reviewed already. A scheduled change of an unknown operation may touch anything. */
export function riskSteps(
  desired: DesiredState,
  former: DesiredState | undefined,
  { flags, schedules }: LiveSchedules,
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

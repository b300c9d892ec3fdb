/** Finds the future steps that a change declares or edits, since its merge reviews them, and scheduled changes of the same parts. */

import { jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { refTo } from '../../engine/change.ts';
import type { DeclaredFlag, DesiredState } from '../desired.ts';
import type { FlagPart } from '../flag/change.ts';
import { predictChanges, type Schedules } from '../flag/schedules.ts';
import type { FlagSnapshot } from '../flag/snapshot.ts';
import { setAt } from '../flag/values-of-others.ts';
import type { RiskHazard } from '../plan.ts';

export interface StepEvent {
  readonly key: string;
  readonly path: string;
  readonly at: string;
  readonly to: JsonValue;
  /** The step's index in the rollout. */
  readonly index: number;
}

/** `former`: what was applied last, which was reviewed already. */
export function stepsOf(flag: DeclaredFlag, former: DesiredState | undefined): readonly StepEvent[] {
  const { key, rollouts = [] } = flag;
  if (rollouts.length === 0 || isReviewed(flag, former)) return [];
  return rollouts.flatMap(({ path, steps, step }) =>
    steps.slice(step + 1).map(({ at, to }, ahead) => ({ key, path, at, to, index: step + 1 + ahead })),
  );
}

/** The same steps mean something else if the flag has other conditions. Its description changes nothing for anybody. */
export function isReviewed(flag: DeclaredFlag, former: DesiredState | undefined): boolean {
  const names = [flag.key, ...flag.previousKeys];
  const before = former?.flags.find((one) => one.kind === 'declared' && names.includes(one.key));
  return before?.kind === 'declared' && jsonEquals(reviewedOf(flag), reviewedOf(before));
}

function reviewedOf({ fields, rollouts = [] }: DeclaredFlag): JsonValue {
  const plans = rollouts.map(({ path, from, steps, catch_up: catchUp }) => [path, from, steps, catchUp ?? null]);
  const { name: _, ...deciding } = fields;
  const rest = rollouts.reduce<JsonObject>((all, { path }) => setAt(all, path, null), deciding);
  return [rest, plans] as unknown as JsonValue;
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
    const live = flag.kind === 'declared' ? flags.byKey(flag.key) : undefined;
    const scheduled = live && schedules.get(live.id);
    if (flag.kind !== 'declared' || live === undefined || scheduled === undefined) return [];
    const stepped = new Set(stepsOf(flag, former).map(({ path }): FlagPart => partOf(path)));
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

function partOf(path: string): FlagPart {
  return path === '/active' ? 'active' : 'conditions';
}

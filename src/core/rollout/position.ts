/** Finds the step of a rollout at a moment. It never goes back, and a late step delays the next one, so that their distance stays. */

import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { withoutProgress } from './record.ts';
import type { DeclaredRollout, Moment, PlannedRollout, Progress, Reached, Rollout } from './rollout.ts';

type AppliedStep = Pick<Progress, 'step' | 'at'>;

/** The index of the step whose value is declared; -1: that of `from`. `applied`: absent if no step was applied. */
export function stepAt(
  rollout: Rollout,
  applied: AppliedStep | undefined,
  { now, reach, every }: Omit<Moment, 'progress'>,
): number {
  if (applied === undefined) return newestAt(rollout, now);
  const known = lastMade(rollout, applied, now);
  // A step that was only found to be made counts as made now, so none follows it in the same run.
  if (reach === 'applied' || Date.parse(known.at) >= now) return known.step;
  if (rollout.catch_up === 'latest') return Math.max(known.step, newestAt(rollout, now));
  let last = { step: known.step, at: Date.parse(known.at) };
  const next = (): number | undefined => dueAfter(rollout, last, every);
  for (let due = next(); due !== undefined && due <= now; due = next()) {
    last = { step: last.step + 1, at: due };
    if (reach === 'due') break;
  }
  return last.step;
}

/**
 * When the step after the applied one is due, in ms since 1970; `undefined` if that was the last. If the recorded time is in the future, it
 * is wrong and the declared one counts.
 */
export function dueAt(
  rollout: Rollout,
  applied: AppliedStep,
  { now, every }: Pick<Moment, 'now' | 'every'>,
): number | undefined {
  const { step, at } = lastMade(rollout, applied, now);
  const declared = Date.parse(rollout.steps[step]?.at ?? at);
  const made = Date.parse(at);
  return dueAfter(rollout, { step, at: made > now ? declared : made }, every);
}

/** When each step that no run has made is or was due, and when those after it will be if it is made now. */
export function timesToCome(rollout: DeclaredRollout, moment: Pick<Moment, 'now' | 'every'>): readonly string[] {
  const { steps, step, applied, due } = rollout;
  const [next, ...jumped] = steps.slice((applied?.step ?? step) + 1, step + 1).map(({ at }) => at);
  return [...(next === undefined ? [] : [due ?? next]), ...jumped, ...timesAhead(rollout, moment)];
}

/** When each step after the declared one is due, if that one is made now; its declared time, where nothing is known. */
export function timesAhead(rollout: DeclaredRollout, { now, every }: Pick<Moment, 'now' | 'every'>): readonly string[] {
  const { steps, step, applied, due, then_due: then } = rollout;
  let next = applied?.step === step ? due : then;
  return steps.slice(step + 1).map(({ at }, ahead) => {
    const time = next ?? at;
    // A step that is held is made now at the earliest.
    const after = dueAfter(rollout, { step: step + 1 + ahead, at: Math.max(Date.parse(time), now) }, every);
    next = after === undefined ? undefined : new Date(after).toISOString();
    return time;
  });
}

/** The step that was applied last, or a later one that the manifest says somebody made by hand. */
export function lastMade({ steps }: Rollout, applied: AppliedStep, now: number): AppliedStep {
  const last = steps.findLastIndex(({ at, done }) => done === true && Date.parse(at) <= now);
  const made = steps[last];
  return made !== undefined && last > applied.step ? { step: last, at: made.at } : applied;
}

interface Made {
  readonly step: number;
  readonly at: number;
}

function dueAfter({ steps, catch_up: catchUp }: Rollout, { step, at }: Made, every: number): number | undefined {
  const [former, next] = [steps[step], steps[step + 1]];
  if (next === undefined) return undefined;
  const declared = Date.parse(next.at);
  if (former === undefined || catchUp !== undefined) return declared;
  const late = at - Date.parse(former.at);
  return late < every ? declared : declared + late;
}

export function valueOf({ from, steps }: Rollout, step: number): JsonValue {
  return steps[step]?.to ?? from;
}

function newestAt({ steps }: Rollout, now: number): number {
  return steps.findLastIndex(({ at }) => Date.parse(at) <= now);
}

/**
 * Finds the record of a rollout. Its steps may have been edited since: it is the same rollout as long as the applied steps stay. Of several
 * records, the one at the same place counts, or else the one with the latest step.
 */
export function progressOf(
  rollout: Rollout,
  recorded: readonly Reached[],
  { keys, pointer }: { readonly keys: readonly string[]; readonly pointer: string },
): Reached | undefined {
  const own = recorded.filter((one) => keys.includes(one.key) && continues(rollout, one));
  return own.find((one) => one.pointer === pointer) ?? own.toSorted((one, other) => other.step - one.step)[0];
}

function continues({ from, steps }: Rollout, former: Progress): boolean {
  if (!jsonEquals(from, former.from)) return false;
  const applied = former.steps.slice(0, former.step + 1);
  return applied.every(({ at, to }, index) => steps[index]?.at === at && jsonEquals(steps[index].to, to));
}

/** Whether no step is still to come, and the manifest does not say that a person made the last one. */
export function hasPassed(now: number): (rollout: Pick<Rollout, 'steps'>) => boolean {
  return ({ steps }) => steps.slice(-1).every(({ at, done }) => done !== true && Date.parse(at) <= now);
}

/**
 * The rollouts whose live value is that of a later step than the recorded one, with their progress as if the step had been made now: an apply
 * never steps back by itself. `liveValue`: `undefined` if there is none.
 */
export function findAhead(
  rollouts: readonly PlannedRollout[],
  liveValue: (rollout: PlannedRollout) => JsonValue | undefined,
  now: number,
): readonly Reached[] {
  return rollouts.flatMap((planned): Reached[] => {
    const { key, pointer, applied } = planned;
    const rollout = withoutProgress(planned);
    const live = liveValue(planned);
    if (applied === undefined) return [];
    const last = lastMade(rollout, applied, now);
    const former = valueOf(rollout, last.step);
    if (jsonEquals(live, former)) return [];
    // Whether the step widens. Somebody who narrowed or switched off ahead of time may have had another reason: that is an edit.
    const step = rollout.steps.findIndex(
      ({ at, to }, later) =>
        later > last.step && jsonEquals(live, to) && (Number(to) > Number(former) || Date.parse(at) <= now),
    );
    return step === -1
      ? []
      : [{ key: applied.key ?? key, pointer, ...rollout, step, at: new Date(now).toISOString(), found_live: true }];
  });
}

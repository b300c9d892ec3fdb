/** The step of a rollout at a moment. It never goes back, and a late run keeps the declared distance to the next step. */

import { jsonEquals, type JsonValue } from '../base/json.ts';
import type { Moment, Progress, Rollout } from './rollout.ts';

/** The index of the step whose value is declared; -1: that of `from`. */
export function stepAt(
  rollout: Rollout,
  progress: Progress | undefined,
  { now, reach }: Omit<Moment, 'progress'>,
): number {
  if (progress === undefined) return newestAt(rollout, now);
  if (reach === 'applied' || progress.at > now) return progress.step;
  if (rollout.catchUp) return Math.max(progress.step, newestAt(rollout, now));
  let { step, at } = progress;
  for (let due = dueAt(rollout, { step, at }); due !== undefined && due <= now; due = dueAt(rollout, { step, at })) {
    step += 1;
    at = due;
    if (reach === 'due') break;
  }
  return step;
}

/** When the step after the applied one is due; `undefined` if it was the last. `at`: when the step was applied. */
export function dueAt({ steps, catchUp }: Rollout, { step, at }: Pick<Progress, 'step' | 'at'>): number | undefined {
  const next = steps[step + 1];
  const former = steps[step];
  if (next === undefined || former === undefined || catchUp) return next?.at;
  return Math.max(next.at, at + next.at - former.at);
}

export function valueOf({ from, steps }: Rollout, step: number): JsonValue {
  return steps[step]?.to ?? from;
}

function newestAt({ steps }: Rollout, now: number): number {
  return steps.findLastIndex(({ at }) => at <= now);
}

/**
 * What is recorded of a rollout. Its plan may have been edited since: it is the same one as long as what was applied of it stays. Of
 * several the one at the same place counts, else the one that came furthest.
 */
export function progressOf(
  rollout: Rollout,
  recorded: readonly Progress[],
  { keys, pointer }: { readonly keys: readonly string[]; readonly pointer: string },
): Progress | undefined {
  const own = recorded.filter((one) => keys.includes(one.key) && continues(rollout, one));
  return own.find((one) => one.pointer === pointer) ?? own.toSorted((one, other) => other.step - one.step)[0];
}

function continues({ from, steps }: Rollout, { rollout: former, step }: Progress): boolean {
  if (!jsonEquals(from, former.from)) return false;
  const applied = former.steps.slice(0, step + 1);
  return applied.every(({ at, to }, index) => steps[index]?.at === at && jsonEquals(steps[index].to, to));
}

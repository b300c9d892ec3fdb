/**
 * Plans the jumps that late runs may make by rollouts with `catch_up: latest`: from each future step, or the value before it, over one or
 * more steps to a later one. Each is a plan of its own, so that it is reviewed like a step.
 */

import { comparing } from '../../base/compare-strings.ts';
import { canonicalText, type JsonObject, type JsonValue } from '../../base/json.ts';
import { valueOf } from '../../rollout/position.ts';
import type { DeclaredRollout } from '../../rollout/rollout.ts';
import { asLive } from '../as-live.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../desired.ts';
import { setAt } from '../flag/values-of-others.ts';
import { buildPlan } from './build-plan.ts';
import { around, planStepsAhead, type StepAhead } from './steps-ahead.ts';
import { isReviewed } from '../rollouts/steps-to-review.ts';

export interface StepsToReview {
  /** The steps ahead, and every jump over some of them. */
  readonly judged: readonly StepAhead[];
  /** The steps ahead, and the largest jump of each flag. */
  readonly shown: readonly StepAhead[];
}

/** `former`: what was applied last, which was reviewed already. */
export function planReview(desired: DesiredState, former: DesiredState | undefined): StepsToReview {
  const steps = planStepsAhead(desired, former);
  const jumping = desired.flags.filter(mayJump).filter((flag) => !isReviewed(flag, former));
  const jumps = jumping.map((flag) => planJumps(flag, desired));
  return { judged: [...steps, ...jumps.flat()], shown: [...steps, ...jumps.flatMap(([largest]) => largest ?? [])] };
}

/** Few flags do, and only those are compared with what was applied last. */
function mayJump(flag: DesiredFlag): flag is DeclaredFlag {
  return flag.kind === 'declared' && (flag.rollouts ?? []).some(({ catch_up: catchUp }) => catchUp === 'latest');
}

/** The largest first. */
function planJumps(flag: DeclaredFlag, desired: DesiredState): readonly StepAhead[] {
  const jumps = jumpsOf(flag);
  const near = jumps.length === 0 ? desired : around(desired, new Set([flag.key]));
  return jumps.map(({ at, since, before, after }): StepAhead => {
    const sides = asLive(withFlag(near, after), withFlag(near, before));
    return { at, jump_since: since, plan: buildPlan(sides.desired, sides.live), live: sides.live };
  });
}

function withFlag(state: DesiredState, flag: DeclaredFlag): DesiredState {
  return { ...state, flags: state.flags.map((one) => (one.key === flag.key ? flag : one)) };
}

interface Jump {
  /** When the first of its steps is due, and the last one. */
  readonly since: string;
  readonly at: string;
  readonly before: DeclaredFlag;
  readonly after: DeclaredFlag;
  /** The most by which a value rises and falls. */
  readonly rise: number;
  readonly fall: number;
}

/** All rollouts of a flag are late together. Of jumps that differ only in their first step, the one over the most steps counts. */
function jumpsOf(flag: DeclaredFlag): readonly Jump[] {
  const jumping = (flag.rollouts ?? []).filter((one) => one.catch_up === 'latest');
  const times = timesOf(jumping);
  const valuesAfter = [undefined, ...times].map((time) => jumping.map((one) => valueBy(one, time)));
  const starts = indexesOfFirst(valuesAfter);
  const jumps = times.flatMap((at, last) => {
    const after = valuesAfter[last + 1] ?? [];
    const earlier = starts.filter((first) => first < last);
    return earlier.flatMap((first): Jump[] => {
      const moves = (valuesAfter[first] ?? []).map((value, index) => Number(after[index]) - Number(value));
      const [rise, fall] = [Math.max(0, ...moves), Math.max(0, ...moves.map((move) => -move))];
      if (rise + fall === 0) return [];
      const since = times[first] ?? at;
      return [{ since, at, before: flagBy(flag, times[first - 1], at), after: flagBy(flag, at, at), rise, fall }];
    });
  });
  return jumps.toSorted((one, other) => other.rise - one.rise || other.fall - one.fall);
}

/** The index of the first of equal values. */
function indexesOfFirst(values: readonly JsonValue[]): readonly number[] {
  const found = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const text = canonicalText(value);
    if (!found.has(text)) found.set(text, index);
  }
  return [...found.values()];
}

function timesOf(rollouts: readonly DeclaredRollout[]): readonly string[] {
  const ahead = rollouts.flatMap(({ steps, step }) => steps.slice(step + 1).map(({ at }) => at));
  return [...new Set(ahead)].toSorted(comparing((at) => at));
}

/** The value after each step until then; without a time, that of the plan. */
function valueBy({ step, ...rollout }: DeclaredRollout, time: string | undefined): JsonValue {
  const newest = rollout.steps.findLastIndex(({ at }) => time !== undefined && at <= time);
  return valueOf(rollout, Math.max(step, newest));
}

/** The flag with its jumping rollouts as of a time, and all others as of another. */
function flagBy({ rollouts = [], ...flag }: DeclaredFlag, time: string | undefined, others: string): DeclaredFlag {
  const fields = rollouts.reduce<JsonObject>((made, one) => {
    return setAt(made, one.path, one.catch_up === 'latest' ? valueBy(one, time) : otherBy(one, others));
  }, flag.fields);
  return { ...flag, fields };
}

/** A step that switches the flag off may be late too: people still have the flag on while its other rollouts jump. */
function otherBy(rollout: DeclaredRollout, time: string): JsonValue {
  const values = [rollout.from, ...rollout.steps.map(({ to }) => to)];
  return values.includes(true) ? true : valueBy(rollout, time);
}

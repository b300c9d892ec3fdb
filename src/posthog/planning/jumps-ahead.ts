/**
 * Plans what late runs may make of a flag at once: several steps of a rollout with `catch_up: latest`, and steps of several rollouts that
 * are not due at the same time. Each is a plan of its own, so that it is reviewed like a step.
 */

import { comparing, compareStrings } from '../../base/compare-strings.ts';
import { canonicalText, type JsonValue } from '../../base/json.ts';
import { placeAt } from '../../base/place.ts';
import { dueAt, stepAt, valueOf } from '../../core/rollout/position.ts';
import type { DeclaredRollout, Moment } from '../../core/rollout/rollout.ts';
import type { DeclaredFlag } from '../desired.ts';
import type { Plan } from '../plan.ts';
import { isReviewed, isStepped, riskSteps } from '../rollouts/rollouts-in-review.ts';
import { takeSnapshot } from '../snapshot.ts';
import {
  type DecidingPlan,
  planSteps,
  planStepsAhead,
  type StepAhead,
  type SteppedFlag,
  type StepStage,
  stageSteps,
  withValues,
} from './steps-ahead.ts';

export interface StepsToReview {
  /** The steps ahead, and every jump over some of them. */
  readonly judged: readonly StepAhead[];
  /** The steps ahead, and the largest jump of each flag. */
  readonly shown: readonly StepAhead[];
  /** The safety rules that the steps break, and those that exceptions lift. */
  readonly hazards: Plan['hazards'];
  readonly lifted: NonNullable<Plan['lifted']>;
}

export function planReview(deciding: DecidingPlan): StepsToReview {
  const { desired, former, live, moment } = deciding;
  const stage = stageSteps(deciding);
  const { steps, hazards, lifted } = planStepsAhead(deciding, stage);
  const risks = riskSteps(desired, former, takeSnapshot(live));
  const scheduled = stage.seal([], { flags: [], roleAccess: {} }, { risks });
  const flags = desired.flags.filter(isStepped).filter((flag) => !isReviewed(flag, former));
  const jumps = flags.map((flag) => planJumps(flag, stage, moment));
  return {
    judged: [...steps, ...jumps.flat()],
    shown: [...steps, ...jumps.flatMap(([largest]) => largest ?? [])],
    hazards: [...scheduled.hazards, ...hazards],
    lifted: [...(scheduled.lifted ?? []), ...lifted],
  };
}

/** The largest first. */
function planJumps(flag: DeclaredFlag, stage: StepStage, moment: DecidingPlan['moment']): readonly StepAhead[] {
  const rollouts = flag.rollouts ?? [];
  const valuesOf = (all: readonly JsonValue[]): SteppedFlag['values'] =>
    rollouts.flatMap(({ path }, index) => {
      const to = all[index];
      return to === undefined ? [] : [{ path, to, place: placeAt(flag.places, path) }];
    });
  const live = stage.flags.get(flag.key);
  if (live === undefined) return [];
  return jumpsOf(flag, moment).map(({ at, since, before, after }): StepAhead => {
    const begun = new Map([...stage.flags, [flag.key, withValues(live, valuesOf(before))]]);
    return { at, jump_since: since, ...planSteps({ at, stepped: [{ flag, values: valuesOf(after) }] }, begun, stage) };
  });
}

/** One run: the values of the rollouts before and after it, in their order. */
interface Jump {
  /** When the first of its steps is due, and the last one. */
  readonly since: string;
  readonly at: string;
  readonly before: readonly JsonValue[];
  readonly after: readonly JsonValue[];
}

type Positions = readonly { readonly step: number; readonly at: string }[];

/** The most states of one flag that are looked at. */
const MOST_STATES = 2000;

/** A late run may come at any time: each state of the rollouts is followed by the runs that come as steps fall due, or right before the next. */
function jumpsOf(flag: DeclaredFlag, { now, every }: DecidingPlan['moment']): readonly Jump[] {
  const rollouts = flag.rollouts ?? [];
  if (rollouts.length < 2 && rollouts.every((one) => one.catch_up === undefined)) return [];
  const present = new Date(now).toISOString();
  const begin = rollouts.map(({ step, applied }) => ({ step, at: applied?.step === step ? applied.at : present }));
  const states = new Map([[stateOf(rollouts, begin), begin as Positions]]);
  const inTime = new Set(runsInTime(rollouts, begin, every).map((run) => `${run.since} ${textOf(run)}`));
  const found = new Map<string, Jump>();
  for (const positions of states.values()) {
    if (states.size > MOST_STATES) break;
    for (const time of timesAfter(rollouts, positions, every)) {
      const [next, run] = runAt(rollouts, positions, { now: time, every });
      const state = stateOf(rollouts, next);
      if (!states.has(state)) states.set(state, next);
      if (run === undefined || inTime.has(`${run.since} ${textOf(run)}`)) continue;
      if (!found.has(textOf(run))) found.set(textOf(run), run);
    }
  }
  const jumps = [...found.values(), ...(states.size > MOST_STATES ? extremesOf(rollouts, present) : [])];
  return jumps.toSorted((one, other) => sizeOf(flag, other) - sizeOf(flag, one));
}

/** Jumps that differ only in their first step are one: the one over the most steps, which is found first. */
function textOf({ at, before, after }: Jump): string {
  return canonicalText([at, before, after]);
}

/** How late the last steps were decides about the next ones, unless a run catches up anyway. */
function stateOf(rollouts: readonly DeclaredRollout[], positions: Positions): string {
  return canonicalText(
    rollouts.map(({ steps, catch_up: catchUp }, index) => {
      const { step, at } = positions[index] as Positions[number];
      const late = Date.parse(at) - Date.parse(steps[step]?.at ?? at);
      return catchUp === undefined ? [step, late] : [step];
    }),
  );
}

const YEAR_MS = 31_536_000_000;

function timesAfter(rollouts: readonly DeclaredRollout[], positions: Positions, every: number): readonly number[] {
  const declared = rollouts.length < 2 ? [] : rollouts.flatMap(({ steps }) => steps.map(({ at }) => Date.parse(at)));
  const due = rollouts.flatMap((rollout, index): number[] => {
    const position = positions[index] as Positions[number];
    if (rollout.catch_up !== undefined) return rollout.steps.slice(position.step + 1).map(({ at }) => Date.parse(at));
    const next = dueAt(rollout, position, { now: Infinity, every });
    if (next === undefined) return [];
    // As late as this, a later step of it passes a step of another rollout.
    const [made, ...later] = rollout.steps.slice(position.step + 1).map(({ at }) => Date.parse(at));
    const passing = later.flatMap((one) => declared.map((other) => other - one + (made ?? one)));
    return [next, ...passing.filter((time) => time > next)];
  });
  const times = [...new Set(due)].toSorted((one, other) => one - other);
  return times.flatMap((time, index) => [time, (times[index + 1] ?? time + YEAR_MS) - 1]);
}

/** The positions after a run, and what it made; nothing if it changes no value. */
function runAt(
  rollouts: readonly DeclaredRollout[],
  positions: Positions,
  { now, every }: Pick<Moment, 'now' | 'every'>,
): readonly [Positions, Jump | undefined] {
  const at = new Date(now).toISOString();
  const next = rollouts.map((rollout, index) => {
    const position = positions[index] as Positions[number];
    const step = stepAt(rollout, position, { now, every, reach: 'due' });
    return step === position.step ? position : { step, at };
  });
  const made = rollouts.flatMap(({ steps }, index) =>
    steps.slice((positions[index]?.step ?? 0) + 1, (next[index]?.step ?? -1) + 1).map((step) => step.at),
  );
  const [before, after] = [positions, next].map((all) =>
    rollouts.map((rollout, index) => valueOf(rollout, all[index]?.step ?? -1)),
  ) as [JsonValue[], JsonValue[]];
  const [since, ...later] = made.toSorted(compareStrings);
  const isSame = since === undefined || canonicalText(before) === canonicalText(after);
  return [next, isSame ? undefined : { since, at: later.at(-1) ?? since, before, after }];
}

function runsInTime(rollouts: readonly DeclaredRollout[], begin: Positions, every: number): readonly Jump[] {
  let positions = begin;
  const times = new Set(rollouts.flatMap(({ steps, step }) => steps.slice(step + 1).map(({ at }) => at)));
  return [...times].toSorted(comparing((at) => at)).flatMap((at) => {
    const [next, run] = runAt(rollouts, positions, { now: Date.parse(at), every });
    positions = next;
    return run ?? [];
  });
}

/** Every jump is within these, where there are too many. */
function extremesOf(rollouts: readonly DeclaredRollout[], present: string): readonly Jump[] {
  const all = rollouts.map(({ from, steps }) =>
    [from, ...steps.map(({ to }) => to)].toSorted((one, other) => Number(one) - Number(other)),
  );
  const [least, most] = [all.map(([first]) => first ?? 0), all.map((values) => values.at(-1) ?? 0)];
  const at =
    rollouts
      .flatMap(({ steps }) => steps.map((step) => step.at))
      .toSorted(compareStrings)
      .at(-1) ?? present;
  return [
    { since: present, at, before: least, after: most },
    { since: present, at, before: most, after: least },
  ];
}

/** The points by which a jump widens the flag most; of those that only narrow it, below 0. */
function sizeOf({ fields, rollouts = [] }: DeclaredFlag, { before, after }: Jump): number {
  const share = (values: readonly JsonValue[]): readonly number[] => {
    const isOn = !values.includes(false) && fields['active'] !== false;
    const percentages = values.filter((value) => typeof value === 'number');
    return (percentages.length === 0 ? [100] : percentages).map((value) => (isOn ? value : 0));
  };
  const [former, wanted] = [share(before), share(after)];
  const moves = wanted.map((value, index) => value - (former[index] ?? 0));
  const rise = Math.max(0, ...moves);
  return rollouts.length === 0 || rise > 0 ? rise : Math.max(...moves.map(Math.abs)) / 1000 - 1;
}

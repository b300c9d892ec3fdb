/** Plans the future steps of the rollouts that a change declares: each is a plan of its own, so that it is reviewed like a change. */

import { comparing } from '../../base/compare-strings.ts';
import { reach } from '../../base/graph.ts';
import { placeAt, withPlace } from '../../base/place.ts';
import { asLive } from '../as-live.ts';
import { buildPlan } from './build-plan.ts';
import type { DesiredFlag, DesiredState } from '../desired.ts';
import { namedFlags } from '../flag/model/references.ts';
import { setAt } from '../flag/values-of-others.ts';
import type { LiveState } from '../live.ts';
import type { Plan } from '../plan.ts';
import { stepsOf, type StepEvent } from '../rollouts/steps-to-review.ts';

/** Rollouts that step at the same time are one. */
export interface StepAhead {
  readonly at: string;
  /**
   * When the first of several steps is due that a late run makes together, up to the one of `at`; absent for steps that are made one by
   * one.
   */
  readonly jump_since?: string;
  readonly plan: Plan;
  /** The flags as they are until then. */
  readonly live: LiveState;
}

/** Returns the steps in order of time. `former`: what was applied last, which was reviewed already. */
export function planStepsAhead(desired: DesiredState, former: DesiredState | undefined): readonly StepAhead[] {
  const events = desired.flags.flatMap((flag) => (flag.kind === 'declared' ? stepsOf(flag, former) : []));
  const stepped = new Map<string, DesiredFlag>();
  // A step changes no dependency, and those of one flag are many.
  const nearby = new Map<string, DesiredState>();
  return groupByTime(events).map(([at, steps]) => {
    const keys = new Set(steps.map(({ key }) => key));
    const group = [...keys].join('\n');
    const near = nearby.get(group) ?? around(desired, keys);
    nearby.set(group, near);
    const before = near.flags.map((flag) => stepped.get(flag.key) ?? flag);
    const after = before.map((flag) => steps.reduce(makeStep, flag));
    for (const flag of after) stepped.set(flag.key, flag);
    const compared = asLive({ ...near, flags: after }, { ...near, flags: before });
    return { at, plan: buildPlan(compared.desired, compared.live), live: compared.live };
  });
}

function groupByTime(events: readonly StepEvent[]): readonly (readonly [at: string, steps: readonly StepEvent[]])[] {
  const found = new Map<string, StepEvent[]>();
  for (const event of events) {
    const own = found.get(event.at);
    if (own === undefined) found.set(event.at, [event]);
    else own.push(event);
  }
  return [...found].toSorted(comparing(([at]) => at));
}

function makeStep(flag: DesiredFlag, { key, path, to, index }: StepEvent): DesiredFlag {
  if (flag.kind === 'retired' || flag.key !== key) return flag;
  const place = placeAt(flag.places, `${path}/steps/${index}/to`);
  return { ...flag, fields: setAt(flag.fields, path, to), places: withPlace(flag.places, path, place) };
}

/**
 * The flags with all their dependents and dependencies, since a step affects no others. Their rollouts are left out: each step would be
 * sealed with all of them.
 */
export function around(state: DesiredState, keys: ReadonlySet<string>): DesiredState {
  const declared = state.flags.filter((flag) => flag.kind === 'declared');
  const reached = reachAround(keys, new Map(declared.map((flag) => [flag.key, namedFlags(flag.fields['filters'])])));
  const near = declared.filter(({ key }) => reached.has(key));
  return { ...state, flags: near.map(({ rollouts: _rollouts, ...flag }) => flag) };
}

/** `needs`: the flags that each depends on. */
export function reachAround(
  keys: ReadonlySet<string>,
  needs: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const beside = new Map<string, string[]>();
  const join = (one: string, other: string): void => {
    const known = beside.get(one);
    if (known === undefined) beside.set(one, [other]);
    else known.push(other);
  };
  for (const [key, named] of needs) {
    for (const other of named) {
      join(key, other);
      join(other, key);
    }
  }
  return reach(keys, (key) => beside.get(key) ?? []);
}

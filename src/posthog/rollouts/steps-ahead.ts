/** The steps that are still to come of the rollouts that a change declares: each as the plan that makes it, so that it is reviewed like a change. */

import { comparing } from '../../base/compare-strings.ts';
import { placeAt, withPlace } from '../../base/place.ts';
import { asLive } from '../as-live.ts';
import { buildPlan } from '../planning/build-plan.ts';
import type { DesiredFlag, DesiredState } from '../desired.ts';
import { namedFlags } from '../flag/references.ts';
import { setAt } from '../flag/values-of-others.ts';
import type { LiveState } from '../live.ts';
import type { Plan } from '../plan.ts';
import { stepsOf, type StepEvent } from './steps-to-review.ts';

/** Rollouts that step at the same time are one. */
export interface StepAhead {
  readonly at: string;
  /** When the first of the steps is due that a late run makes together, with that of `at` as the last; absent for steps that come one by one. */
  readonly jump_since?: string;
  readonly plan: Plan;
  /** The flags as they are until then. */
  readonly live: LiveState;
}

/** In order of time. `former`: what was applied last; what it has is reviewed already. */
export function planStepsAhead(desired: DesiredState, former: DesiredState | undefined): readonly StepAhead[] {
  const events = desired.flags.flatMap((flag) => (flag.kind === 'declared' ? stepsOf(flag, former) : []));
  const times = [...new Set(events.map(({ at }) => at))].toSorted(comparing((at) => at));
  let before = desired;
  return times.map((at) => {
    const steps = events.filter((event) => event.at === at);
    const after = { ...before, flags: before.flags.map((flag) => steps.reduce(makeStep, flag)) };
    const keys = new Set(steps.map(({ key }) => key));
    const compared = asLive(around(after, keys), around(before, keys));
    before = after;
    return { at, plan: buildPlan(compared.desired, compared.live), live: compared.live };
  });
}

function makeStep(flag: DesiredFlag, { key, path, to, index }: StepEvent): DesiredFlag {
  if (flag.kind === 'retired' || flag.key !== key) return flag;
  const place = placeAt(flag.places, `${path}/steps/${index}/to`);
  return { ...flag, fields: setAt(flag.fields, path, to), places: withPlace(flag.places, path, place) };
}

/** The flags, and all that depend on them or that they depend on: a step spreads no further. */
export function around(state: DesiredState, keys: ReadonlySet<string>): DesiredState {
  const declared = state.flags.filter((flag) => flag.kind === 'declared');
  const reached = reachAround(keys, new Map(declared.map((flag) => [flag.key, namedFlags(flag.fields['filters'])])));
  return { ...state, flags: declared.filter(({ key }) => reached.has(key)) };
}

/** `needs`: the flags that each depends on. */
export function reachAround(
  keys: ReadonlySet<string>,
  needs: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set(keys);
  const spread = ([key, named]: readonly [string, readonly string[]]): readonly string[] => {
    if (reached.has(key)) return named;
    return named.some((other) => reached.has(other)) ? [key] : [];
  };
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const key of [...needs].flatMap(spread)) reached.add(key);
  }
  return reached;
}

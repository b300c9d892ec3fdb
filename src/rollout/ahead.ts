/** Rollouts whose live value is the one of a later step than was applied: it was made without a record, and nothing steps back by itself. */

import { jsonEquals, type JsonValue } from '../base/json.ts';
import { lastMade, valueOf } from './position.ts';
import { planOf } from './record.ts';
import type { PlannedRollout, Reached } from './rollout.ts';

/** The progress of these, as if their step were made now; `liveValue`: `undefined` where there is none. */
export function findAhead(
  rollouts: readonly PlannedRollout[],
  liveValue: (rollout: PlannedRollout) => JsonValue | undefined,
  now: number,
): readonly Reached[] {
  return rollouts.flatMap((planned): Reached[] => {
    const { key, pointer, applied } = planned;
    const rollout = planOf(planned);
    const live = liveValue(planned);
    if (applied === undefined) return [];
    const last = lastMade(rollout, applied, now);
    const former = valueOf(rollout, last.step);
    if (jsonEquals(live, former)) return [];
    const step = rollout.steps.findIndex(
      ({ at, to }, later) => later > last.step && jsonEquals(live, to) && (isMore(to, former) || Date.parse(at) <= now),
    );
    return step === -1 ? [] : [{ key, pointer, ...rollout, step, at: new Date(now).toISOString(), found_live: true }];
  });
}

/** Who narrows or switches off before the plan does may have a reason of their own: that is an edit. */
function isMore(value: JsonValue, former: JsonValue): boolean {
  return Number(value) > Number(former);
}

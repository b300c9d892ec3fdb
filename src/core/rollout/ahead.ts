/** Finds rollouts whose live value is that of a later step than the recorded one: an apply never steps back by itself. */

import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { lastMade, valueOf } from './position.ts';
import { withoutProgress } from './record.ts';
import type { PlannedRollout, Reached } from './rollout.ts';

/** Returns their progress as if the step had been made now. `liveValue`: `undefined` if there is none. */
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

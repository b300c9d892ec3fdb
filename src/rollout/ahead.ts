/** Rollouts whose live value is the one of a later step: somebody made that step by hand, and nothing steps back by itself. */

import { jsonEquals, type JsonValue } from '../base/json.ts';
import { valueOf } from './position.ts';
import type { PlannedRollout, Progress } from './rollout.ts';

/** The progress of those that are ahead, as if their step were made now; `liveValue`: `undefined` where there is none. */
export function findAhead(
  rollouts: readonly PlannedRollout[],
  liveValue: (rollout: PlannedRollout) => JsonValue | undefined,
  now: number,
): readonly Progress[] {
  return rollouts.flatMap((planned) => {
    const { path: _path, due: _due, overdue: _overdue, switched_off: _off, applied, ...rollout } = planned;
    const live = liveValue(planned);
    if (applied === undefined || live === undefined || jsonEquals(live, valueOf(rollout, rollout.step))) return [];
    const former = valueOf(rollout, applied.step);
    const step = rollout.steps.findIndex(
      ({ at, to }, later) =>
        later > applied.step && jsonEquals(live, to) && (isMore(to, former) || Date.parse(at) <= now),
    );
    return step === -1 ? [] : [{ ...rollout, step, at: new Date(now).toISOString() }];
  });
}

/** Who narrows or switches off before the plan does may have a reason of their own: that is an edit. */
function isMore(value: JsonValue, former: JsonValue): boolean {
  return Number(value) > Number(former);
}

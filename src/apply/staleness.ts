/** Live state as it was just read, found by id and by key. */

import type { Change } from '../posthog/plan.ts';
import type { LiveState } from '../posthog/live.ts';
import type { LiveIndex } from '../posthog/run-state.ts';

/** `resumed`: the changes of a run that broke off and is being finished. */
export function indexLive(live: LiveState, resumed: readonly Change[] = []): LiveIndex {
  return {
    flagsById: new Map(live.flags.map((flag) => [flag.id, flag])),
    takenKeys: new Set(live.flags.flatMap((flag) => (flag.deleted === true ? [] : [flag.key]))),
    roleAccess: live.roleAccess,
    expectedToMove: new Set(resumed.map(({ ref }) => ref)),
  };
}

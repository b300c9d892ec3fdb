/** Which flags a run wrote under a key: to recognise a flag that was deleted or renamed in the service since. */

import type { FlagChange } from '../posthog/plan.ts';
import { kindFor } from '../posthog/kinds.ts';
import type { Run } from './read.ts';

/** `released`: the run itself gave the flag another key. */
export type RecordedHolder = number | 'released';

/** The holder of each key that the run says something about. */
export function recordedHolders({ plan, outcomes }: Run): ReadonlyMap<string, RecordedHolder> {
  const holders = new Map<string, RecordedHolder>();
  for (const change of plan.changes) {
    if (change.resource !== 'flag') continue;
    const outcome = outcomes.get(change.ref);
    if (outcome?.outcome !== 'applied') continue;
    const id = change.action === 'create' ? outcome.id : change.id;
    if (id !== undefined) holders.set(change.key, id);
    const former = formerKey(change);
    if (former !== change.key && !holders.has(former)) holders.set(former, 'released');
  }
  return holders;
}

function formerKey(change: FlagChange): string {
  return kindFor(change).liveKey(change);
}

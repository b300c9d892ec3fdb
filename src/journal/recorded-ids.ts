/** Finds which resources a run wrote under a name, to recognise those deleted or renamed in the service since. */

import type { ResourceId } from '../engine/snapshot.ts';
import type { Change } from '../posthog/plan.ts';
import { kindFor, nameOfChange } from '../posthog/kinds.ts';
import type { Run } from './read.ts';

/** Null: the run itself gave the flag another key; others keep their aliases. */
export type RecordedHolder = ResourceId | null;

/** The holder of each name (`nameOfChange`) that the run says something about. */
export function recordedHolders({ plan, outcomes }: Run): ReadonlyMap<string, RecordedHolder> {
  const holders = new Map<string, RecordedHolder>();
  for (const change of plan.changes) {
    if (change.resource === 'role_access') continue;
    const outcome = outcomes.get(change.ref);
    if (outcome?.outcome !== 'applied') continue;
    const id = change.action === 'create' ? outcome.id : change.id;
    const name = nameOfChange(change);
    if (id !== undefined) holders.set(name, id);
    const former = formerKey(change);
    if (former !== name && !holders.has(former)) holders.set(former, null);
  }
  return holders;
}

function formerKey(change: Change): string {
  return kindFor(change).liveKey(change);
}

/** The inverse plan of a recorded run, made against what is live now. */

import { createDirectory } from '../apply/flag-directory.ts';
import { earlierOutcome } from '../apply/resume.ts';
import { indexLive } from '../apply/staleness.ts';
import type { Run } from '../journal/read.ts';
import { wantedForUndo } from '../journal/undo.ts';
import type { LiveState } from '../model/live.ts';
import { invertPlan, type AppliedChange, type Inversion } from '../plan/invert-plan.ts';
import type { SealOptions } from '../plan/seal-plan.ts';
import type { ServiceClient } from '../service/client.ts';
import { readLiveState } from '../service/live-state.ts';

export interface InvertedRun extends Inversion {
  /** What the inversion was made of. */
  readonly live: LiveState;
}

export async function invertRun(run: Run, client: ServiceClient, options: SealOptions): Promise<InvertedRun> {
  const live = await readLiveState(client, wantedForUndo(sentChanges(run)));
  return { ...invertPlan(settledChanges(run, live), live, options), live };
}

function sentChanges({ plan, applied, sent }: Run): readonly AppliedChange[] {
  return plan.changes.flatMap((change) => {
    const known = applied.get(change.ref);
    if (known === undefined) return sent.has(change.ref) ? [{ change }] : [];
    return [{ change, ...('id' in known && known.id !== undefined ? { id: known.id } : {}) }];
  });
}

/** What the journal knows to be applied, and of what was sent without an answer that which is live now. */
function settledChanges(run: Run, live: LiveState): readonly AppliedChange[] {
  const { changes } = run.plan;
  const context = { live: indexLive(live, changes), directory: createDirectory(live.flags, changes) };
  return changes.flatMap((change) => {
    const outcome = earlierOutcome(change, run, context);
    if (outcome?.outcome !== 'applied') return [];
    return [{ change, ...(outcome.id === undefined ? {} : { id: outcome.id }) }];
  });
}

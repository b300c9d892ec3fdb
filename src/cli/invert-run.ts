/** The inverse plan of a recorded run, made against what is live now. */

import type { Run } from '../journal/read.ts';
import { appliedChanges, wantedForUndo } from '../journal/undo.ts';
import type { LiveState } from '../model/live.ts';
import { invertPlan, type Inversion } from '../plan/invert-plan.ts';
import type { SealOptions } from '../plan/seal-plan.ts';
import type { ServiceClient } from '../service/client.ts';
import { readLiveState } from '../service/live-state.ts';

export interface InvertedRun extends Inversion {
  /** What the inversion was made of. */
  readonly live: LiveState;
}

export async function invertRun(run: Run, client: ServiceClient, options: SealOptions): Promise<InvertedRun> {
  const live = await readLiveState(client, wantedForUndo(run));
  return { ...invertPlan(appliedChanges(run, live), live, options), live };
}

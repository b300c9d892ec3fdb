/** The inverse plan of a recorded run, made against what is live now. */

import { invertPlan, type Inversion } from '../../posthog/invert-plan.ts';
import type { SealOptions } from '../../engine/seal-plan.ts';
import type { Run } from '../../journal/read.ts';
import { appliedChanges, wantedForUndo } from '../../journal/undo.ts';
import type { ServiceClient } from '../../posthog/client/client.ts';
import { readLiveState } from '../../posthog/client/live-state.ts';
import type { LiveState } from '../../posthog/live.ts';

export interface InvertedRun extends Inversion {
  /** What the inversion was made of. */
  readonly live: LiveState;
}

export async function invertRun(run: Run, client: ServiceClient, options: SealOptions): Promise<InvertedRun> {
  const live = await readLiveState(client, wantedForUndo(run));
  return { ...invertPlan(appliedChanges(run, live), live, options), live };
}

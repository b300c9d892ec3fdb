/** The plan that reverts a recorded run, computed against live state. */

import { invertPlan, type Inversion } from '../posthog/invert-plan.ts';
import type { SealOptions } from '../engine/seal-plan.ts';
import type { Run } from './read.ts';
import { appliedChanges, wantedForUndo } from './undo.ts';
import type { ServiceClient } from '../posthog/client/client.ts';
import { readLiveState } from '../posthog/client/live-state.ts';
import type { LiveState } from '../posthog/live.ts';

export interface InvertedRun extends Inversion {
  /** The live state that the plan was computed against. */
  readonly live: LiveState;
}

/** Reads the flags that the run wrote. @throws {ServiceError} when they could not be read. */
export async function invertRun(run: Run, client: ServiceClient, options?: Partial<SealOptions>): Promise<InvertedRun> {
  const live = await readLiveState(client, wantedForUndo(run));
  return { ...invertPlan(appliedChanges(run, live), live, { ...options, undoes: run.name }), live };
}

/** Reads what a plan is about once more, right before it is applied. */

import type { LiveState } from '../model/live.ts';
import type { Plan } from '../plan/plan.ts';
import { readingOf } from '../plan/reading.ts';
import type { ServiceClient } from '../service/client.ts';
import { readLiveState } from '../service/live-state.ts';

export async function readAgain({ changes }: Plan, client: ServiceClient): Promise<LiveState> {
  if (changes.length === 0) return { flags: [], roleAccess: {} };
  return readLiveState(client, readingOf(changes));
}

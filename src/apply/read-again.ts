/** Reads the resources of a plan again, right before it is applied. */

import type { LiveState } from '../posthog/live.ts';
import type { Plan } from '../posthog/plan.ts';
import { wantedToApply } from '../posthog/wanted-state.ts';
import type { ServiceClient } from '../posthog/client/client.ts';
import { readLiveState } from '../posthog/client/live-state.ts';

export async function readAgain({ changes }: Plan, client: ServiceClient): Promise<LiveState> {
  if (changes.length === 0) return { flags: [], roleAccess: {} };
  return readLiveState(client, wantedToApply(changes));
}

/** Whether a flag is stale, and how far it is rolled out. */

import { findFlag } from '../flags/find.ts';
import { flagStatus } from '../flags/staleness.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { summariseRollout } from './rollout-summary.ts';

/** The status is in lower case here, unlike in the flag. */
export function getStatus(service: ServiceContext, call: Call): Answer {
  const flag = findFlag(service, call);
  const { status, reason, isByRollout } = flagStatus(flag, service.now());
  const rollout = { ...summariseRollout(flag.filters) };
  return { status: 200, body: { status, reason, reason_states_rollout: isByRollout, rollout } };
}

/** Reads the change requests for a plan. They only inform, so a service or a key that cannot list them does not fail the run. */

import type { ListedRequest } from '../../engine/change-request.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import type { Plan } from '../plan.ts';
import { wireOfAll } from '../role-access/access.ts';
import type { ServiceClient } from '../service-client.ts';
import { ServiceError } from '../client/service-error.ts';

/**
 * Costs one request; none if the plan changes no flag and no flag is disabled without a decision (`undecided`), or if the service is of
 * 2023, which has no approvals.
 */
export async function readChangeRequests(
  client: ServiceClient,
  { changes, undecided }: Pick<Plan, 'changes'> & { readonly undecided: readonly Flag[] },
  { flags }: Pick<LiveState, 'flags'>,
): Promise<readonly ListedRequest[]> {
  const isConcerned = undecided.length > 0 || changes.some(({ resource }) => resource === 'flag');
  if (!isConcerned || wireOfAll(flags) === 'entries') return [];
  try {
    return await client.listChangeRequests({ applied: undecided.length > 0 });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
    return [];
  }
}

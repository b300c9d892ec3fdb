/** Asks the service how many people or groups match conditions. If it cannot count them, the run does not fail. */

import pLimit from 'p-limit';
import type { RadiusQuery } from '../../impact/blast-radius.ts';
import type { ServiceCount } from '../../impact/impact.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import type { Failure } from '../../posthog/client/failure.ts';
import { summarize } from '../../posthog/client/failure-table.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';

export interface RadiusReader {
  /** `undefined` once the service is known to give no counts. */
  readonly ask: (query: RadiusQuery) => Promise<ServiceCount | undefined>;
  readonly requests: () => number;
  /** The reason that the service gives no counts. */
  readonly unavailable: () => string | undefined;
}

export function createRadiusReader(client: Pick<ServiceClient, 'userBlastRadius'>, concurrency: number): RadiusReader {
  const limit = pLimit(concurrency);
  let requests = 0;
  let unavailable: string | undefined;
  const ask = async (query: RadiusQuery): Promise<ServiceCount | undefined> => {
    if (unavailable !== undefined) return undefined;
    requests += 1;
    try {
      const counted = await client.userBlastRadius(query);
      return { kind: query.groupTypeIndex === undefined ? 'people' : 'groups', ...counted };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
      if (error.failure.kind === 'validation') return { kind: 'refused', detail: error.said };
      unavailable ??= reasonOf(error.failure);
      return undefined;
    }
  };
  return { ask: async (query) => limit(ask, query), requests: () => requests, unavailable: () => unavailable };
}

function reasonOf(failure: Failure): string {
  if (failure.kind === 'not_found') return 'this service does not have the endpoint user_blast_radius (404)';
  if (failure.kind === 'forbidden')
    return 'the service refuses it (403); the API key needs the scope feature_flag:read';
  return `the service did not answer: ${summarize(failure)}`;
}

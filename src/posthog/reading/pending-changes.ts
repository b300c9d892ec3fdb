/**
 * Reads what the service is to change by itself, and the change requests that wait there. A service or a key that cannot list them does not fail
 * the run: the result says why they are unknown.
 */

import { defined } from '../../base/optional.ts';
import type { ListedRequest } from '../../engine/change-request.ts';
import type { DesiredFlag } from '../desired.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { UnknownSchedules } from '../flag/schedules.ts';
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
): Promise<ReadRequests> {
  const isConcerned = undecided.length > 0 || changes.some(({ resource }) => resource === 'flag');
  if (!isConcerned || wireOfAll(flags) === 'entries') return { listed: [] };
  try {
    return { listed: await client.listChangeRequests({ applied: undecided.length > 0 }) };
  } catch (error) {
    const why = whyUnread(error);
    return { listed: [], ...defined({ unread: why }) };
  }
}

export interface ReadRequests {
  readonly listed: readonly ListedRequest[];
  /** Present if the service has change requests that could not be read. */
  readonly unread?: UnknownSchedules;
}

/** `undefined` if the service has none: another service answers 404, and one without the paid feature 402. */
function whyUnread(error: unknown): UnknownSchedules | undefined {
  if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
  const { failure } = error;
  if (failure.kind === 'not_found' || (failure.kind === 'unexpected_status' && failure.status === 402))
    return undefined;
  return failure.kind === 'forbidden' ? failure.kind : 'failed';
}

/** Requests nothing if no declared flag is live. */
export async function readSchedules(
  client: ServiceClient,
  flags: readonly Flag[],
  declared: readonly DesiredFlag[],
): Promise<Pick<LiveState, 'schedules' | 'unknownSchedules'>> {
  const live = new Set(flags.map(({ key }) => key));
  return declared.some(({ key }) => live.has(key)) ? readSchedulesOf(client, flags) : { schedules: [] };
}

/**
 * A key that may not read scheduled changes does not fail the run: the result says why they are unknown. A service of 2023 has none and is
 * not asked; another service without them answers 404.
 */
export async function readSchedulesOf(
  client: ServiceClient,
  flags: readonly Flag[],
): Promise<Pick<LiveState, 'schedules' | 'unknownSchedules'>> {
  if (wireOfAll(flags) !== 'levels') return { schedules: [] };
  try {
    return { schedules: await client.listScheduledChanges() };
  } catch (error) {
    const why = whyUnread(error);
    return why === undefined ? { schedules: [] } : { unknownSchedules: why };
  }
}

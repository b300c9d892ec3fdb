/** Finds which change requests of the service concern the changes of a plan. (docs/service.md, "Approval gate") */

import { isJsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { KnownRequest, ListedRequest, RequestStanding } from '../../engine/change-request.ts';
import { changeRequestUrl } from '../page-url.ts';
import type { LiveState } from '../live.ts';
import type { FlagChange, Plan } from '../plan.ts';
import { openRun } from '../run-state.ts';
import type { FlagRun } from './run.ts';
import { compareRequest } from './approval.ts';

/** Sorted as the plan. `requests`: newest first. */
export function findKnownRequests(
  { changes, project }: Pick<Plan, 'changes' | 'project'>,
  live: LiveState,
  requests: readonly ListedRequest[],
): readonly KnownRequest[] {
  if (requests.length === 0) return [];
  const state = openRun(live, changes, { resumed: false }).flags;
  const flagChanges = changes.filter((change) => change.resource === 'flag');
  const blocked = flagChanges.find(
    ({ action, key }) => action === 'create' && !requests.some((one) => isOf(one, { key })),
  );
  return flagChanges.flatMap((change) =>
    newestOfEachAction(
      requests.filter((request) => isOf(request, change) || (change === blocked && isOpenCreation(request))),
    ).flatMap((request) => {
      const standing = standingOf(change, request, state);
      if (standing === undefined) return [];
      const { id, action } = request;
      const { ref, key } = change;
      return { ref, key, id, ...defined({ url: changeRequestUrl(project, id), action }), standing };
    }),
  );
}

/** The service names the oldest open creation to every other one. */
function isOpenCreation(request: ListedRequest): boolean {
  return request.resourceId === undefined && isOpen(request);
}

function isOf(request: ListedRequest, { id, key }: { readonly id?: number; readonly key: string }): boolean {
  return request.resourceId === undefined ? id === undefined && request.key === key : request.resourceId === id;
}

/** An earlier one was decided before the newest was opened. */
function newestOfEachAction(requests: readonly ListedRequest[]): readonly ListedRequest[] {
  return requests.filter((request, index) => requests.findIndex(({ action }) => action === request.action) === index);
}

export function isOpen({ state }: ListedRequest): boolean {
  return state === 'pending' || state === 'approved';
}

/** `undefined` for a request that asked for something else, or of a state that is not known. */
function standingOf(change: FlagChange, request: ListedRequest, state: FlagRun): RequestStanding | undefined {
  if (isOpen(request)) {
    const { openedBy: by } = request;
    const asks = asksFor(change, request, state);
    return { kind: 'open', ...defined({ asks, by, for: asks === 'other_resource' ? request.key : undefined }) };
  }
  const { version: _, ...whenever } = request;
  const asked = asksFor(change, whenever, state);
  if (asked !== 'this_change' && asked !== 'part_of_this_change') return undefined;
  return decided(request);
}

/** The standing of a request; `undefined` for one that was applied, and for an unknown state. */
export function decided({ state, rejection = {}, openedBy, failure }: ListedRequest): RequestStanding | undefined {
  switch (state) {
    case 'rejected':
      return { kind: openedBy !== undefined && rejection.by === openedBy ? 'withdrawn' : 'rejected', ...rejection };
    case 'failed':
      return { kind: 'failed', ...defined({ why: failure }) };
    case 'expired':
      return { kind: 'expired' };
    default:
      return undefined;
  }
}

type RequestedContent = Extract<RequestStanding, { readonly kind: 'open' }>['asks'];

/** A write that was sent in parts is requested in parts. */
function asksFor(change: FlagChange, request: ListedRequest, state: FlagRun): RequestedContent {
  const asks = compareRequest(change, request, state);
  const fields = request.asked?.();
  if (asks !== 'other_values' || !isJsonObject(fields)) return asks;
  const body = Object.fromEntries(Object.entries(change.body).filter(([field]) => Object.hasOwn(fields, field)));
  const isPart = Object.keys(body).length > 0 && Object.keys(body).length < Object.keys(change.body).length;
  if (!isPart) return asks;
  const part = { ...change, body } as FlagChange;
  return compareRequest(part, request, state) === 'this_change' ? 'part_of_this_change' : asks;
}

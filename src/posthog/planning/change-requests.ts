/** Finds which change requests of the service concern the changes of a plan. (docs/service/approvals.md) */

import { isJsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { KnownRequest, ListedRequest, RequestStanding } from '../../core/engine/change-request.ts';
import type { DesiredFlag } from '../desired.ts';
import type { LiveState } from '../live.ts';
import { changeRequestUrl } from '../names/resource-name.ts';
import type { FlagChange, Plan } from '../plan.ts';
import { openRun } from '../run-state.ts';
import type { FlagWarning } from '../flag/change.ts';
import { compareRequest, type FlagRun } from '../flag/write.ts';
import type { Flag } from '../flag/model/flag.ts';

/** Sorted as the plan. `requests`: newest first. */
export function findKnownRequests(
  { changes, project }: Pick<Plan, 'changes' | 'project'>,
  live: LiveState,
  requests: readonly ListedRequest[],
): readonly KnownRequest[] {
  if (requests.length === 0) return [];
  const state = openRun(live, changes, { resumed: false }).flags;
  const flagChanges = changes.filter((change) => change.resource === 'flag');
  // The service names the oldest open request for a creation in its refusals of all others.
  const blocked = flagChanges.find(
    ({ action, key }) => action === 'create' && !requests.some((one) => isOf(one, { key })),
  );
  return flagChanges.flatMap((change) => {
    const own = requests.filter(
      (one) => isOf(one, change) || (change === blocked && one.resourceId === undefined && isOpenRequest(one)),
    );
    // An earlier one of the same action was decided before the newest was opened.
    const newest = own.filter((one, index) => own.findIndex(({ action }) => action === one.action) === index);
    return newest.flatMap((request) => {
      const standing = standingOf(change, request, state);
      if (standing === undefined) return [];
      const { id, action } = request;
      const { ref, key } = change;
      return { ref, key, id, ...defined({ url: changeRequestUrl(project, id), action }), standing };
    });
  });
}

function isOf(request: ListedRequest, { id, key }: { readonly id?: number; readonly key: string }): boolean {
  return request.resourceId === undefined ? id === undefined && request.key === key : request.resourceId === id;
}

export function isOpenRequest({ state }: ListedRequest): boolean {
  return state === 'pending' || state === 'approved';
}

/** `undefined` for a request for something else, or one in an unknown state. */
function standingOf(change: FlagChange, request: ListedRequest, state: FlagRun): RequestStanding | undefined {
  if (isOpenRequest(request)) {
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
function decided({ state, rejection = {}, openedBy, failure }: ListedRequest): RequestStanding | undefined {
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

/** The requests for a write that was sent in parts are for parts. */
function asksFor(
  change: FlagChange,
  request: ListedRequest,
  state: FlagRun,
): Extract<RequestStanding, { readonly kind: 'open' }>['asks'] {
  const asks = compareRequest(change, request, state);
  const fields = request.asked?.();
  if (asks !== 'other_values' || !isJsonObject(fields)) return asks;
  const body = Object.fromEntries(Object.entries(change.body).filter(([field]) => Object.hasOwn(fields, field)));
  const isPart = Object.keys(body).length > 0 && Object.keys(body).length < Object.keys(change.body).length;
  if (!isPart) return asks;
  const part = { ...change, body } as FlagChange;
  return compareRequest(part, request, state) === 'this_change' ? 'part_of_this_change' : asks;
}

/**
 * The declared flags that are disabled because their enabling needs an approval: a flag that several approvals gate is created disabled.
 * Neither the manifests nor the plan say that they should be disabled. (docs/service/approvals.md)
 */
export function findUndecided(
  { changes }: Pick<Plan, 'changes'>,
  declared: readonly DesiredFlag[],
  live: readonly Flag[],
): readonly Flag[] {
  const open = new Set(
    declared.flatMap((flag) =>
      flag.kind === 'declared' && flag.fields['active'] !== false && flag.fields['archived'] !== true ? flag.key : [],
    ),
  );
  for (const change of changes) if (change.resource === 'flag') open.delete(change.key);
  return live.filter(({ key, active, deleted }) => open.has(key) && !active && deleted !== true);
}

/** `requests`: newest first, with those that were applied. */
export function warnOfEnabling(
  flags: readonly Flag[],
  requests: readonly ListedRequest[],
  project: Plan['project'],
): readonly FlagWarning[] {
  return flags.flatMap((flag): FlagWarning[] => {
    const found = findState(flag, requests);
    if (found === undefined) return [];
    const { request, ...state } = found;
    const url = changeRequestUrl(project, request.id);
    return [{ code: 'not_enabled', key: flag.key, request: request.id, ...defined({ url }), ...state }];
  });
}

type EnablingState = Pick<Extract<FlagWarning, { code: 'not_enabled' }>, 'state' | 'by' | 'reason'>;

function findState(
  { id, key }: Flag,
  requests: readonly ListedRequest[],
): (EnablingState & { readonly request: ListedRequest }) | undefined {
  const enabling = requests.find(({ resourceId, asked }) => resourceId === id && asked?.()['active'] === true);
  if (enabling !== undefined) {
    const state = stateOf(enabling);
    return state === undefined ? undefined : { ...state, request: enabling };
  }
  const creation = requests.find((one) => one.resourceId === undefined && one.key === key);
  const isDisabled = creation?.state === 'applied' && creation.asked?.()['active'] === false;
  return isDisabled ? { state: 'not_requested', request: creation } : undefined;
}

function stateOf(request: ListedRequest): EnablingState | undefined {
  if (isOpenRequest(request)) return { state: 'open', ...defined({ by: request.openedBy }) };
  const standing = decided(request);
  if (standing === undefined || standing.kind === 'open') return undefined;
  const { kind: state } = standing;
  if (state === 'rejected' || state === 'withdrawn') {
    return { state, ...defined({ by: standing.by, reason: standing.reason }) };
  }
  return { state, ...defined({ reason: state === 'failed' ? standing.why : undefined }) };
}

/**
 * Flags that are disabled since their enabling needs an approval, although the plan has no change of it: a flag that several approvals gate
 * is created disabled first, and the manifests may not decide `active`. (docs/service.md, "Approval gate")
 */

import { defined } from '../../base/optional.ts';
import type { ListedRequest } from '../../engine/change-request.ts';
import { changeRequestUrl } from '../page-url.ts';
import type { DesiredFlag } from '../desired.ts';
import type { Plan } from '../plan.ts';
import type { FlagWarning } from './change.ts';
import type { Flag } from './flag.ts';
import { decided, isOpen } from './known-requests.ts';

/** The declared flags that are disabled, where neither the manifests nor the plan say that they should be. */
export function findUndecided(
  { changes }: Pick<Plan, 'changes'>,
  declared: readonly DesiredFlag[],
  live: readonly Flag[],
): readonly Flag[] {
  const open = new Set(declared.filter(isUndecided).map(({ key }) => key));
  for (const change of changes) if (change.resource === 'flag') open.delete(change.key);
  return live.filter(({ key, active, deleted }) => open.has(key) && !active && deleted !== true);
}

function isUndecided(flag: DesiredFlag): boolean {
  return flag.kind === 'declared' && flag.fields['active'] !== false && flag.fields['archived'] !== true;
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
  if (isOpen(request)) return { state: 'open', ...defined({ by: request.openedBy }) };
  const standing = decided(request);
  if (standing === undefined || standing.kind === 'open') return undefined;
  const { kind: state } = standing;
  if (state === 'rejected' || state === 'withdrawn') {
    return { state, ...defined({ by: standing.by, reason: standing.reason }) };
  }
  return { state, ...defined({ reason: state === 'failed' ? standing.why : undefined }) };
}

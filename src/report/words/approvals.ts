/** The sentences for change requests of the service that concern the changes of a plan. */

import type { Quote } from '../../engine/labels.ts';
import type { KnownRequest, RequestStanding } from '../../engine/change-request.ts';
import { count } from './count.ts';

/** `waits for approval: change request 7 of ann@example.org asks for this change`. */
export function approvalText({ id, standing }: Pick<KnownRequest, 'id' | 'standing'>, quote: Quote): string {
  const request = `change request ${quote(id)}`;
  switch (standing.kind) {
    case 'open':
      return openText(request, standing, quote);
    case 'rejected':
      return `${request} asked for this change and was rejected${byText(standing.by, quote)}${reasonText(standing.reason, quote)}; apply asks again`;
    case 'withdrawn':
      return `${request} asked for this change and was withdrawn${byText(standing.by, quote)}; apply asks again`;
    case 'failed':
      return `${request} asked for this change and was approved, but the service could not make it${reasonText(standing.why, quote)}; apply asks again`;
    case 'expired':
      return `${request} asked for this change and expired; apply asks again`;
  }
}

type Open = Extract<RequestStanding, { readonly kind: 'open' }>;

function openText(request: string, { asks, by, for: other }: Open, quote: Quote): string {
  const open = `${request}${by === undefined ? '' : ` of ${quote(by)}`}`;
  if (asks === undefined) return `${open} is open for this flag`;
  switch (asks) {
    case 'this_change':
      return `waits for approval: ${open} asks for this change`;
    case 'part_of_this_change':
      return `waits for approval: ${open} asks for a part of this change`;
    case 'other_values':
      return `${open} is open and asks for other values: the service does not accept this change until it is decided`;
    case 'outdated_version':
      return `${open} is open for an earlier version of the flag: have it rejected or withdrawn`;
    case 'other_resource':
      return `${open} is open for the creation of ${other === undefined ? 'another flag' : quote(other)}: the service takes one creation at a time`;
  }
}

function byText(by: string | undefined, quote: Quote): string {
  return by === undefined ? '' : ` by ${quote(by)}`;
}

function reasonText(reason: string | undefined, quote: Quote): string {
  return reason === undefined ? '' : ` (${quote(reason)})`;
}

/** `1 change waits for approval.`; nothing where none does. */
export function approvalsSummary(requests: readonly KnownRequest[] = []): string[] {
  const waiting = new Set(requests.filter(isWaiting).map(({ ref }) => ref)).size;
  if (waiting === 0) return [];
  return [`${count(waiting, 'change')} ${waiting === 1 ? 'waits' : 'wait'} for approval.`];
}

/** Whether an open request asks for the change, or for a part of it. */
function isWaiting({ standing }: KnownRequest): boolean {
  return standing.kind === 'open' && (standing.asks === 'this_change' || standing.asks === 'part_of_this_change');
}

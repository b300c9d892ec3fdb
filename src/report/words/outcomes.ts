/** The sentences for the outcome of a change, and for what still differs afterwards. */

import type { Outcome, OutcomeError, Parts, PendingRequest, SkipReason } from '../../apply/result.ts';
import type { Asking } from '../../engine/change-request.ts';
import type { Remainder } from '../../engine/remainder.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { count } from './count.ts';
import { keysText } from './lists.ts';
import { ALL_LABELS, labelsOfRef } from './kinds.ts';
import { inlineValue } from './value.ts';

export function skipText(reason: SkipReason): string {
  switch (reason.code) {
    case 'interrupted':
      return 'the run was interrupted before this change started';
    case 'deadline':
      return 'the deadline passed before this change started';
    case 'not_recorded':
      return 'not sent: the journal could not be written';
    case 'key_refused':
      return `not sent: the service refused the API key for ${neededText([reason.ref])}`;
    case 'needs_failed':
      return `it needs ${neededText(reason.refs)}, which was not applied`;
    case 'stale':
      return 'the flag changed after the plan was made';
  }
}

/** Of a whole run. */
export const NOT_VERIFIED =
  'Not verified: the project was not read again after the changes. The next plan shows what is live.';

function neededText(refs: readonly string[]): string {
  return ALL_LABELS.flatMap((labels) => {
    const keys = refs.filter((ref) => labelsOfRef(ref) === labels).map(labels.keyOfRef);
    return keys.length === 0 ? [] : [`${labels.need}${keysText([...new Set(keys)])}`];
  }).join(' and ');
}

/** For which change request a change waits, its page, and which of its parts are written. */
export function outcomeNotes(result: Outcome): readonly string[] {
  if (result.outcome === 'applied') return [];
  const request = result.outcome === 'pending' ? result.request : undefined;
  return [
    ...(request === undefined ? [] : [requestText(request)]),
    ...(request?.url === undefined ? [] : [escapeLine(request.url)]),
    ...(result.parts === undefined ? [] : [partsText(result.parts)]),
  ];
}

/** What an open change request asks for; the end of `change request 7 is open`. */
const ASKS: Readonly<Record<Asking, (request: PendingRequest) => string>> = {
  this_change: () => ' and asks for this change',
  other_values: () => ' and asks for other values',
  other_resource: ({ key = 'another flag' }) => ` for ${quoteShort(key)}: the service takes one creation at a time`,
  outdated_version: () => ', but the flag has changed since, so the service cannot make the requested change',
};

/** `change request 7 is open and asks for this change`. */
export function requestText(request: PendingRequest): string {
  const name = `change request ${quoteShort(request.id)}`;
  if (!request.wasOpen) return `${name} waits for approval`;
  return `${name} is open${request.asks === undefined ? '' : ASKS[request.asks](request)}`;
}

/** `written: filters · waiting: active`: of a change that was sent in parts. */
export function partsText({ written, waiting, unsent }: Parts): string {
  const some = [
    ['written', written],
    ['not written', waiting],
    ['not sent', unsent],
  ] as const;
  const shown = some
    .filter(([, fields]) => fields.length > 0)
    .map(([word, fields]) => `${word}: ${fields.map((field) => quoteShort(field)).join(', ')}`);
  return `sent in parts, since it needs several approvals; ${shown.join(' · ')}`;
}

/** The error of the service or the network on one line; `changes`: how many failed with it. */
export function outcomeErrorText(error: OutcomeError, changes = 1): string {
  const status = error.status === undefined ? '' : `${error.status} `;
  const field = error.field === undefined ? '' : ` (${quoteShort(error.field)})`;
  const folded = changes === 1 ? '' : ` for ${count(changes, 'change')}`;
  return `${status}${quoteShort(error.code)}${field}${folded}: ${quoteShort(error.message, 400)}`;
}

export function remainderText(remainder: Remainder): string {
  switch (remainder.reason) {
    case 'service_changed_value':
      return `the service stored ${side(remainder.found)} instead of ${side(remainder.wanted)}`;
    case 'service_dropped_value':
      return `the service dropped ${side(remainder.wanted)}`;
    case 'service_ignores_field':
      return 'the service has no such field; later plans leave it out';
    case 'changed_afterwards':
      return `found ${side(remainder.found)} instead of ${side(remainder.wanted)}: another user or the service changed it after the write`;
    case 'not_found':
      return 'it no longer exists in the service';
  }
}

function side(value: Remainder['found']): string {
  return value === undefined ? 'nothing' : quoteShort(inlineValue(value));
}

/** The sentences for the outcome of a change, and for what still differs afterwards. */

import type { OutcomeError, SkipReason } from '../../apply/result.ts';
import type { Remainder } from '../../engine/remainder.ts';
import { quoteShort } from '../escape.ts';
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

function neededText(refs: readonly string[]): string {
  return ALL_LABELS.flatMap((labels) => {
    const keys = refs.filter((ref) => labelsOfRef(ref) === labels).map(labels.keyOfRef);
    return keys.length === 0 ? [] : [`${labels.need}${keysText([...new Set(keys)])}`];
  }).join(' and ');
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

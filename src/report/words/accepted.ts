/** The sentences about an accept: why differences were left, and what a user does about each. */

import type { LeftFlag, LeftReason } from '../../editing/accept/accepted.ts';
import type { Quote } from '../../engine/labels.ts';
import { quoteShort } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { count } from './count.ts';
import { exportReasonText } from './exported.ts';
import { DIAGNOSTIC_WORDS } from './diagnostics.ts';

export function leftText({ key, reason, place }: Omit<LeftFlag, 'suggestion'>, quote: Quote = quoteShort): string {
  const where = place === undefined ? '' : ` (${quote(`${place.file}:${place.line}`)})`;
  const { why, remedy } = reasonWords(reason, quote);
  return `${quote(key)}${where} was left as it is: ${why} (${reason.code}). ${remedy}`;
}

export interface ReasonWords {
  readonly why: string;
  readonly remedy: string;
}

/** Why a flag was left as it is, and what a user does about it. */
export function reasonWords(reason: LeftReason, quote: Quote): ReasonWords {
  if (isPlain(reason)) return PLAIN_REASONS[reason.code];
  switch (reason.code) {
    case 'invalid':
      return {
        why: `the manifest would have an error: ${lowerFirst(DIAGNOSTIC_WORDS[reason.problem.code].title)} [${reason.problem.code}]`,
        remedy: 'Change the flag in the service, or write its declaration by hand.',
      };
    case 'granted-by-pattern':
      return {
        why: `role ${quote(reason.role)} has access through the pattern ${quote(reason.pattern)}, which names other flags too`,
        remedy: 'Replace the pattern with the keys of the flags that the role may edit.',
      };
    case 'granted-everywhere':
      return {
        why: `role ${quote(reason.role)} has access through its list under role_access, which holds for every project`,
        remedy: 'Move the role to role_access of the flag, with an overlay for this project.',
      };
    case 'not-exportable':
      return {
        why: reason.reasons.map(exportReasonText).join('; '),
        remedy: 'It stays unmanaged.',
      };
    case 'renamed':
      return {
        why: `its key in the service is ${quote(reason.key)}`,
        remedy: `To take the new key over, rename the declaration and add previous_keys with the former one.`,
      };
  }
}

type PlainCode = Exclude<
  LeftReason['code'],
  'invalid' | 'granted-by-pattern' | 'granted-everywhere' | 'not-exportable' | 'renamed'
>;

function isPlain(reason: LeftReason): reason is Extract<LeftReason, { readonly code: PlainCode }> {
  return Object.hasOwn(PLAIN_REASONS, reason.code);
}

const BY_HAND = 'Write it by hand.';

const PLAIN_REASONS: Readonly<Record<PlainCode, ReasonWords>> = {
  unreadable: { why: 'the file has mistakes', remedy: 'Correct them, and run the command again.' },
  alias: {
    why: 'the value comes from an alias',
    remedy: 'Change the value at its anchor by hand, or write it out in place of the alias.',
  },
  'merge-key': {
    why: 'the value comes from a merge key',
    remedy: 'Change the mapping that is merged by hand, or write the value out beside the merge key.',
  },
  anchor: {
    why: 'the value has an anchor, and other values use it',
    remedy: 'Write the value out where it is used, or change it for all of them by hand.',
  },
  tag: { why: 'the value has a tag that cannot say the new one', remedy: BY_HAND },
  'no-mapping': { why: 'there is something other than a mapping around the value', remedy: BY_HAND },
  overlapping: { why: 'two edits write the same value', remedy: BY_HAND },
  unwritable: { why: 'YAML cannot say the value', remedy: 'Change the value in the service.' },
  'reads-differently': { why: 'no edit reads as what is live', remedy: BY_HAND },
  'not-declared': {
    why: 'no manifest declares it for this project',
    remedy: 'Declare it with accept --unmanaged, or with only_in.',
  },
  'not-expressible': {
    why: 'no layer of the manifest can say what is live without changing another project',
    remedy: 'Use --layer base to change all projects, or give this project a declaration of its own.',
  },
  'key-in-use': {
    why: 'its key changed in the service, and other declarations or projects use the present one',
    remedy: 'Rename it by hand everywhere, with previous_keys.',
  },
  'changes-others': {
    why: 'it would change what other flags or projects declare',
    remedy: 'Use --layer base to change all projects, or write it by hand.',
  },
  'not-live': {
    why: 'the project lacks it, and nothing tells that it was deleted there',
    remedy: 'Apply creates it. If it was deleted, write deleted: true.',
  },
};

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

type AcceptCounts = Pick<ReportOf<'accept'>, 'accepted' | 'added' | 'left' | 'files'>;

/** `Accepted: 2 flags in 1 file · 1 left.` */
export function acceptSummary({ accepted, added, left, files }: AcceptCounts): string {
  const flags = accepted.length + added.length;
  const rest = left.length === 0 ? '' : ` · ${left.length} left`;
  if (flags === 0) return left.length === 0 ? 'Nothing to accept.' : `Nothing was accepted${rest}.`;
  const verb = files.some(({ status }) => status === 'to_edit' || status === 'to_write') ? 'To accept' : 'Accepted';
  return `${verb}: ${count(flags, 'flag')} in ${count(files.length, 'file')}${rest}.`;
}

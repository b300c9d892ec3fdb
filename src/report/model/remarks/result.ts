/** The remarks of an apply: the changes that were not applied, and the remaining differences. */

import type { ChangeResult, Outcome } from '../../../apply/result.ts';
import type { Change } from '../../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { labelsOf, labelsOfRef } from '../../words/kinds.ts';
import {
  NOT_VERIFIED,
  outcomeErrorText,
  remainderText,
  skipText,
  remedyOf,
  outcomeNotes,
} from '../../words/outcomes.ts';
import type { Remark, RemarkLevel } from './remark.ts';
import { warningOf } from './rules.ts';
import { defined } from '../../../base/optional.ts';

export function resultRemarks({ result }: ReportOf<'result'>): Remark[] {
  return [
    ...result.changes.flatMap(outcomeRemarks),
    ...(result.verified ? [] : [warningOf({ rule: 'not_verified', text: NOT_VERIFIED })]),
    ...result.remainder.map(({ ref, key, path, ...rest }): Remark => {
      const field = path === '' ? '' : `, ${quoteShort(labelsOfRef(ref).field(path))}`;
      return {
        family: 'remainder',
        rule: rest.reason,
        level: 'warning',
        text: `${quoteShort(key)}${field}: ${remainderText({ ref, key, path, ...rest })}.`,
        name: key,
        subject: `${quoteShort(key)}${field}`,
      };
    }),
  ];
}

const LEVELS: Readonly<Record<Exclude<Outcome['outcome'], 'applied'>, RemarkLevel>> = {
  failed: 'error',
  unknown: 'error',
  skipped: 'warning',
  pending: 'warning',
};

function outcomeRemarks({ change, result }: ChangeResult): Remark[] {
  if (result.outcome === 'applied') return [];
  const { key, source } = change;
  return [
    {
      family: 'outcome',
      rule: result.outcome,
      level: LEVELS[result.outcome],
      text: `${changeName(change)}: ${result.outcome}: ${reasonText(result)}`,
      name: key,
      subject: changeName(change),
      ...defined({ place: source, remedy: escapedRemedy(result) }),
    },
  ];
}

/** `update of checkout`, without its outcome. */
export function changeName(change: Change): string {
  return `${change.action} of ${quoteShort(change.key)}${labelsOf(change).target(change, quoteShort)}`;
}

type NotApplied = Exclude<Outcome, { readonly outcome: 'applied' }>;

/** The reason that a change was not applied, as a sentence. */
function reasonText(result: NotApplied): string {
  const reason = result.outcome === 'skipped' ? skipText(result.reason) : outcomeErrorText(result.error);
  return [reason, ...outcomeNotes(result)].map((text) => (/[.!?…]$|^https?:/.test(text) ? text : `${text}.`)).join(' ');
}

function escapedRemedy(result: NotApplied): string | undefined {
  const remedy = remedyOf(result);
  return remedy === undefined ? undefined : escapeLine(remedy);
}

/** The sentences for named people whose answers change by a plan. */

import type { ChangedAnswer, ChangedAnswers, LiveAnswer } from '../../expectations/changed-answers.ts';
import { escapeLine } from '../escape.ts';
import { count } from './count.ts';
import { reasonText, undecidedText, valueText } from './verdicts.ts';

/** `Named people: 2 answers change, of 1 of 5 people in the test files.` */
export function changedAnswersSummary({ people, changed, total }: Omit<ChangedAnswers, 'answers'>): string {
  if (total === 0) return `Named people: no answer changes for ${count(people, 'person', 'people')} in the test files.`;
  const change = total === 1 ? 'answer changes' : 'answers change';
  return `Named people: ${total} ${change}, of ${changed} of ${count(people, 'person', 'people')} in the test files.`;
}

/** `ada: new-checkout off → variant one-page: condition 2 (everyone) matches`. */
export function changedAnswerText(one: ChangedAnswer): string {
  return `${escapeLine(one.person)}: ${escapeLine(one.flag)} ${answersText(one)}`;
}

function answersText({ before, after, payloadChanges }: ChangedAnswer): string {
  if (before.kind === 'undecided' && after.kind === 'undecided') return decidedBy(after);
  if (payloadChanges) return `${shortText(after)}, with another payload`;
  return `${shortText(before)} → ${decidedBy(after)}`;
}

function shortText(given: LiveAnswer): string {
  return given.kind === 'undecided' ? 'undecided' : valueText(given.answer.value);
}

function decidedBy(given: LiveAnswer): string {
  return given.kind === 'undecided'
    ? `undecided, since ${UNDECIDED[given.why]}`
    : `${shortText(given)}: ${reasonText(given.answer)}`;
}

const UNDECIDED: Readonly<Record<Extract<LiveAnswer, { readonly kind: 'undecided' }>['why'], string>> = {
  unknown_format: undecidedText({ code: 'unknown_format' }),
  dependency_unknown: 'it depends on a flag that does not exist or cannot be evaluated',
  filter_unknown: 'it depends on a filter that only the service can decide',
};

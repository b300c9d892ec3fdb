/** Test people whose results change, in words and in a plan. */

import { expect, test } from 'vitest';
import type { ChangedAnswer, ChangedAnswers } from '../../../src/review/expectations/compare-answers.ts';
import { EMPTY_PLAN, VIEW } from '../samples.ts';
import { planText } from '../texts.ts';
import { changedAnswersSummary, changedAnswerText } from '../../../src/report/words/answers.ts';

const ANSWER: ChangedAnswer = {
  person: 'ada',
  flag: 'a',
  before: { kind: 'decided', answer: { value: 'control', reason: 'condition_match', conditions: 1 } },
  after: { kind: 'undecided', why: 'unknown_format' },
  payloadChanges: false,
};

function named(total: number): ChangedAnswers {
  const answers = Array.from({ length: total }, (_, index) => ({ ...ANSWER, person: `p${index}` }));
  return { people: 90, changed: total, total, answers };
}

test('an undecided answer says why', () => {
  const why = 'undecided, since this release does not know the format of its filters';
  expect(changedAnswerText(ANSWER)).toBe(`ada: a variant control → ${why}`);
  expect(changedAnswerText({ ...ANSWER, before: ANSWER.after })).toBe(`ada: a ${why}`);
});

test('names and keys are escaped', () => {
  const text = changedAnswerText({ ...ANSWER, person: 'a\u001B[31m', flag: 'k\n::error::' });
  expect([text.includes('\u001B'), text.includes('\n')]).toEqual([false, false]);
});

test('the summary counts answers and people', () => {
  expect(changedAnswersSummary(named(0))).toBe('no result changes (90 people).');
  expect(changedAnswersSummary(named(1))).toBe('1 result changes (1 of 90 people).');
});

test('20 answers are shown, and the others counted', () => {
  const lines = linesOf(named(25), false);
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('  … 5 more; --verbose lists them');
  expect(linesOf(named(25), true)).toHaveLength(26);
  const cut = { ...named(25), total: 40 };
  expect(linesOf(cut, true).at(-1)).toBe('  … 15 more');
});

/** The section of a plan about named people. */
function linesOf(answers: ChangedAnswers, verbose: boolean): string[] {
  const sections = planText({ kind: 'plan', plan: EMPTY_PLAN, named: answers }, { ...VIEW, verbose }).split('\n\n');
  return sections.find((section) => section.startsWith('Test people whose'))?.split('\n') ?? [];
}

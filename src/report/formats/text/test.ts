/** What `test` found, as text: each expectation that does not hold, with the answer and what decided it. */

import type { Case } from '../../../expectations/verdict.ts';
import type { ReportOf } from '../../report.ts';
import { escapeLine } from '../../escape.ts';
import type { View } from '../../view.ts';
import { testedText } from '../../words/tested.ts';
import { answerText, caseTitle, expectedText, undecidedText, unmet } from '../../words/verdicts.ts';
import { placeText } from './place.ts';
import { joinSections } from './sections.ts';

export function testText(report: ReportOf<'test'>, view: View): string {
  const shown = view.verbose ? report.cases : unmet(report.cases);
  return joinSections([...shown.map((one) => caseLines(one, view)), [testedText(report)]]);
}

/** The place of the expectation, what was expected, and the answer with the condition that decided. */
export function caseLines(one: Case, { palette }: Pick<View, 'palette'>): string[] {
  const { project, place, expected, verdict } = one;
  const paint = verdict.outcome === 'passed' ? palette.add : palette.error;
  const head = `${palette.strong(placeText(place))}  ${paint(verdict.outcome)}  ${caseTitle(one)}  ${palette.dim(escapeLine(project))}`;
  const wanted = `  expected  ${expectedText(expected)}`;
  if (verdict.outcome === 'undecided') return [head, wanted, `  unknown   ${undecidedText(verdict.why)}`];
  const { answer } = verdict;
  const at = answer.condition === undefined ? '' : `  ${palette.dim(placeText(answer.condition.place))}`;
  return [head, wanted, `  got       ${answerText(answer, expected)}${at}`];
}

/** What `test` found, as text: each expectation that does not hold, with the answer and what decided it. */

import type { Case, Verdict } from '../../../expectations/verdict.ts';
import type { ReportOf } from '../../report.ts';
import { escapeLine } from '../../escape.ts';
import type { Palette, View } from '../../view.ts';
import { count } from '../../words/count.ts';
import { testedText } from '../../words/tested.ts';
import {
  answerText,
  attemptText,
  caseTitle,
  expectedText,
  undecidedRemedy,
  undecidedText,
  unmet,
} from '../../words/verdicts.ts';
import { placeText } from './place.ts';
import { joinSections } from './sections.ts';

export function testText(report: ReportOf<'test'>, view: View): string {
  const shown = view.verbose ? report.cases : unmet(report.cases);
  const listed = view.verbose ? shown : shown.slice(0, MOST_SHOWN);
  const rest = shown.length - listed.length;
  const more = rest === 0 ? [] : [[`… and ${rest} more (--verbose lists all, --format json has all)`]];
  return joinSections([...listed.map((one) => caseLines(one, view)), ...more, [testedText(report)]]);
}

const MOST_SHOWN = 100;

/** The place of the expectation, what was expected, and the answer with the condition that decided. */
export function caseLines(one: Case, { palette }: Pick<View, 'palette'>): string[] {
  const { project, place, expected, verdict } = one;
  const paint = verdict.outcome === 'passed' ? palette.add : palette.error;
  const head = `${palette.strong(placeText(place))}  ${paint(verdict.outcome)}  ${caseTitle(one)}  ${palette.dim(escapeLine(project))}`;
  const wanted = `  expected  ${expectedText(expected)}`;
  if (verdict.outcome === 'undecided') {
    const { why } = verdict;
    return [head, wanted, `  unknown   ${undecidedText(why)}`, `  ${palette.dim('→')} ${undecidedRemedy(why)}`];
  }
  const { answer } = verdict;
  const at = answer.condition === undefined ? '' : `  ${palette.dim(placeText(answer.condition.place))}`;
  return [head, wanted, `  got       ${answerText(answer, expected)}${at}`, ...reasonLines(verdict, palette)];
}

function reasonLines(verdict: Exclude<Verdict, { readonly outcome: 'undecided' }>, palette: Palette): string[] {
  if (verdict.outcome === 'passed') return [];
  const { answer } = verdict;
  // That a condition without variants matched is said already.
  const attempts = verdict.attempts.filter(({ result }) => result.kind !== 'matched' || result.variant !== undefined);
  const shown = attempts.slice(0, MOST_ATTEMPTS).map((attempt) => {
    const isDecisive = attempt.condition.number === answer.condition?.number;
    const at = isDecisive ? '' : `  ${palette.dim(placeText(attempt.condition.place))}`;
    return `            ${attemptText(attempt, answer.condition)}${at}`;
  });
  const rest = attempts.length - shown.length;
  return rest === 0 ? shown : [...shown, `            … and ${count(rest, 'more condition')}`];
}

const MOST_ATTEMPTS = 10;

/** What `test` found, as Markdown: the counts, then the expectations that do not hold. */

import type { Outcome } from '../../../expectations/verdict.ts';
import type { ReportOf } from '../../report.ts';
import { PLAIN, type View } from '../../view.ts';
import { testedText } from '../../words/tested.ts';
import { unmet } from '../../words/verdicts.ts';
import { caseLines } from '../text/test.ts';
import { assemble, type Group } from './document.ts';

export function testMarkdown(report: ReportOf<'test'>, view: View): string {
  const parts = ['### Tests', `**${testedText(report)}**`];
  const groups = (['failed', 'undecided'] as const).map((outcome) => groupOf(report, outcome));
  return assemble({ parts, notices: [] }, groups, view);
}

function groupOf({ cases }: ReportOf<'test'>, outcome: Outcome): Group {
  const alike = unmet(cases).filter(({ verdict }) => verdict.outcome === outcome);
  return {
    title: `${alike.length} ${outcome}`,
    language: 'text',
    entries: alike.map((one) => caseLines(one, { palette: PLAIN })),
    isOpen: true,
  };
}

/** The page of an apply: what was not applied first, with the reasons. */

import type { OutcomeKind } from '../../../apply/result.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { PLAIN, type View } from '../../view.ts';
import { blockLines, resultBlocks } from '../text/outcomes.ts';
import { reasonText } from '../text/nothing.ts';
import { nothingSummary, remainderLines, resultHead, resultSummary } from '../text/result.ts';
import { LEFT_HEADING } from '../text/three-way.ts';
import { pageText, type Card } from './page.ts';
import { leftGroup, ofPage, releasedGroup, toCard, withoutColon } from './parts.ts';

export function resultPage(report: ReportOf<'result'>, view: View): string {
  const { result, run, durationMs, attributions } = report;
  const isNothing = result.changes.length === 0;
  const [rest, ...others] = isNothing ? [] : remainderLines(result, PLAIN);
  return pageText({
    words: resultHead(result),
    project: result.project,
    summary: isNothing ? nothingSummary(result) : resultSummary(result, durationMs),
    facts: [
      ...(run === undefined ? [] : [`Recorded as run ${escapeLine(run)}.`]),
      ...(rest === undefined || others.length > 0 ? [] : [rest]),
    ],
    notices: [{ title: withoutColon(rest ?? ''), tone: 'warn', sentences: others.map((line) => line.trim()) }],
    groups: [
      { title: 'Not applied', cards: NOT_APPLIED.flatMap((outcome) => blocksOf(result, outcome, view)) },
      { title: 'Applied', cards: blocksOf(result, 'applied', view) },
      leftGroup(result, withoutColon(LEFT_HEADING), { ...view, authors: { plan: result, attributions } }),
      releasedGroup(result, view),
    ],
  });
}

export function nothingPage({ project, reason }: ReportOf<'nothing'>): string {
  return pageText({ words: reasonText(reason), project, facts: [], notices: [], groups: [] });
}

const NOT_APPLIED = ['failed', 'unknown', 'skipped', 'pending'] as const;

function blocksOf({ changes }: ReportOf<'result'>['result'], outcome: OutcomeKind, view: View): Card[] {
  const alike = changes.filter(({ result }) => result.outcome === outcome);
  return resultBlocks(alike, ofPage(view)).map((block) => ({
    ...toCard(blockLines(block), [outcome]),
    amount: Math.max(1, block.named.length),
  }));
}

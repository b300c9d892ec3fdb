/** The result of a run as Markdown: the changes that were not applied come first, with their reasons. */

import type { ChangeResult } from '../../../apply/result.ts';
import type { ReportOf } from '../../report.ts';
import { PLAIN, type View } from '../../view.ts';
import { codeSpan, heading } from './markup.ts';
import { leftGroup, LEFT_TITLE, releasedGroup } from './three-way.ts';
import { resultBlocks, type ResultBlock } from '../text/outcomes.ts';
import { nothingSummary, remainderLines, resultHead, resultSummary } from '../text/result.ts';
import { reasonText } from '../text/nothing.ts';
import { assemble, type Group } from './document.ts';

export function resultMarkdown({ result, durationMs, run }: ReportOf<'result'>, view: View): string {
  if (result.changes.length === 0) {
    return assemble(
      { parts: [heading(resultHead(result, codeSpan), result), nothingSummary(result)], notices: [] },
      [leftGroup(result, LEFT_TITLE, view), releasedGroup(result)],
      view,
    );
  }
  const plain = { ...view, palette: PLAIN };
  const record = run === undefined ? [] : [`Recorded as run ${codeSpan(run)}.`];
  const applied = result.changes.filter(({ result: { outcome } }) => outcome === 'applied');
  const others = result.changes.filter(({ result: { outcome } }) => outcome !== 'applied');
  const [rest = '', ...remainders] = remainderLines(result, PLAIN);
  return assemble(
    {
      parts: [
        heading(resultHead(result, codeSpan), result),
        `**${resultSummary(result, durationMs)}**`,
        ...record,
        ...(rest === '' || remainders.length > 0 ? [] : [rest]),
      ],
      notices: [],
    },
    [
      { ...blocksOf(others, plain), title: `${others.length} not applied`, isOpen: true },
      { title: rest.replace(/:$/, ''), language: 'text', entries: remainders.map((line) => [line]), isOpen: true },
      { ...blocksOf(applied, plain), title: `${applied.length} applied` },
      leftGroup(result, LEFT_TITLE, view),
      releasedGroup(result),
    ],
    view,
  );
}

export function nothingMarkdown(report: ReportOf<'nothing'>, view: View): string {
  return assemble({ parts: [heading(reasonText(report.reason), report)], notices: [] }, [], view);
}

function blocksOf(changes: readonly ChangeResult[], view: View): Pick<Group, 'language' | 'entries'> {
  return { language: 'text', entries: resultBlocks(changes, view).flatMap(entriesOf) };
}

/** An entry for each change, so that what is left out is counted in changes. The reason is told with the first. */
function entriesOf({ lines, named: [first, ...others] }: ResultBlock): Group['entries'] {
  return first === undefined ? [lines] : [{ name: first, lines: [...lines, first] }, ...others.map((line) => [line])];
}

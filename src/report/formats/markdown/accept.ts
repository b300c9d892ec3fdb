/** What `accept` took over as Markdown, such as the text of a pull request: grouped by who changed the flags in the service. */

import type { AcceptedFlag } from '../../../editing/results.ts';
import { authorsOf } from '../../accept-facts.ts';
import { escapeLine, escapeWholeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { PLAIN, type View } from '../../view.ts';
import { acceptSummary, leftText } from '../../words/accepted.ts';
import { countNamed } from '../../words/count.ts';
import { acceptedLines, baseLines } from '../text/accept.ts';
import { placeText } from '../text/place.ts';
import { assemble, type Group } from './document.ts';
import { codeSpan, heading, shortSpan } from './markup.ts';

export function acceptMarkdown(report: ReportOf<'accept'>, view: View): string {
  const { accepted, added, left, pending } = report;
  const authors = new Map<string, AcceptedFlag[]>();
  for (const flag of accepted) {
    const name = authorName(flag, report);
    authors.set(name, [...(authors.get(name) ?? []), flag]);
  }
  const list = [...authors].map(
    ([name, flags], index) => `${index + 1}. ${countNamed(flags.map(({ key }) => key))} changed by ${name}`,
  );
  return assemble(
    {
      parts: [
        heading('Accept from', report),
        `**${acceptSummary(report)}**`,
        ...baseLines(report, codeSpan),
        ...(list.length > 0 ? [list.join('\n')] : []),
      ],
      notices: [
        { title: 'Left as they are', sentences: left.map((flag) => leftText(flag, shortSpan)) },
        {
          title: 'Not accepted: git changed them after the last apply',
          sentences: pending.map(({ key }) => shortSpan(key)),
        },
      ],
    },
    [
      ...[...authors].map(([, flags], index) => toGroup(flags, { report, view, index })),
      {
        title: `${added.length} declared`,
        language: 'diff',
        entries: added.map(({ key, place }) => [`+ ${escapeLine(key)}  ${placeText(place)}`]),
      },
    ],
    view,
  );
}

/** One author, or several in the order in which they changed the flag. */
function authorName(flag: AcceptedFlag, { attributions }: ReportOf<'accept'>): string {
  const names = authorsOf(flag, attributions).map(({ by, via }) => (by === undefined ? via : codeSpan(by)));
  return names.length === 0 ? 'somebody unknown' : names.join(', ');
}

function toGroup(
  flags: readonly AcceptedFlag[],
  { report, view, index }: { readonly report: ReportOf<'accept'>; readonly view: View; readonly index: number },
): Group {
  return {
    title: `${index + 1}. ${countNamed(flags.map(({ key }) => key))} accepted`,
    language: 'diff',
    entries: flags.map((flag) => {
      const [head = '', ...rest] = acceptedLines(flag, report, { ...view, palette: PLAIN });
      return [`!${head.slice(3)}`, ...rest.map((line) => escapeWholeLine(line.slice(8)))];
    }),
  };
}

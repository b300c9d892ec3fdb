/** The lines of an entry as a format shows them: those that it has, with the line of a file where that can be shown. */

import { maskKeys } from '../../base/api-key.ts';
import type { Place } from '../../base/place.ts';
import { escapeLine } from '../escape.ts';
import type { View } from '../view.ts';
import { toned } from '../phrase.ts';
import type { ReportEntry, ReportLine } from './report-model.ts';

/** `without`: what the format has elsewhere. */
export function shownLines(
  { lines }: Pick<ReportEntry, 'lines'>,
  without: NonNullable<ReportLine['only']>,
  { sourceLine }: Pick<View, 'sourceLine'>,
): ReportLine[] {
  return lines.flatMap((line) => {
    if (line.only === without) return [];
    if (line.excerpt === undefined) return line;
    const written = sourceLine?.(line.excerpt);
    return written === undefined ? [] : excerpt(written, line.excerpt, line.indent);
  });
}

const SOURCE_WIDTH = 100;

function excerpt(written: string, place: Place, indent = 0): ReportLine[] {
  const line = maskKeys(written);
  const start = Math.max(0, place.column - SOURCE_WIDTH + 20);
  // Escaped as a whole: a command to a build log may begin on one side of the caret and end on the other.
  const shown = escapeLine(line.slice(start, start + SOURCE_WIDTH));
  const before = escapeLine(line.slice(start, place.column - 1));
  const gutter = `${place.line}`;
  return [
    { indent, phrase: [toned('dim', `${gutter} |`), ` ${shown}`] },
    {
      indent,
      phrase: [toned('dim', `${' '.repeat(gutter.length)} |`), ` ${' '.repeat(before.length)}`, toned('error', '^')],
    },
  ];
}

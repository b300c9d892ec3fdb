/** Remarks as annotations of GitHub, and a line about the whole. */

import { escapeLine } from '../../escape.ts';
import { count } from '../../words/count.ts';
import { messageText, nameOfRule, REMARK_LEVELS, type Remark, type RemarkLevel } from '../remarks/remark.ts';
import type { Told } from '../remarks/remarks-of.ts';
import { repositoryFile, type View } from '../../view.ts';

const COMMANDS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** GitHub shows the first ten of each command in a step; the others are in its log. */
const MOST_OF_LEVEL = 50;

/** The gravest first; those of one level keep their order. */
export function annotations({ remarks, summary }: Told, view: View): string {
  const of = (level: RemarkLevel): readonly Remark[] => remarks.filter((remark) => remark.level === level);
  const shown = (level: RemarkLevel): string[] =>
    of(level)
      .slice(0, MOST_OF_LEVEL)
      .map((remark) => annotation(remark, view));
  const hidden = REMARK_LEVELS.flatMap((level) => {
    const more = of(level).length - MOST_OF_LEVEL;
    return more > 0 ? count(more, COMMANDS[level]) : [];
  });
  const lines = [
    ...shown('error'),
    ...shown('warning'),
    // Before the other notices: GitHub shows only the first ones.
    ...(hidden.length === 0 ? [] : [hiddenNotice(hidden)]),
    ...shown('note'),
    ...(summary === undefined ? [] : [summary]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function hiddenNotice(counts: readonly string[]): string {
  return `::notice title=more::Not annotated: ${counts.join(', ')} more. The page (--report html=FILE) shows all, the summary (--report markdown=FILE) those that fit.`;
}

function annotation(remark: Remark, view: View): string {
  const { level, place } = remark;
  const where =
    place === undefined ? {} : { file: repositoryFile(place, view), line: `${place.line}`, col: `${place.column}` };
  const properties = Object.entries({ ...where, title: nameOfRule(remark) });
  const listed = properties.map(([name, value]) => `${name}=${escapeProperty(value)}`);
  return `::${COMMANDS[level]} ${listed.join(',')}::${escapeData(messageText(remark))}`;
}

/** GitHub decodes `%0A` and the like, so a literal `%` is encoded. Line breaks are visible escapes already. */
function escapeData(text: string): string {
  return escapeLine(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

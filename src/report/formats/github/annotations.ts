/** Remarks as annotations of GitHub, and a line about the whole. */

import { escapeLine } from '../../escape.ts';
import { messageText, nameOfRule, REMARK_LEVELS, type Remark, type RemarkLevel } from '../../model/remarks/remark.ts';
import type { RemarkList } from '../remarks/forms.ts';
import { listedWithin } from '../remarks/listed.ts';

const COMMANDS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** GitHub shows the first ten of each command in a step; the others are in its log. */
const MOST_OF_LEVEL = 50;

/** The gravest first; those of one level keep their order. */
export function annotations({ remarks, summary }: RemarkList): string {
  const shown = listedWithin(remarks, { total: REMARK_LEVELS.length * MOST_OF_LEVEL, ofSort: MOST_OF_LEVEL });
  const sorted = REMARK_LEVELS.flatMap((level) => shown.filter((remark) => remark.level === level));
  const lines = [...sorted.map(annotation), ...(summary === undefined ? [] : [summary])];
  return lines.map((line) => `${line}\n`).join('');
}

function annotation(remark: Remark): string {
  const { level, place } = remark;
  const where = place === undefined ? {} : { file: place.file, line: `${place.line}`, col: `${place.column}` };
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

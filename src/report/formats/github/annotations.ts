/** Remarks as annotations of GitHub, and a line about the whole. */

import { escapeLine } from '../../escape.ts';
import { nameOfRule, REMARK_LEVELS, wholeText, type Remark, type RemarkLevel } from '../remarks/remark.ts';
import type { Told } from '../remarks/remarks-of.ts';
import { repositoryFile, type View } from '../../view.ts';

/** GitHub shows the first ten of each command. */
const COMMANDS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** The gravest first; the others keep their order. */
export function annotations({ remarks, summary }: Told, view: View): string {
  const sorted = remarks.toSorted((a, b) => REMARK_LEVELS.indexOf(a.level) - REMARK_LEVELS.indexOf(b.level));
  const lines = sorted.map((remark) => annotation(remark, view)).join('');
  return summary === undefined ? lines : `${lines}${summary}\n`;
}

function annotation(remark: Remark, view: View): string {
  const { level, place } = remark;
  const where =
    place === undefined ? {} : { file: repositoryFile(place, view), line: `${place.line}`, col: `${place.column}` };
  const properties = Object.entries({ ...where, title: nameOfRule(remark) });
  const listed = properties.map(([name, value]) => `${name}=${escapeProperty(value)}`);
  return `::${COMMANDS[level]} ${listed.join(',')}::${escapeData(wholeText(remark))}\n`;
}

/** GitHub decodes `%0A` and the like, so a literal `%` is encoded. Line breaks are visible escapes already. */
function escapeData(text: string): string {
  return escapeLine(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

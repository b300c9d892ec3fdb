/** What `promote` copied, as text; with `--patch`, the patch. */

import type { AcceptedFlag } from '../../../editing/results.ts';
import { labelsOf, toFields } from '../../accept-facts.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { keptReason, leftPromotionText, promoteSummary } from '../../words/promoted.ts';
import { changeListLines } from './change.ts';
import { fieldLines } from './fields.ts';
import { filesText } from './files.ts';
import { unwrittenLines } from './unwritten.ts';
import { joinSections } from './sections.ts';

export function promoteText(report: ReportOf<'promote'>, view: View): string {
  if (report.patch !== undefined) return report.patch;
  const { promoted, left, files } = report;
  return joinSections([
    [headText(report, view)],
    changeListLines(promoted.map((flag) => promotedLines(flag, view))),
    keptLines(report, view),
    sameLines(report, view),
    left.flatMap((flag) => unwrittenLines(leftPromotionText(flag), flag.suggestion, view)),
    files.length === 0 ? [] : [filesText({ files }, view).trimEnd()],
    [promoteSummary(report)],
  ]);
}

function headText({ from, to, source }: ReportOf<'promote'>, { palette }: View): string {
  const [first, second] = [from, to].map((name) => palette.strong(escapeLine(name)));
  return `Promote from ${first} to ${second} ${palette.dim(source === 'live' ? '(live flags)' : '(manifests)')}`;
}

const INDENT = ' '.repeat(12);

function promotedLines({ key, changes }: AcceptedFlag, { palette, verbose }: View): string[] {
  const lines = fieldLines(toFields(changes), { labels: labelsOf(key), palette, verbose, places: true });
  return [`  ${palette.change('~ promote')} ${palette.strong(escapeLine(key))}`, ...lines.map((line) => INDENT + line)];
}

/** One line for each value, below the flag that it is of. */
function keptLines(report: ReportOf<'promote'>, { palette, verbose }: View): string[] {
  return report.kept.flatMap((value, index, all) => {
    const { key, path } = value;
    const head = `  ${palette.dim('= keep')} ${palette.strong(escapeLine(key))}`;
    const name = verbose ? path : labelsOf(key).field(path);
    const line = `${INDENT}${escapeLine(name)}  ${palette.dim(keptReason(value, report))}`;
    return all[index - 1]?.key === key ? [line] : [head, line];
  });
}

/** The keys that were named and have no difference. */
function sameLines({ same, to }: ReportOf<'promote'>, { palette, verbose }: View): string[] {
  if (same.length === 0) return [];
  const shown = verbose ? same : same.slice(0, MOST_NAMED);
  const more = same.length === shown.length ? '' : `, and ${same.length - shown.length} more`;
  const names = shown.map((key) => palette.strong(escapeLine(key))).join(', ');
  return [`  ${palette.dim(`= the same already in ${escapeLine(to)}:`)} ${names}${more}`];
}

const MOST_NAMED = 10;

/** What `accept` took over, as text; with `--patch`, the patch. */

import type { AcceptedFlag } from '../../../editing/results.ts';
import { attributionsOf, labelsOf, toFields } from '../../accept-facts.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { acceptSummary, leftText } from '../../words/accepted.ts';
import { attributionText } from '../../words/attributions.ts';
import { baseText, noBaseText } from '../../words/base.ts';
import { keysText } from '../../words/lists.ts';
import { ACCEPT_NOTES } from '../../words/three-way.ts';
import { changeListLines } from './change.ts';
import { fieldLines } from './fields.ts';
import { filesText } from './files.ts';
import { unwrittenLines } from './unwritten.ts';
import { placeText } from './place.ts';
import { joinSections, projectLine } from './sections.ts';

export function acceptText(report: ReportOf<'accept'>, view: View): string {
  if (report.patch !== undefined) return report.patch;
  const { accepted, added, left, pending, files } = report;
  const { palette } = view;
  return joinSections([
    [projectLine('Accept from', report, palette)],
    changeListLines([
      ...accepted.map((flag) => acceptedLines(flag, report, view)),
      ...added.map(({ key, place }) => [
        `  ${palette.add('+ declare')} ${palette.strong(escapeLine(key))}  ${palette.dim(placeText(place))}`,
      ]),
    ]),
    left.flatMap((flag) => unwrittenLines(leftText(flag), flag.suggestion, view)),
    pending.length === 0 ? [] : [palette.dim(pendingText(pending.map(({ key }) => key)))],
    files.length === 0 ? [] : [filesText({ files }, view).trimEnd()],
    [...baseLines(report).map((line) => palette.dim(line)), acceptSummary(report)],
  ]);
}

/** Without a base nothing tells an edit in the service from a change of the manifests that waits for an apply. */
export function baseLines(
  { base }: Pick<ReportOf<'accept'>, 'base'>,
  quote: (text: string) => string = (text) => text,
): string[] {
  if (base === undefined) return [];
  return base.kind === 'commit'
    ? [`Base: ${baseText(base)}.`]
    : [`No base, so every difference counts as an edit in the service: ${quote(noBaseText(base.reason))}.`];
}

const INDENT = ' '.repeat(12);

export function acceptedLines(
  flag: AcceptedFlag,
  { attributions }: Pick<ReportOf<'accept'>, 'attributions'>,
  { palette, verbose }: View,
): string[] {
  const labels = labelsOf(flag.key);
  const lines = fieldLines(toFields(flag.changes), { labels, palette, verbose, places: true, notes: ACCEPT_NOTES });
  const authors = attributionsOf(flag, attributions).map((one) => palette.dim(attributionText(one, quoteShort)));
  const head = `  ${palette.change('~ accept ')} ${palette.strong(escapeLine(flag.key))}`;
  return [head, ...[...lines, ...authors].map((line) => INDENT + line)];
}

/** What git changed waits for an apply. */
export function pendingText(keys: readonly string[]): string {
  return `Not accepted, since git changed them after the last apply, which --pending would undo: ${keysText(keys)}.`;
}

/** The result of an apply as text: each change with its outcome, what still differs, and a summary line. */

import type { ApplyResult, ChangeResult, Outcome, OutcomeKind } from '../../../apply/result.ts';
import type { Remainder } from '../../../engine/remainder.ts';
import { changeHead, changeListLines } from './change.ts';
import { durationText } from '../../words/duration.ts';
import { escapeLine } from '../../escape.ts';
import { fieldLines, type FieldTextOptions } from './fields.ts';
import { inSyncText } from './plan.ts';
import { joinSections, projectLine } from './sections.ts';
import { outcomeRemedy, skipRemedy } from '../../words/remedies.ts';
import { wasAlready } from '../../outcome.ts';
import type { ReportOf } from '../../report.ts';
import type { Paint, Palette, View } from '../../view.ts';
import { count } from '../../words/count.ts';
import { outcomeErrorText, remainderText, skipText } from '../../words/outcomes.ts';
import { labelsOf, labelsOfRef } from '../../words/kinds.ts';

const MARKS: Readonly<Record<OutcomeKind, string>> = {
  applied: '✓',
  failed: '✗',
  skipped: '○',
  pending: '…',
  unknown: '?',
};
const INDENT = ' '.repeat(6);

export function resultText({ result, durationMs }: ReportOf<'result'>, view: View): string {
  if (result.changes.length === 0) {
    return joinSections([[projectLine('Nothing to apply to', result, view.palette)], [inSyncText(result.summary)]]);
  }
  const sections = [
    [projectLine('Applied to', result, view.palette)],
    changeListLines(result.changes.map((change) => changeResultLines(change, view))),
    remainderLines(result, view.palette),
    [resultSummary(result, durationMs)],
  ];
  return joinSections(sections);
}

/** A change with its outcome; if it was not applied, the reason is below. */
export function changeResultLines({ change, result }: ChangeResult, options: View): string[] {
  const paint = outcomePaint(result.outcome, options.palette);
  const head = `  ${paint(MARKS[result.outcome])} ${changeHead(change, options.palette)}`;
  if (result.outcome === 'applied') return [result.already === true ? `${head}  already up to date` : head];
  const lines = outcomeLines(result, { ...options, labels: labelsOf(change) });
  return [`${head}  ${paint(result.outcome)}`, ...lines.map((line) => INDENT + line)];
}

function outcomeLines(
  result: Exclude<Outcome, { outcome: 'applied' }>,
  options: View & Pick<FieldTextOptions, 'labels'>,
): string[] {
  const { palette } = options;
  if (result.outcome !== 'skipped') {
    const remedy = outcomeRemedy(result.error);
    return [
      ...unknownLine(result),
      outcomeErrorText(result.error),
      ...(remedy === undefined ? [] : [palette.dim(remedy)]),
    ];
  }
  const { reason } = result;
  const remedy = skipRemedy(reason);
  const moved = reason.code === 'stale' ? fieldLines(reason.moved, { ...options, places: false }) : [];
  return [
    skipText(reason),
    ...moved.map((line) => `  ${line}`),
    ...(remedy === undefined ? [] : [palette.dim(remedy)]),
  ];
}

function unknownLine(result: Outcome): string[] {
  return result.outcome === 'unknown'
    ? ['The answer was lost: the change may have been applied. The next plan shows whether it was.']
    : [];
}

function remainderLines(result: ApplyResult, palette: Palette): string[] {
  if (!result.verified) {
    return [
      palette.warning(
        'Not verified: the project was not read again after the changes. The next plan shows what is live.',
      ),
    ];
  }
  if (result.remainder.length === 0) return [];
  return [
    palette.warning(`Still different after apply (${count(result.remainder.length, 'value')}):`),
    ...result.remainder.map((rest) => `  ${remainderHead(rest, palette)}: ${remainderText(rest)}`),
  ];
}

function remainderHead({ ref, key, path }: Remainder, palette: Palette): string {
  const words = [palette.strong(escapeLine(key))];
  if (path !== '') words.push(escapeLine(labelsOfRef(ref).field(path)), palette.dim(escapeLine(path)));
  return words.join('  ');
}

/** `Applied 3 of 5 changes: 1 failed, 1 skipped · 12 requests · 1.2 s`. */
function resultSummary(result: ApplyResult, durationMs: number): string {
  const { outcomes } = result;
  const others = (['failed', 'skipped', 'pending', 'unknown'] as const).filter((kind) => outcomes[kind] > 0);
  const tail = others.length === 0 ? '' : `: ${others.map((kind) => `${outcomes[kind]} ${kind}`).join(', ')}`;
  const total = result.changes.length;
  const already = result.changes.filter(wasAlready).length;
  if (already === total) return `Nothing left to do: ${count(total, 'change')} already up to date`;
  const head =
    others.length === 0
      ? `Applied ${count(total, 'change')}${already === 0 ? '' : `, ${already} of them already up to date`}`
      : `Applied ${outcomes.applied} of ${count(total, 'change')}`;
  return [`${head}${tail}`, count(result.requests, 'request'), durationText(durationMs)].join(' · ');
}

function outcomePaint(outcome: OutcomeKind, palette: Palette): Paint {
  switch (outcome) {
    case 'applied':
      return palette.add;
    case 'failed':
    case 'unknown':
      return palette.error;
    case 'skipped':
    case 'pending':
      return palette.warning;
  }
}

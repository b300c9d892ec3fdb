/** The result of an apply as text: each change with its outcome, what still differs, and a summary line. */

import type { ApplyResult, ChangeResult } from '../../../apply/result.ts';
import type { Remainder } from '../../../engine/remainder.ts';
import { changeListLines } from './change.ts';
import { durationText } from '../../words/duration.ts';
import { escapeLine } from '../../escape.ts';
import { blockLines, resultBlocks } from './outcomes.ts';
import { inSyncText, leftSummary } from './plan.ts';
import { joinSections, projectLine } from './sections.ts';
import { LEFT_HEADING, leftLines, releasedLines } from './three-way.ts';
import { wasAlready } from '../../outcome.ts';
import type { ReportOf } from '../../report.ts';
import type { Palette, View } from '../../view.ts';
import { changesNote, resourcesAmong } from '../../words/amounts.ts';
import { count } from '../../words/count.ts';
import { NOT_VERIFIED, remainderText } from '../../words/outcomes.ts';
import { labelsOfRef } from '../../words/kinds.ts';

export function resultText({ result, durationMs, attributions }: ReportOf<'result'>, view: View): string {
  const left = leftLines(result.left, LEFT_HEADING, { ...view, authors: { plan: result, attributions } });
  if (result.changes.length === 0) {
    return joinSections([
      [projectLine(resultHead(result), result, view.palette)],
      left,
      releasedLines(result, view),
      [nothingSummary(result)],
    ]);
  }
  const sections = [
    [projectLine(resultHead(result), result, view.palette)],
    changeListLines(resultBlocks(failuresLast(result.changes), view).map(blockLines)),
    remainderLines(result, view.palette),
    left,
    releasedLines(result, view),
    [resultSummary(result, durationMs)],
  ];
  return joinSections(sections);
}

/** What is said before the name of the project. */
export function resultHead(
  { changes, undoes, off }: Pick<ApplyResult, 'changes' | 'undoes' | 'off'>,
  quote = escapeLine,
): string {
  if (off !== undefined) return changes.every(isMade) ? 'Turned off in' : 'Not everything was turned off in';
  if (undoes !== undefined) return `Undo of run ${quote(undoes)} in`;
  return changes.length === 0 ? 'Nothing to apply to' : 'Applied to';
}

function isMade({ result }: ChangeResult): boolean {
  return result.outcome === 'applied';
}

/** Of a run without changes. */
export function nothingSummary(result: Pick<ApplyResult, 'summary' | 'left' | 'leftOut'>): string {
  const { summary, left, leftOut = [] } = result;
  return left === undefined ? inSyncText(summary, resourcesAmong(leftOut)) : leftSummary('Nothing applied', result);
}

/** A reader of a long log looks at its end. */
function failuresLast(changes: readonly ChangeResult[]): readonly ChangeResult[] {
  return [...changes.filter(isMade), ...changes.filter((change) => !isMade(change))];
}

export function remainderLines(result: ApplyResult, palette: Palette): string[] {
  if (!result.verified) return [palette.warning(NOT_VERIFIED)];
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

/** `Applied 3 of 5 changes: 1 failed, 1 skipped · 12 requests · 1.2 s`; of an undo, `Undid 3 changes`. */
export function resultSummary(result: ApplyResult, durationMs: number): string {
  const { outcomes } = result;
  const others = (['failed', 'skipped', 'pending', 'unknown'] as const).filter((kind) => outcomes[kind] > 0);
  const tail = others.length === 0 ? '' : `: ${others.map((kind) => `${outcomes[kind]} ${kind}`).join(', ')}`;
  const total = result.changes.length;
  const kinds = changesNote(result.changes.map(({ change }) => change));
  const already = result.changes.filter(wasAlready).length;
  if (already === total) {
    const isDone = result.verified && result.remainder.length === 0;
    return `${isDone ? 'Nothing left to do: ' : ''}${count(total, 'change')}${kinds} already up to date`;
  }
  const verb = result.undoes === undefined ? 'Applied' : 'Undid';
  const head =
    others.length === 0
      ? `${verb} ${count(total, 'change')}${kinds}${already === 0 ? '' : `, ${already} of them already up to date`}`
      : `${verb} ${outcomes.applied} of ${count(total, 'change')}${kinds}`;
  return [`${head}${tail}`, count(result.requests, 'request'), durationText(durationMs)].join(' · ');
}

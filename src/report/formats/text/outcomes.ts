/** Changes with their outcomes as text; changes that were not applied for the same reason are folded into one block. */

import type { ChangeResult, Outcome, OutcomeKind } from '../../../apply/result.ts';
import type { Paint, Palette, View } from '../../view.ts';
import { count } from '../../words/count.ts';
import { labelsOf } from '../../words/kinds.ts';
import { outcomeErrorText, outcomeNotes, skipText } from '../../words/outcomes.ts';
import { remedyOf } from '../../words/remedies.ts';
import { changeHead } from './change.ts';
import { fieldLines, type FieldTextOptions } from './fields.ts';

const MARKS: Readonly<Record<OutcomeKind, string>> = {
  applied: '✓',
  failed: '✗',
  skipped: '○',
  pending: '…',
  unknown: '?',
};
const INDENT = ' '.repeat(6);

/** A change, or several with the same outcome for the same reason. */
export interface ResultBlock {
  readonly lines: readonly string[];
  /** Of several changes: a line for each of them, which follow the others. */
  readonly named: readonly string[];
}

/** Each change or folded block, in the plan's order. A block has the place of its first change. */
export function resultBlocks(changes: readonly ChangeResult[], view: View): readonly ResultBlock[] {
  const alike = new Map<string, ChangeResult[]>();
  for (const [index, change] of changes.entries()) {
    const reason = foldingKey(change, view) ?? String(index);
    const others = alike.get(reason);
    if (others === undefined) alike.set(reason, [change]);
    else others.push(change);
  }
  return [...alike.values()].map((group) => {
    const [first] = group;
    return first !== undefined && group.length === 1
      ? { lines: changeResultLines(first, view), named: [] }
      : foldedBlock(group, view);
  });
}

export function blockLines({ lines, named }: ResultBlock): readonly string[] {
  return [...lines, ...named];
}

/** Changes with the same one are folded, and all of them named: outcome, reason and remedy are the same. */
function foldingKey({ change, result }: ChangeResult, view: View): string | undefined {
  if (result.outcome === 'applied') return undefined;
  return [result.outcome, ...outcomeLines(result, { ...view, labels: labelsOf(change) })].join('\n');
}

function foldedBlock(group: readonly ChangeResult[], view: View): ResultBlock {
  const [{ change, result } = {}] = group;
  if (change === undefined || result === undefined || result.outcome === 'applied') return { lines: [], named: [] };
  const { palette } = view;
  const paint = outcomePaint(result.outcome, palette);
  const lines = outcomeLines(result, { ...view, labels: labelsOf(change) }, group.length);
  return {
    lines: [
      `  ${paint(MARKS[result.outcome])} ${count(group.length, 'change')}  ${paint(result.outcome)}`,
      ...lines.map((line) => INDENT + line),
    ],
    named: group.map((one) => `${INDENT}  ${changeHead(one.change, palette)}`),
  };
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
  changes = 1,
): string[] {
  const { palette } = options;
  if (result.outcome !== 'skipped') {
    const remedy = remedyOf(result);
    return [
      ...unknownLine(result),
      outcomeErrorText(result.error, changes),
      ...outcomeNotes(result),
      ...(remedy === undefined ? [] : [palette.dim(remedy)]),
    ];
  }
  const { reason } = result;
  const remedy = remedyOf(result);
  const moved = reason.code === 'stale' ? fieldLines(reason.moved, { ...options, places: false }) : [];
  return [
    skipText(reason),
    ...outcomeNotes(result),
    ...moved.map((line) => `  ${line}`),
    ...(remedy === undefined ? [] : [palette.dim(remedy)]),
  ];
}

function unknownLine(result: Outcome): string[] {
  return result.outcome === 'unknown' && result.error.code !== 'name_shared'
    ? ['The answer was lost: the change may have been applied. The next plan shows whether it was.']
    : [];
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

/** Changes with their outcomes as entries; changes that were not applied for the same reason are one. */

import type { ChangeResult, Outcome, OutcomeKind } from '../../apply/result.ts';
import type { Labels } from '../../engine/labels.ts';
import { count } from '../words/amounts.ts';
import { labelsOf } from '../words/kinds.ts';
import { outcomeErrorText, skipText, remedyOf, outcomeNotes } from '../words/outcomes.ts';
import { changeHead, linesOf } from './change.ts';
import { fieldLines } from './fields.ts';
import { plainText, toned, type Tone } from './phrase.ts';
import type { ReportEntry, ReportLine } from './report-model.ts';

const MARKS: Readonly<Record<OutcomeKind, readonly [sign: string, tone: Tone]>> = {
  applied: ['✓', 'add'],
  failed: ['✗', 'error'],
  skipped: ['○', 'warning'],
  pending: ['…', 'warning'],
  unknown: ['?', 'error'],
};

/** Each change, or several with the same outcome for the same reason, in the plan's order. An entry has the place of its first change. */
export function outcomeEntries(changes: readonly ChangeResult[], verbose: boolean): readonly ReportEntry[] {
  const alike = new Map<string, ChangeResult[]>();
  for (const [index, change] of changes.entries()) {
    const reason = foldingKey(change, verbose) ?? String(index);
    const others = alike.get(reason);
    if (others === undefined) alike.set(reason, [change]);
    else others.push(change);
  }
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return group.length === 1 ? outcomeEntry(first, verbose) : foldedEntry(first, group, verbose);
  });
}

/** Changes with the same one are folded, and all of them named: outcome, reason and remedy are the same. */
function foldingKey({ change, result }: ChangeResult, verbose: boolean): string | undefined {
  if (result.outcome === 'applied') return undefined;
  const lines = reasonLines(result, { labels: labelsOf(change), verbose });
  return [result.outcome, ...lines.map(({ phrase, indent = 0 }) => `${indent} ${plainText(phrase)}`)].join('\n');
}

function foldedEntry({ change, result }: ChangeResult, group: readonly ChangeResult[], verbose: boolean): ReportEntry {
  const [sign, tone] = MARKS[result.outcome];
  return {
    head: [toned(tone, sign), ` ${count(group.length, 'change')}  `, toned(tone, result.outcome)],
    lines: isMade(result) ? [] : reasonLines(result, { labels: labelsOf(change), verbose }, group.length),
    named: group.map((one) => changeHead(one.change)),
    kinds: [result.outcome],
  };
}

/** The lines below give the reason if it was not applied. */
export function outcomeEntry({ change, result }: ChangeResult, verbose: boolean): ReportEntry {
  const [sign, tone] = MARKS[result.outcome];
  const head = [toned(tone, sign), ' ', ...changeHead(change)];
  const kinds = [result.outcome];
  if (isMade(result))
    return { head: result.already === true ? [...head, '  already up to date'] : head, lines: [], kinds };
  const lines = reasonLines(result, { labels: labelsOf(change), verbose });
  return { head: [...head, '  ', toned(tone, result.outcome)], lines, kinds };
}

type MadeOutcome = Extract<Outcome, { readonly outcome: 'applied' }>;

function isMade(result: Outcome): result is MadeOutcome {
  return result.outcome === 'applied';
}

function reasonLines(
  result: Exclude<Outcome, MadeOutcome>,
  { labels, verbose }: { readonly labels: Labels; readonly verbose: boolean },
  changes = 1,
): ReportLine[] {
  const remedy = remedyOf(result);
  const last = remedy === undefined ? [] : linesOf([[toned('dim', remedy)]]);
  if (result.outcome !== 'skipped') {
    return [
      ...linesOf([...lostTexts(result), outcomeErrorText(result.error, changes), ...outcomeNotes(result)]),
      ...last,
    ];
  }
  const { reason } = result;
  const moved = reason.code === 'stale' ? fieldLines(reason.moved, { labels, verbose, places: false }) : [];
  return [
    ...linesOf([skipText(reason), ...outcomeNotes(result)]),
    ...moved.map((line) => ({ ...line, indent: (line.indent ?? 0) + 2 })),
    ...last,
  ];
}

/** Codes of unknown outcomes after an answer that was not lost. */
const ANSWERED: ReadonlySet<string> = new Set(['name_shared', 'not_verified']);

function lostTexts(result: Outcome): string[] {
  return result.outcome === 'unknown' && !ANSWERED.has(result.error.code)
    ? ['The answer was lost: the change may have been applied. The next plan shows whether it was.']
    : [];
}

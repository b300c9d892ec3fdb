/** The models of an apply and of a run with nothing to do, and the entries of changes with their outcomes. */

import type { ApplyResult, ChangeResult, Outcome, OutcomeKind } from '../../apply/result.ts';
import { ifGiven } from '../../base/optional.ts';
import type { Remainder } from '../../engine/diff.ts';
import type { Labels } from '../../engine/labels.ts';
import { escapeLine } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { labelsOfRef, labelsOf } from '../words/kinds.ts';
import { NOT_VERIFIED, remainderText, outcomeErrorText, skipText, remedyOf, outcomeNotes } from '../words/outcomes.ts';
import { nothingText, resultSummary } from '../words/summaries.ts';
import { authoredLeft, authorNotice } from './authors.ts';
import { BLOCKS, changeHead, linesOf } from './change.ts';
import { fieldLines } from './fields.ts';
import { toned, type Phrase, plainText, type Tone } from '../phrase.ts';
import { resultRemarks } from './remarks/result.ts';
import type { ReportGroup, ReportPage, ReportModel, RunStanding, ReportEntry, ReportLine } from './report-model.ts';
import { LEFT, leftGroup, releasedGroup } from './three-way.ts';

export function resultModel(report: ReportOf<'result'>, verbose: boolean): ReportModel {
  const { result, durationMs } = report;
  return {
    command: result.off !== undefined ? 'off' : result.undoes === undefined ? 'apply' : 'undo',
    title: { words: titleOf(result), project: result.project },
    summary: resultSummary(result, durationMs),
    standing: standingOf(result),
    page: () => resultPage(report, verbose),
    remarks: () => resultRemarks(report),
  };
}

/** What was not read back is not known to be as planned. */
function standingOf({ outcomes, changes, remainder, verified, leftOut = [] }: ApplyResult): RunStanding {
  if (outcomes.failed + outcomes.unknown > 0) return 'bad';
  const isWhole = outcomes.applied === changes.length && remainder.length + leftOut.length === 0;
  return isWhole && (verified || changes.length === 0) ? 'good' : 'warning';
}

export function nothingModel({ project, reason }: ReportOf<'nothing'>): ReportModel {
  return {
    command: COMMANDS_OF_NOTHING[reason.code],
    title: { words: nothingText(reason), project },
    page: () => ({ facts: [], notices: [], groups: [] }),
  };
}

const COMMANDS_OF_NOTHING: Readonly<Record<ReportOf<'nothing'>['reason']['code'], string>> = {
  nothing_to_resume: 'apply',
  run_changed_nothing: 'undo',
  already_off: 'off',
};

function titleOf({ changes, undoes, off }: ApplyResult): Phrase {
  if (off !== undefined) {
    const kinds = new Set(changes.map(({ result }) => result.outcome));
    kinds.delete('applied');
    if (kinds.size === 0) return 'Turned off in';
    return kinds.size === 1 && kinds.has('unknown')
      ? 'Not everything is known to be off in'
      : 'Not everything was turned off in';
  }
  if (undoes !== undefined) return ['Undo of run ', { code: undoes }, ' in'];
  return changes.length === 0 ? 'Nothing to apply to' : 'Applied to';
}

function resultPage({ result, run, attributions }: ReportOf<'result'>, verbose: boolean): ReportPage {
  const authors = attributions && { plan: result, attributions };
  const isMade = result.changes.length > 0;
  const applied = result.changes.filter((one) => one.result.outcome === 'applied');
  const others = result.changes.filter((one) => one.result.outcome !== 'applied');
  return {
    facts: [
      ...(run === undefined ? [] : [{ about: 'recorded', phrase: ['Recorded as run ', { code: run }, '.'] } as const]),
      ...(isMade && !result.verified
        ? [{ about: 'unverified', phrase: [toned('caution', NOT_VERIFIED)] } as const]
        : []),
    ],
    notices: [...ifGiven(authors, (known) => authorNotice(authoredLeft(result), known))],
    groups: [
      { ...outcomeGroup({ title: 'Not applied', counted: 'not applied' }, others, verbose), isGrave: true },
      remainderGroup(isMade && result.verified ? result.remainder : []),
      outcomeGroup({ title: 'Applied', counted: 'applied' }, applied, verbose),
      ...ifGiven(result.left, (left) => leftGroup(left, LEFT, { verbose, authors })),
      ...ifGiven(result.released, releasedGroup),
    ],
  };
}

function outcomeGroup(
  { title, counted }: { readonly title: string; readonly counted: string },
  changes: readonly ChangeResult[],
  verbose: boolean,
): ReportGroup {
  return {
    about: 'changes',
    title,
    counted: `${changes.length} ${counted}`,
    ...BLOCKS,
    spacing: 'around',
    entries: outcomeEntries(changes, verbose),
  };
}

function remainderGroup(remainder: readonly Remainder[]): ReportGroup {
  return {
    about: 'remainder',
    title: `Still different after apply (${count(remainder.length, 'value')})`,
    isHeaded: true,
    isNotice: true,
    isGrave: true,
    tone: 'warning',
    ...BLOCKS,
    entries: remainder.map((rest) => ({ head: remainderHead(rest), lines: [] })),
  };
}

function remainderHead(rest: Remainder): Phrase {
  const { ref, key, path } = rest;
  const field = path === '' ? [] : [`  ${escapeLine(labelsOfRef(ref).field(path))}  `, toned('dim', escapeLine(path))];
  return [toned('strong', escapeLine(key)), ...field, `: ${remainderText(rest)}`];
}

const MARKS: Readonly<Record<OutcomeKind, readonly [sign: string, tone: Tone]>> = {
  applied: ['✓', 'add'],
  failed: ['✗', 'error'],
  skipped: ['○', 'warning'],
  pending: ['…', 'warning'],
  unknown: ['?', 'error'],
};

/** Returns an entry for each change, or for several with the same outcome and reason, at the place of the first in the plan. */
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

/** Changes with the same key have the same outcome, reason and remedy, and are folded into one entry that names them all. */
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

/** The lines of the entry give the reason if the change was not applied. */
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

/** Codes of unknown outcomes of which the answer was not lost. */
const ANSWERED: ReadonlySet<string> = new Set(['name_shared', 'not_verified']);

function lostTexts(result: Outcome): string[] {
  return result.outcome === 'unknown' && !ANSWERED.has(result.error.code)
    ? ['The answer was lost: the change may have been applied. The next plan shows whether it was.']
    : [];
}

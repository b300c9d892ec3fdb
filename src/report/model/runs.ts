/** The models of runs: of the result of one, and of those that the journal has. */

import type { Actor } from '../../apply/origin.ts';
import type { ApplyResult, ChangeResult, OutcomeKind } from '../../apply/result.ts';
import { groupBy } from '../../base/group.ts';
import { defined, ifGiven } from '../../base/optional.ts';
import type { Remainder } from '../../engine/diff.ts';
import type { SwitchOff } from '../../engine/plan.ts';
import type { Change } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { type Phrase, plainText, type Tone, toned } from '../phrase.ts';
import type { ReportOf } from '../report.ts';
import {
  countRecorded,
  isUndoable,
  outcomeOf,
  type RecordedChange,
  type RecordedOutcome,
  type RecordedRun,
  stateOf,
  wasAlready,
} from '../run-record.ts';
import { changesNote, count, keysText, timeText } from '../words/amounts.ts';
import { labelsOf, labelsOfRef } from '../words/kinds.ts';
import { reasonTail } from '../words/authors.ts';
import { NOT_VERIFIED, outcomeErrorText, outcomeNotes, remainderText, remedyOf, skipText } from '../words/outcomes.ts';
import { nothingText, resultSummary } from '../words/summaries.ts';
import { activityNote } from '../words/ways-out.ts';
import { authoredLeft, authorNotice, LEFT, leftGroup, releasedGroup } from './three-way.ts';
import { BLOCKS, changeHead, linesOf } from './change.ts';
import { fieldLines } from './fields.ts';
import type {
  ReportEntry,
  ReportFact,
  ReportGroup,
  ReportLine,
  ReportModel,
  ReportPage,
  RunStanding,
} from './report-model.ts';
import { resultRemarks } from './run-remarks.ts';

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
    page: () => ({}),
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
  const remainder = isMade && result.verified ? result.remainder : [];
  const applied = result.changes.filter((one) => one.result.outcome === 'applied');
  const others = result.changes.filter((one) => one.result.outcome !== 'applied');
  return {
    facts: [
      ...ifGiven(run, (name): ReportFact => ({ about: 'recorded', phrase: ['Recorded as run ', { code: name }, '.'] })),
      ...(isMade && !result.verified
        ? [{ about: 'unverified', phrase: [toned('caution', NOT_VERIFIED)] } as const]
        : []),
    ],
    notices: [...ifGiven(authors, (known) => authorNotice(authoredLeft(result), known))],
    groups: [
      { ...outcomeGroup('Not applied', others, verbose), prominence: 'grave' },
      {
        place: 'unmade',
        title: `Still different after apply (${count(remainder.length, 'value')})`,
        prominence: 'notice',
        ...BLOCKS,
        entries: remainder.map((rest) => ({ head: remainderHead(rest) })),
      },
      outcomeGroup('Applied', applied, verbose),
      ...ifGiven(result.left, (left) => leftGroup(left, LEFT, { verbose, authors })),
      ...ifGiven(result.released, releasedGroup),
    ],
  };
}

function outcomeGroup(title: string, changes: readonly ChangeResult[], verbose: boolean): ReportGroup {
  return {
    title,
    counted: `${changes.length} ${title.toLowerCase()}`,
    ...BLOCKS,
    spacing: 'around',
    entries: outcomeEntries(changes, verbose),
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
  // Changes with the same outcome, reason and remedy are folded into one entry that names them all.
  const alike = groupBy(changes, (change, index) => {
    const { outcome } = change.result;
    const lines = reasonLines(change, verbose).map(({ phrase, indent = 0 }) => `${indent} ${plainText(phrase)}`);
    return outcome === 'applied' ? String(index) : [outcome, ...lines].join('\n');
  });
  return [...alike.values()].map((group) => {
    const [first] = group as [ChangeResult];
    return group.length === 1 ? outcomeEntry(first, verbose) : foldedEntry(first, group, verbose);
  });
}

function foldedEntry(first: ChangeResult, group: readonly ChangeResult[], verbose: boolean): ReportEntry {
  const { outcome } = first.result;
  const [sign, tone] = MARKS[outcome];
  return {
    head: [toned(tone, sign), ` ${count(group.length, 'change')}  `, toned(tone, outcome)],
    lines: reasonLines(first, verbose, group.length),
    named: group.map((one) => changeHead(one.change)),
    kinds: [outcome],
  };
}

/** The lines of the entry give the reason if the change was not applied. */
function outcomeEntry(one: ChangeResult, verbose: boolean): ReportEntry {
  const { outcome } = one.result;
  const [sign, tone] = MARKS[outcome];
  const after = outcome !== 'applied' ? ['  ', toned(tone, outcome)] : wasAlready(one) ? ['  already up to date'] : [];
  return {
    head: [toned(tone, sign), ' ', ...changeHead(one.change), ...after],
    lines: reasonLines(one, verbose),
    kinds: [outcome],
  };
}

function reasonLines({ change, result }: ChangeResult, verbose: boolean, changes = 1): ReportLine[] {
  if (result.outcome === 'applied') return [];
  const remedy = remedyOf(result);
  const last = remedy === undefined ? [] : linesOf([[toned('dim', remedy)]]);
  if (result.outcome !== 'skipped') {
    const isLost = result.outcome === 'unknown' && !ANSWERED.has(result.error.code);
    const lost = isLost
      ? ['The answer was lost: the change may have been applied. The next plan shows whether it was.']
      : [];
    return [...linesOf([...lost, outcomeErrorText(result.error, changes), ...outcomeNotes(result)]), ...last];
  }
  const { reason } = result;
  const options = { labels: labelsOf(change), verbose, places: false };
  const moved = reason.code === 'stale' ? fieldLines(reason.moved, options) : [];
  return [...linesOf([skipText(reason), ...outcomeNotes(result)]), ...indented(moved), ...last];
}

function indented(lines: readonly ReportLine[]): ReportLine[] {
  return lines.map((line) => ({ ...line, indent: (line.indent ?? 0) + 2 }));
}

/** Codes of unknown outcomes of which the answer was not lost. */
const ANSWERED: ReadonlySet<string> = new Set(['name_shared', 'not_verified']);

/** Two or three lines for each run, since its name is never cut. */
export function historyModel({ history }: ReportOf<'history'>): ReportModel {
  const { folder, runs, unreadable, apart, more } = history;
  const note = (text: string): ReportFact => ({ about: 'note', phrase: [toned('dim', text)] });
  const listOf = (entries: readonly ReportEntry[]): ReportGroup => ({
    title: '',
    form: 'blocks',
    indent: { head: 0, lines: 2 },
    entries,
  });
  return {
    page: () => ({
      facts: [
        runs.length === 0
          ? { about: 'origin', phrase: `No run is recorded in ${escapeLine(folder)}.` }
          : note('To see edits of people too: flagwright flags activity KEY'),
        ...(more ? [note('… older runs are not shown; --limit N shows more')] : []),
      ],
      groups: [
        listOf(runs.map(summaryEntry)),
        listOf(
          unreadable.map(({ name, problem }) => ({
            head: [toned('warning', 'unreadable'), `  ${escapeLine(name)}  ${escapeLine(problem.message)}`],
          })),
        ),
        listOf(
          apart.map((names) => ({
            head: [
              toned('warning', 'note'),
              `  ${names.map((name) => escapeLine(name)).join(', ')} were recorded independently: none of them follows another. undo and apply --resume need the name of one.`,
            ],
          })),
        ),
      ],
    }),
  };
}

function summaryEntry(run: RecordedRun): ReportEntry {
  const origin = originTexts(run);
  return {
    head: [toned('strong', run.name), `  ${timeText(run.startedAt)}  ${escapeLine(run.project.name)}`],
    lines: linesOf([
      [
        ...[stateOf(run), run.changes.length === 0 ? 'nothing to write' : countsText(run)],
        ...(isUndoable(run) || run.changes.length === 0 ? [] : ['nothing to undo']),
      ].join(' · '),
      ...(run.undoes === undefined ? [] : [`undo of ${escapeLine(run.undoes)}`]),
      ...(run.off === undefined ? [] : [offText(run.off)]),
      ...(origin.length === 0 ? [] : [[toned('dim', origin.join(' · '))]]),
    ]),
  };
}

/** `off: incident 7; was off already: checkout`. */
function offText({ reason, already = [] }: SwitchOff): string {
  const kept = already.length === 0 ? '' : `; already off, and kept off: ${keysText(already.map(({ key }) => key))}`;
  return `off${reasonTail(defined({ reason }), quoteShort)}${kept}`;
}

/** `by ana@laptop`, `commit 1a2b3c4d5e6f`. */
function originTexts({ actor, commit }: RecordedRun): string[] {
  return [
    ...ifGiven(actor, (by) => `by ${actorText(by)}`),
    ...ifGiven(commit, (id) => `commit ${quoteShort(id.slice(0, 12))}`),
  ];
}

function actorText({ name, host, ci }: Actor): string {
  if (host !== undefined) return quoteShort(`${name}@${host}`);
  return ci === undefined ? quoteShort(name) : `${quoteShort(name)} in ${quoteShort(ci)}`;
}

/** One run with the outcome of each change, and the written values, from → to. */
export function runModel({ run }: ReportOf<'run'>, verbose: boolean): ReportModel {
  const ended = run.endedAt === undefined ? 'not finished' : `ended ${timeText(run.endedAt)}`;
  const url = run.actor?.url;
  const facts = [
    [`started ${timeText(run.startedAt)}`, ended, stateOf(run)],
    run.undoes === undefined ? [] : [`undo of ${escapeLine(run.undoes)}`],
    run.off === undefined ? [] : [`off${reasonTail(run.off, quoteShort)}`],
    originTexts(run),
    url === undefined ? [] : [escapeLine(url)],
    ...run.changes
      .filter(({ change }) => change.resource === 'flag')
      .slice(0, 1)
      .map(({ change }) => [activityNote(change.key, run.project.name)]),
  ].filter((parts) => parts.length > 0);
  return {
    title: { words: `Run ${run.name} in`, project: run.project },
    summary: countsText(run),
    page: () => ({
      facts: facts.map((parts) => ({ about: 'origin', phrase: [toned('dim', parts.join(' · '))] })),
      groups: [recordedGroup(run.changes.map((change) => recordedEntry(change, verbose)))],
    }),
  };
}

/** The changes that the resumed run still has to make or to look up. */
export function resumingModel({ run }: ReportOf<'resuming'>): ReportModel {
  const open = run.changes.filter((change) => outcomeOf(change) !== 'applied');
  return {
    title: { words: `Resuming run ${run.name} in`, project: run.project },
    summary: countsText(run),
    page: () => ({ groups: [recordedGroup(open.map(openEntry))] }),
  };
}

function recordedGroup(entries: readonly ReportEntry[]): ReportGroup {
  return { title: 'Changes', ...BLOCKS, spacing: 'around', entries };
}

function recordedEntry(recorded: RecordedChange, verbose: boolean): ReportEntry {
  const { change } = recorded;
  const entry = 'open' in recorded ? openEntry(recorded) : outcomeEntry(recorded, verbose);
  if (!('fields' in change) || change.action === 'delete') return entry;
  const options = { verbose, labels: labelsOf(change), places: false, onlyAfter: change.action === 'create' };
  return { ...entry, lines: [...(entry.lines ?? []), ...indented(fieldLines(change.fields, options))] };
}

function openEntry(recorded: RecordedChange): ReportEntry {
  const outcome = outcomeOf(recorded);
  const sign = toned('warning', outcome === 'not_started' ? '○' : '?');
  return { head: [sign, ' ', ...changeHead(recorded.change), '  ', toned('dim', OUTCOMES[outcome])] };
}

/** `3 applied, 1 failed`; with cohorts, `3 applied (2 to flags, 1 to cohorts)`. */
function countsText(run: RecordedRun): string {
  const counts = countRecorded(run);
  const kinds = (Object.keys(OUTCOMES) as RecordedOutcome[]).filter((kind) => counts[kind] > 0);
  const changesWith = (kind: RecordedOutcome): Change[] =>
    run.changes.filter((change) => outcomeOf(change) === kind).map(({ change }) => change);
  return kinds.map((kind) => `${counts[kind]} ${OUTCOMES[kind]}${changesNote(changesWith(kind))}`).join(', ');
}

const OUTCOMES: Readonly<Record<RecordedOutcome, string>> = {
  applied: 'applied',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'pending',
  unknown: 'unknown',
  unanswered: 'sent without an answer',
  not_started: 'not started',
};

/** The models of recorded runs: a list of them, one with its changes, and one that resumes with its open changes. */

import type { Actor } from '../../apply/origin.ts';
import { defined } from '../../base/optional.ts';
import type { SwitchOff } from '../../engine/plan.ts';
import type { Change } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import {
  countRecorded,
  isUndoable,
  outcomeOf,
  stateOf,
  type RecordedChange,
  type RecordedOutcome,
  type RecordedRun,
} from '../run-record.ts';
import { changesNote, keysText } from '../words/amounts.ts';
import { labelsOf } from '../words/kinds.ts';
import { reasonTail } from '../words/off.ts';
import { timeText } from '../words/times.ts';
import { activityNote } from '../words/ways-out.ts';
import { linesOf, BLOCKS, changeHead } from './change.ts';
import { fieldLines } from './fields.ts';
import { outcomeEntry } from './result.ts';
import { toned, type Phrase } from '../phrase.ts';
import type { ReportEntry, ReportGroup, GroupKind, ReportLine, ReportPage, ReportModel } from './report-model.ts';

/** Two or three lines for each run, since its name is never cut. */
export function historyModel({ history }: ReportOf<'history'>): ReportModel {
  return { page: () => historyPage(history) };
}

function historyPage({ folder, runs, unreadable, apart, more }: ReportOf<'history'>['history']): ReportPage {
  return {
    facts: [
      ...(runs.length === 0
        ? [{ about: 'origin', phrase: `No run is recorded in ${escapeLine(folder)}.` } as const]
        : []),
      ...(runs.length === 0
        ? []
        : [
            {
              about: 'note',
              phrase: [toned('dim', 'To see edits of people too: flagwright flags activity KEY')],
            } as const,
          ]),
      ...(more
        ? [{ about: 'note', phrase: [toned('dim', '… older runs are not shown; --limit N shows more')] } as const]
        : []),
    ],
    notices: [],
    groups: [
      listOf('runs', runs.map(summaryEntry)),
      listOf(
        'unreadable',
        unreadable.map(({ name, problem }) => ({
          head: [toned('warning', 'unreadable'), `  ${escapeLine(name)}  ${escapeLine(problem.message)}`],
          lines: [],
        })),
      ),
      listOf(
        'apart',
        apart.map((names) => ({ head: [toned('warning', 'note'), `  ${apartText(names)}`], lines: [] })),
      ),
    ],
  };
}

function listOf(about: GroupKind, entries: readonly ReportEntry[]): ReportGroup {
  return { about, title: '', form: 'blocks', indent: { head: 0, lines: 2 }, entries };
}

function apartText(names: readonly string[]): string {
  return `${names.map((name) => escapeLine(name)).join(', ')} were recorded independently: none of them follows another. undo and apply --resume need the name of one.`;
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
    ...(actor === undefined ? [] : [`by ${actorText(actor)}`]),
    ...(commit === undefined ? [] : [`commit ${quoteShort(commit.slice(0, SHORT_COMMIT))}`]),
  ];
}

const SHORT_COMMIT = 12;

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
    flagsOf(run)
      .slice(0, 1)
      .map((key) => activityNote(key, run.project.name)),
  ].filter((parts) => parts.length > 0);
  return {
    title: { words: `Run ${run.name} in`, project: run.project },
    summary: countsText(run),
    page: () => ({
      facts: facts.map((parts) => ({ about: 'origin', phrase: [toned('dim', parts.join(' · '))] })),
      notices: [],
      groups: [recordedGroup(run.changes.map((change) => recordedEntry(change, verbose)))],
    }),
  };
}

function flagsOf({ changes }: RecordedRun): readonly string[] {
  return changes.flatMap(({ change }) => (change.resource === 'flag' ? change.key : []));
}

/** The changes that the resumed run still has to make or to look up. */
export function resumingModel({ run }: ReportOf<'resuming'>): ReportModel {
  const open = run.changes.filter((change) => outcomeOf(change) !== 'applied');
  return {
    title: { words: `Resuming run ${run.name} in`, project: run.project },
    summary: countsText(run),
    page: () => ({ facts: [], notices: [], groups: [recordedGroup(open.map(openEntry))] }),
  };
}

function recordedGroup(entries: readonly ReportEntry[]): ReportGroup {
  return { about: 'changes', title: 'Changes', ...BLOCKS, spacing: 'around', entries };
}

function recordedEntry(recorded: RecordedChange, verbose: boolean): ReportEntry {
  const entry = 'open' in recorded ? openEntry(recorded) : outcomeEntry(recorded, verbose);
  return { ...entry, lines: [...entry.lines, ...writtenLines(recorded.change, verbose)] };
}

function writtenLines(change: Change, verbose: boolean): ReportLine[] {
  if (!('fields' in change) || change.action === 'delete') return [];
  const options = { verbose, labels: labelsOf(change), places: false, onlyAfter: change.action === 'create' };
  return fieldLines(change.fields, options).map((line) => ({ ...line, indent: (line.indent ?? 0) + 2 }));
}

function openEntry(recorded: RecordedChange): ReportEntry {
  const outcome = outcomeOf(recorded);
  const sign = outcome === 'not_started' ? '○' : '?';
  const head: Phrase = [
    toned('warning', sign),
    ' ',
    ...changeHead(recorded.change),
    '  ',
    toned('dim', OUTCOMES[outcome]),
  ];
  return { head, lines: [] };
}

/** `3 applied, 1 failed`; with cohorts, `3 applied (2 to flags, 1 to cohorts)`. */
function countsText(run: RecordedRun): string {
  const counts = countRecorded(run);
  const kinds = (Object.keys(OUTCOMES) as RecordedOutcome[]).filter((kind) => counts[kind] > 0);
  return kinds.map((kind) => `${counts[kind]} ${OUTCOMES[kind]}${changesNote(changesWith(run, kind))}`).join(', ');
}

function changesWith({ changes }: RecordedRun, outcome: RecordedOutcome): Change[] {
  return changes.filter((change) => outcomeOf(change) === outcome).map(({ change }) => change);
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

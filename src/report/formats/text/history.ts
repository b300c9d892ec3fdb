/** Recorded runs as text: a list of runs, one run with its changes, or the open changes of a run that resumes. */

import type { Actor } from '../../../apply/origin.ts';
import type { Change } from '../../../posthog/plan.ts';
import { changeHead, changeListLines } from './change.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import { fieldLines } from './fields.ts';
import { labelsOf } from '../../words/kinds.ts';
import { joinSections, projectLine } from './sections.ts';
import { changeResultLines } from './outcomes.ts';
import {
  countRecorded,
  outcomeOf,
  stateOf,
  type RecordedChange,
  type RecordedOutcome,
  type RecordedRun,
  isUndoable,
} from '../../run-record.ts';
import type { ReportOf } from '../../report.ts';
import type { Palette, View } from '../../view.ts';
import { activityNote } from '../../words/activity.ts';
import { changesNote } from '../../words/amounts.ts';
import { reasonTail } from '../../words/off.ts';
import { timeText } from '../../words/time.ts';

/** Two or three lines for each run, since its name is never cut. */
export function historyText(
  { history: { folder, runs, unreadable, apart, more } }: ReportOf<'history'>,
  view: View,
): string {
  const { palette } = view;
  return joinSections([
    runs.length === 0
      ? [`No run is recorded in ${escapeLine(folder)}.`]
      : runs.flatMap((run) => runLines(run, palette)),
    unreadable.map(
      ({ name, problem }) => `${palette.warning('unreadable')}  ${escapeLine(name)}  ${escapeLine(problem.message)}`,
    ),
    apart.map((names) => `${palette.warning('note')}  ${apartText(names)}`),
    runs.length === 0 ? [] : [palette.dim('Edits of people, too: flagwright flags activity KEY')],
    more ? [palette.dim('… older runs are not shown; --limit N shows more')] : [],
  ]);
}

function apartText(names: readonly string[]): string {
  return `${names.map((name) => escapeLine(name)).join(', ')} were recorded apart: none of them followed another. undo and apply --resume need the name of one.`;
}

function runLines(run: RecordedRun, palette: Palette): string[] {
  const origin = originFacts(run);
  return [
    `${palette.strong(run.name)}  ${timeText(run.startedAt)}  ${escapeLine(run.project.name)}`,
    `  ${[stateOf(run), countsText(run), ...(isUndoable(run) ? [] : ['nothing to undo'])].join(' · ')}`,
    ...(run.undoes === undefined ? [] : [`  undo of ${escapeLine(run.undoes)}`]),
    ...(run.off === undefined ? [] : [`  off${reasonTail(run.off, quoteShort)}`]),
    ...(origin.length === 0 ? [] : [`  ${palette.dim(origin.join(' · '))}`]),
  ];
}

/** `by ana@laptop`, `commit 1a2b3c4d5e6f`. */
function originFacts({ actor, commit }: RecordedRun): string[] {
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

/** One run with the outcome of each change, and what it wrote, from → to. */
export function runText({ run }: ReportOf<'run'>, view: View): string {
  const { palette } = view;
  const ended = run.endedAt === undefined ? 'not finished' : `ended ${timeText(run.endedAt)}`;
  const url = run.actor?.url;
  const facts = [
    [`started ${timeText(run.startedAt)}`, ended, stateOf(run)],
    run.undoes === undefined ? [] : [`undo of ${escapeLine(run.undoes)}`],
    run.off === undefined ? [] : [`off${reasonTail(run.off, quoteShort)}`],
    originFacts(run),
    url === undefined ? [] : [escapeLine(url)],
  ];
  return joinSections([
    [
      projectLine(`Run ${run.name} in`, run, palette),
      ...facts.filter((parts) => parts.length > 0).map((parts) => palette.dim(parts.join(' · '))),
    ],
    changeListLines(run.changes.map((change) => recordedLines(change, view))),
    [countsText(run)],
    flagsOf(run)
      .slice(0, 1)
      .map((key) => palette.dim(activityNote(key, run.project.name))),
  ]);
}

function flagsOf({ changes }: RecordedRun): readonly string[] {
  return changes.flatMap(({ change }) => (change.resource === 'flag' ? change.key : []));
}

/** The changes that the resumed run still has to make or to look up. */
export function resumingText({ run }: ReportOf<'resuming'>, { palette }: View): string {
  const open = run.changes.filter((change) => outcomeOf(change) !== 'applied');
  return joinSections([
    [projectLine(`Resuming run ${run.name} in`, run, palette)],
    open.map((change) => openLine(change, palette)),
    [countsText(run)],
  ]);
}

function recordedLines(recorded: RecordedChange, view: View): string[] {
  const outcome = 'open' in recorded ? [openLine(recorded, view.palette)] : changeResultLines(recorded, view);
  return [...outcome, ...writtenLines(recorded.change, view)];
}

function writtenLines(change: Change, view: View): string[] {
  if (!('fields' in change) || change.action === 'delete') return [];
  const options = { ...view, labels: labelsOf(change), places: false, onlyAfter: change.action === 'create' };
  return fieldLines(change.fields, options).map((line) => INDENT + line);
}

const INDENT = ' '.repeat(8);

function openLine(recorded: RecordedChange, palette: Palette): string {
  const outcome = outcomeOf(recorded);
  const mark = outcome === 'not_started' ? '○' : '?';
  return `  ${palette.warning(mark)} ${changeHead(recorded.change, palette)}  ${palette.dim(OUTCOMES[outcome])}`;
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

/** Recorded runs as text: a table of runs, one run with its changes, or the open changes of a run that resumes. */

import { changeHead, changeListLines } from './change.ts';
import { escapeLine } from '../../escape.ts';
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
import { timeText } from '../../words/time.ts';
import { tableText } from './records.ts';

const COLUMNS = ['run', 'started', 'project', 'state', 'changes', 'undo'];

export function historyText({ history: { runs, unreadable, more } }: ReportOf<'history'>, view: View): string {
  const { palette } = view;
  const rows = runs.map((run) => ({
    run: run.name,
    started: timeText(run.startedAt),
    project: run.project.name,
    state: stateOf(run),
    changes: countsText(run),
    undo: isUndoable(run) ? 'yes' : 'no',
  }));
  return joinSections([
    [rows.length === 0 ? 'No runs are recorded here.' : tableText(rows, COLUMNS, view).trimEnd()],
    unreadable.map(
      ({ name, problem }) => `${palette.warning('unreadable')}  ${escapeLine(name)}  ${escapeLine(problem.message)}`,
    ),
    more ? [palette.dim('… older runs are not shown; --limit N shows more')] : [],
  ]);
}

/** One run with the outcome of each change. */
export function runText({ run }: ReportOf<'run'>, view: View): string {
  const { palette } = view;
  const ended = run.endedAt === undefined ? 'not finished' : `ended ${timeText(run.endedAt)}`;
  return joinSections([
    [
      projectLine(`Run ${run.name} in`, run, palette),
      palette.dim(`started ${timeText(run.startedAt)} · ${ended} · ${stateOf(run)}`),
    ],
    changeListLines(run.changes.map((change) => recordedLines(change, view))),
    [countsText(run)],
  ]);
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
  return 'open' in recorded ? [openLine(recorded, view.palette)] : changeResultLines(recorded, view);
}

function openLine(recorded: RecordedChange, palette: Palette): string {
  const outcome = outcomeOf(recorded);
  const mark = outcome === 'not_started' ? '○' : '?';
  return `  ${palette.warning(mark)} ${changeHead(recorded.change, palette)}  ${palette.dim(OUTCOMES[outcome])}`;
}

/** `3 applied, 1 failed`. */
function countsText(run: RecordedRun): string {
  const counts = countRecorded(run);
  const kinds = (Object.keys(OUTCOMES) as RecordedOutcome[]).filter((kind) => counts[kind] > 0);
  return kinds.map((kind) => `${counts[kind]} ${OUTCOMES[kind]}`).join(', ');
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

/** What `history` and `history RUN` print (schemas/history.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import type { ReportOf } from '../../report.ts';
import {
  countRecorded,
  isUndoable,
  outcomeOf,
  stateOf,
  type RecordedChange,
  type RecordedRun,
} from '../../run-record.ts';
import { changeDocument } from './change.ts';
import { outcomeCounts } from './outcome-counts.ts';
import { FORMAT_VERSION } from './version.ts';
import { defined } from '../../../base/optional.ts';

export function historyDocument({
  history: { folder, runs, unreadable, more },
}: Pick<ReportOf<'history'>, 'history'>): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    journal: folder,
    runs: runs.map(runSummary),
    unreadable: unreadable.map(({ name, problem: { code, message } }) => ({ run: name, code, message })),
    more,
  };
}

export function runDocument({ run }: Pick<ReportOf<'run'>, 'run'>): JsonObject {
  return { format_version: FORMAT_VERSION, ...runSummary(run), changes: run.changes.map(recordedDocument) };
}

function runSummary(run: RecordedRun): JsonObject {
  return {
    run: run.name,
    started_at: run.startedAt,
    ...defined({ ended_at: run.endedAt }),
    project: { ...run.project },
    state: stateOf(run),
    undoable: isUndoable(run),
    ...defined({ follows: run.follows && [...run.follows], undoes: run.undoes, commit: run.commit }),
    ...(run.actor === undefined ? {} : { actor: { ...run.actor } }),
    outcomes: outcomeCounts(
      countRecorded(run),
      run.changes.map((recorded) => ({ resource: recorded.change.resource, outcome: outcomeOf(recorded) })),
    ),
  };
}

function recordedDocument(recorded: RecordedChange): JsonObject {
  if (!('open' in recorded)) return changeDocument(recorded);
  return { ...(recorded.change as unknown as JsonObject), outcome: recorded.open };
}

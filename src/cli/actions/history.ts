/** `flagwright history [RUN]`: lists the runs of the journal. */

import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { RunOrder } from '../../loop/journal/run-order.ts';
import type { RunHistory, RecordedRun } from '../../report/run-record.ts';
import type { ExitCode } from '../line/exit.ts';
import { loadConfiguration } from '../project/load-project.ts';
import {
  readRunOrder,
  readRuns,
  type RunEntry,
  toRecordedRun,
  findRun,
  journalFolder,
  useJournal,
} from '../runs/find-runs.ts';
import type { Session } from '../session/session.ts';

export interface HistoryOptions {
  readonly run?: string;
  readonly journal?: string;
  readonly limit: number;
}

/** Does not contact the service. No project has to be chosen; `--project` limits the list. */
export async function history(session: Session, { run: name, limit, journal }: HistoryOptions): Promise<ExitCode> {
  await loadConfiguration(session);
  const inFile = journal === undefined ? undefined : await useJournal(session, journal);
  const reference = name ?? inFile;
  if (reference === undefined) await session.publish({ kind: 'history', history: await collect(session, limit) });
  else {
    const run = await findRun(session, reference, ({ plan }) => isChosen(session, plan.project));
    await session.publish({ kind: 'run', run: toRecordedRun(run) });
  }
  return 0;
}

/** An unreadable journal is listed too and does not count for the limit: its run may have taken place. */
async function collect(session: Session, limit: number): Promise<RunHistory> {
  const folder = journalFolder(session);
  const order = await readRunOrder(session);
  const runs: RecordedRun[] = [];
  const unreadable: Extract<RunEntry, { problem: unknown }>[] = [];
  for await (const entry of readRuns(session, order)) {
    if ('problem' in entry) {
      unreadable.push(entry);
      continue;
    }
    if (!isChosen(session, entry.run.plan.project)) continue;
    if (runs.length === limit) return { folder, runs, unreadable, more: true, apart: findApart(runs, order) };
    runs.push(toRecordedRun(entry.run));
  }
  return { folder, runs, unreadable, more: false, apart: findApart(runs, order) };
}

/** The newest runs of each project, if it has several. */
function findApart(runs: readonly RecordedRun[], { follows }: RunOrder): string[][] {
  const isNewest = ({ name, project }: RecordedRun): boolean =>
    !runs.some((other) => other.project.name === project.name && follows(other.name, name));
  const newest = new Map<string, string[]>();
  for (const { name, project } of runs.filter(isNewest))
    newest.set(project.name, [...(newest.get(project.name) ?? []), name]);
  return [...newest.values()].filter(({ length }) => length > 1);
}

function isChosen({ options }: Session, { name }: ProjectIdentity): boolean {
  return options.project === undefined || options.project === name;
}

/** `flagwright history [RUN]`: lists the runs of the journal. */

import type { History, RecordedRun } from '../../report/run-record.ts';
import type { HistoryOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import { findRun, readRuns, type RunEntry } from '../runs/find-runs.ts';
import { toRecordedRun } from '../runs/recorded-run.ts';
import type { Session } from '../session/session.ts';
import { loadConfiguration } from '../stages/load-project.ts';

/** Does not contact the service. No project has to be chosen; `--project` limits the list. */
export async function history(
  session: Session,
  name: string | undefined,
  { limit }: HistoryOptions,
): Promise<ExitCode> {
  await loadConfiguration(session);
  if (name !== undefined) {
    await session.publish({ kind: 'run', run: toRecordedRun(await findRun(session, name)) });
    return 0;
  }
  await session.publish({ kind: 'history', history: await collect(session, readRuns(session), limit) });
  return 0;
}

/** A journal that cannot be read is listed too and does not count for the limit: its run may have taken place. */
async function collect({ options }: Session, entries: AsyncIterable<RunEntry>, limit: number): Promise<History> {
  const runs: RecordedRun[] = [];
  const unreadable: Extract<RunEntry, { problem: unknown }>[] = [];
  for await (const entry of entries) {
    if ('problem' in entry) {
      unreadable.push(entry);
      continue;
    }
    if (entry.run.plan.project.name !== (options.project ?? entry.run.plan.project.name)) continue;
    if (runs.length === limit) return { runs, unreadable, more: true };
    runs.push(toRecordedRun(entry.run));
  }
  return { runs, unreadable, more: false };
}

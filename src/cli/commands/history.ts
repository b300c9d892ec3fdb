/** `flagwright history [RUN]`: the runs that the journal holds. */

import { historyDocument, runDocument } from '../../report/formats/json/documents.ts';
import { historyText, runText } from '../../report/formats/text/history.ts';
import type { History, RecordedRun } from '../../report/run-record.ts';
import type { HistoryOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import { namedRun, recordedRuns, type RunEntry } from '../runs/find-runs.ts';
import { recordedRun } from '../runs/recorded-run.ts';
import type { Session } from '../session/session.ts';
import { loadConfiguration } from '../stages/load-project.ts';

/** The service is not asked, and no project has to be chosen; `--project` limits the list. */
export async function history(
  session: Session,
  name: string | undefined,
  { limit }: HistoryOptions,
): Promise<ExitCode> {
  await loadConfiguration(session);
  const { context, options } = session;
  if (name !== undefined) {
    const run = recordedRun(await namedRun(session, name));
    await session.publish({
      text: (palette) => runText(run, { palette, verbose: options.verbose }),
      json: () => runDocument(run),
    });
    return 0;
  }
  const found = await collect(session, recordedRuns(session), limit);
  const width = context.stdout.isTerminal && options.output === undefined ? { width: context.stdout.columns } : {};
  await session.publish({
    text: (palette) => historyText(found, { palette, ...width }),
    json: () => historyDocument(found),
  });
  return 0;
}

/** A journal that cannot be read is listed as such, beside as many runs as were asked for: its run may have taken place. */
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
    runs.push(recordedRun(entry.run));
  }
  return { runs, unreadable, more: false };
}

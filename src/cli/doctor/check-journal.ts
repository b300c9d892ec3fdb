/** Checks the journal: the newest run of each project, and whether it is finished. */

import { defined } from '../../base/optional.ts';
import { resultOf, type CheckResult } from '../../report/check-result.ts';
import { stateOf } from '../../report/run-record.ts';
import { toRecordedRun } from '../runs/find-runs.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Surroundings } from './surroundings.ts';

export async function checkJournal({ configuration, newestRuns }: Surroundings): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const project of configuration.projects) {
    const subject = { section: 'journal', project: project.name } as const;
    try {
      const runs = await newestRuns(project);
      if (runs.length === 0) results.push(resultOf(subject, 'ok', ['no_runs', {}]));
      for (const run of runs.map(toRecordedRun)) {
        const state = stateOf(run);
        results.push(
          resultOf(subject, state === 'complete' ? 'ok' : 'warning', [
            'newest_run',
            { run: run.name, started_at: run.startedAt, state },
          ]),
        );
      }
    } catch (error) {
      const { code, message, remedy } = toFlagwrightError(error);
      if (code === 'internal') throw error;
      results.push(
        resultOf(subject, 'problem', ['journal_unreadable', { error: code, message, ...defined({ remedy }) }]),
      );
    }
  }
  return results;
}

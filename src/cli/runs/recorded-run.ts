/** Converts a run of the journal into the form that reports read. */

import { defined } from '../../base/optional.ts';
import type { RecordedRun } from '../../report/run-record.ts';
import type { FoundRun } from './find-runs.ts';

export function toRecordedRun(run: FoundRun): RecordedRun {
  const { name, startedAt, endedAt, follows, plan, origin, outcomes, sent, claim } = run;
  return {
    name,
    startedAt,
    ...defined({ endedAt }),
    running: claim !== undefined && endedAt === undefined,
    project: plan.project,
    ...defined({ follows, undoes: plan.undoes, off: plan.off, actor: origin?.actor, commit: origin?.commit }),
    changes: plan.changes.map((change) => {
      const result = outcomes.get(change.ref);
      if (result !== undefined) return { change, result };
      return { change, open: sent.has(change.ref) ? 'unanswered' : 'not_started' };
    }),
  };
}

/** `flagwright drift`: shows the plan in the opposite direction. */

import { defined } from '../../base/optional.ts';
import { kindFor } from '../../posthog/kinds.ts';
import { findOwnersOfChanges } from '../../posthog/planning/owners.ts';
import { findUnmanagedEdits } from '../../posthog/reading/unmanaged-edits.ts';
import { escapeLine } from '../../report/escape.ts';
import { standingOfDrift } from '../../report/drift-standing.ts';
import { count } from '../../report/words/amounts.ts';
import { exitCodeOfDrift, type ExitCode } from '../line/exit.ts';
import type { PlanningOptions } from '../line/options.ts';
import { findScheduledOf, scheduledSubjects } from '../plan/forecast.ts';
import { readIgnoring, writeExceptions, type Ignoring, type IgnoringOptions } from '../plan/known-drift.ts';
import { withPlan } from '../plan/make-plan.ts';
import { findOwners } from '../project/find-owners.ts';
import { noteUnfinished } from '../runs/find-runs.ts';
import { findPlanOrigin } from '../runs/record-run.ts';
import { labeled, type Session } from '../session/session.ts';

export interface DriftOptions extends Pick<PlanningOptions, 'target' | 'base' | 'who' | 'verdicts'>, IgnoringOptions {
  readonly unmanaged?: boolean;
  readonly pending?: boolean;
}

export async function drift(session: Session, options: DriftOptions): Promise<ExitCode> {
  let ignoring: Ignoring | undefined;
  const findLeaving = async (loaded: Parameters<typeof readIgnoring>[1]): Promise<Ignoring['leaving'] | undefined> => {
    ignoring = await readIgnoring(session, loaded, options);
    return ignoring?.leaving;
  };
  const showing = { ...options, schedules: true, requests: true, divides: true, settled: true, findLeaving } as const;
  return withPlan(session, showing, async (made) => {
    const { plan, groups, attributions, cohortNames, requests, loaded, live, desired, opened } = made;
    await noteUnfinished(session, opened.identity, plan.commit);
    const { pending, unmanaged } = options;
    const counting = defined({ pending, unmanaged });
    const scheduled = await findScheduledOf(session, { loaded, live }, scheduledSubjects(plan, live));
    // Only those who look closely or evaluate the document learn of it: it costs a request, and no manifest decides about it.
    const { verbose, format } = session.options;
    const edits =
      verbose || format === 'json' ? await findUnmanagedEdits(opened.client, live.flags, desired.flags) : undefined;
    const owners = findOwnersOfChanges(plan.changes, await findOwners(loaded.config));
    const details = defined({ owners, groups, attributions, cohortNames, requests, scheduled, edits });
    await session.publish({ kind: 'drift', plan, counting, ...details, origin: await findPlanOrigin(session) });
    for (const note of ignoring?.notes() ?? []) await session.print(labeled(session, 'warning', note));
    const standing = standingOfDrift(plan, counting);
    const { writeExceptions: file } = options;
    if (file === undefined) return exitCodeOfDrift(standing);
    // A change that was made in git and not applied yet is not drift, if there is a base to tell.
    const counted = standing.drifted.flatMap((change) =>
      kindFor(change)
        .parts(change)
        .filter(({ divergence }) => pending === true || divergence !== 'pending')
        .map((part) => ({ change, part })),
    );
    const written = await writeExceptions(session, counted, { file, project: plan.project.name });
    const name = escapeLine(file);
    const known = `Wrote ${count(written, 'known difference')} to ${name}. Say in each why it is known, and who grants it.`;
    await session.note(`${written === 0 ? `No drift to write: ${name} was not written.` : known}\n`);
    return 0;
  });
}

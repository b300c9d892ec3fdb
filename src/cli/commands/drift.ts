/** `flagwright drift`: the plan read in the opposite direction. */

import { defined } from '../../base/optional.ts';
import { findLeftOut } from '../../posthog/left-out.ts';
import { kindFor } from '../../posthog/kinds.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../../report/escape.ts';
import { count } from '../../report/words/count.ts';
import type { DriftOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { readIgnoring, writeBaseline, type Difference, type Ignoring } from '../stages/known-drift.ts';
import { withPlan } from '../stages/make-plan.ts';

export async function drift(session: Session, options: DriftOptions): Promise<ExitCode> {
  let ignoring: Ignoring | undefined;
  const findLeaving = async (loaded: Parameters<typeof readIgnoring>[1]): Promise<Ignoring['leaving'] | undefined> => {
    ignoring = await readIgnoring(session, loaded, options);
    return ignoring?.leaving;
  };
  const showing = { ...options, schedules: true, requests: true, divides: true, findLeaving } as const;
  return withPlan(session, showing, async ({ plan, groups, attributions, requests }) => {
    await session.publish({ kind: 'drift', plan, ...defined({ groups, attributions, requests }) });
    for (const note of ignoring?.notes() ?? []) await session.say(`${session.palette.warning('warning')}  ${note}\n`);
    const counted = countedParts(plan, options);
    if (options.writeBaseline !== undefined)
      return write(session, counted, { file: options.writeBaseline, project: plan.project.name });
    const differs = counted.length > 0 || findLeftOut(plan.warnings).length > 0;
    return differs || (options.unmanaged === true && plan.unmanaged.length > 0) ? 2 : 0;
  });
}

/** A change that git made and nobody applied is no drift, as far as a base tells. */
function countedParts({ changes, base }: Plan, { pending }: DriftOptions): readonly Difference[] {
  const isAll = base?.kind !== 'commit' || pending === true;
  return changes.flatMap((change) =>
    kindFor(change)
      .parts(change)
      .filter(({ divergence }) => isAll || divergence !== 'pending')
      .map((part) => ({ change, part })),
  );
}

async function write(
  session: Session,
  differences: readonly Difference[],
  place: Parameters<typeof writeBaseline>[2],
): Promise<ExitCode> {
  const written = await writeBaseline(session, differences, place);
  await session.note(
    `Wrote ${count(written, 'known difference')} to ${escapeLine(place.file)}. Say in each entry why it is known.\n`,
  );
  return 0;
}

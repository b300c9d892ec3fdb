/** `flagwright drift`: the plan read in the opposite direction. */

import type { DriftOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { withPlan } from '../stages/make-plan.ts';

export async function drift(session: Session, options: DriftOptions): Promise<ExitCode> {
  return withPlan(session, options, async ({ plan }) => {
    await session.publish({ kind: 'drift', plan });
    const drifted = plan.changes.length > 0 || (options.unmanaged === true && plan.unmanaged.length > 0);
    return drifted ? 2 : 0;
  });
}

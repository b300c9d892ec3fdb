/** `flagwright drift`: the plan seen from the other side. */

import { planDocument } from '../../engine/saved-plan.ts';
import { driftText } from '../../report/drift-text.ts';
import type { ExitCode } from '../line/exit.ts';
import { withPlan } from '../stages/make-plan.ts';
import type { PlanningOptions } from '../line/options.ts';
import type { Session } from '../session/session.ts';

export interface DriftCommandOptions extends Pick<PlanningOptions, 'target'> {
  /** Unmanaged flags in scope count as drift. */
  readonly unmanaged?: boolean;
}

export async function drift(session: Session, options: DriftCommandOptions): Promise<ExitCode> {
  return withPlan(session, options, async ({ plan }) => {
    await session.publish({
      text: (palette) => driftText(plan, { palette, verbose: session.options.verbose }),
      json: () => planDocument(plan),
    });
    const drifted = plan.changes.length > 0 || (options.unmanaged === true && plan.unmanaged.length > 0);
    return drifted ? 2 : 0;
  });
}

/** `flagwright drift`: the plan seen from the other side. */

import { planDocument } from '../../engine/plan-document.ts';
import { driftText } from '../../report/formats/text/drift.ts';
import type { DriftOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { withPlan } from '../stages/make-plan.ts';

export async function drift(session: Session, options: DriftOptions): Promise<ExitCode> {
  return withPlan(session, options, async ({ plan }) => {
    await session.publish({
      text: (palette) => driftText(plan, { palette, verbose: session.options.verbose }),
      json: () => planDocument(plan),
    });
    const drifted = plan.changes.length > 0 || (options.unmanaged === true && plan.unmanaged.length > 0);
    return drifted ? 2 : 0;
  });
}

/** `flagwright drift`: the plan read in the opposite direction. */

import { defined } from '../../base/optional.ts';
import { leavesOut } from '../../posthog/flag/opaque.ts';
import type { DriftOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { withPlan } from '../stages/make-plan.ts';

export async function drift(session: Session, options: DriftOptions): Promise<ExitCode> {
  return withPlan(session, { ...options, schedules: true }, async ({ plan, attributions }) => {
    await session.publish({ kind: 'drift', plan, ...defined({ attributions }) });
    const differs = plan.changes.length > 0 || plan.warnings.some(leavesOut);
    const drifted = differs || (options.unmanaged === true && plan.unmanaged.length > 0);
    return drifted ? 2 : 0;
  });
}

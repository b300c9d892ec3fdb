/** `flagwright plan`: shows what apply would change. */

import { defined } from '../../base/optional.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../../report/escape.ts';
import type { PlanOptions } from '../line/commands.ts';
import type { ExitCode } from '../line/exit.ts';
import { noteUnfinished } from '../runs/find-runs.ts';
import type { Session } from '../session/session.ts';
import { withPlan } from '../stages/make-plan.ts';
import { savePlan } from '../stages/save-plan.ts';

export async function plan(session: Session, options: PlanOptions): Promise<ExitCode> {
  return withPlan(session, { ...options, schedules: true, mayKeepDrift: true }, async (made) => {
    if (options.out !== undefined) await savePlan(session, made, options.out);
    const { plan: planned, forecast, attributions } = made;
    await session.publish({ kind: 'plan', plan: planned, forecast, ...defined({ attributions }) });
    if (options.out !== undefined && made.plan.hazards.length === 0) {
      await session.note(`Saved. To apply exactly this plan: flagwright apply ${escapeLine(options.out)}\n`);
    }
    await noteUnfinished(session, made.opened.identity);
    return options.detailedExitcode === true ? detailedCode(made.plan) : 0;
  });
}

/** A plan that apply would refuse gets a code of its own. */
function detailedCode({ changes, hazards }: Plan): ExitCode {
  if (hazards.length > 0) return 4;
  return changes.length > 0 ? 2 : 0;
}

/** `flagwright show PLAN`: prints a saved plan as `plan` printed it. */

import { parsePlanFile } from '../../posthog/saved-plan.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';
import { readPlanText } from '../stages/save-plan.ts';

/** Reads no configuration and contacts no service. */
export async function show(session: Session, file: string): Promise<ExitCode> {
  await session.publish({ kind: 'plan', ...parsePlanFile(await readPlanText(session, file)) });
  return 0;
}

/** `flagwright show PLAN`: prints a saved plan as `plan` printed it. */

import { defined } from '../../base/optional.ts';
import { parseJudgement } from '../../review/policy/finding.ts';
import { parsePlanFile } from '../../posthog/planning/plan-document.ts';
import type { ExitCode } from '../line/exit.ts';
import { readUserFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

/** Reads no configuration and contacts no service. */
export async function show(session: Session, file: string): Promise<ExitCode> {
  const { policy, ...read } = parsePlanFile(await readUserFile(session, file));
  const judgement = policy && parseJudgement(policy);
  await session.publish({ kind: 'plan', ...read, ...defined({ judgement }) });
  return 0;
}

/** `flagwright show PLAN`: prints a saved plan as `plan` printed it. */

import { defined } from '../../base/optional.ts';
import type { ExceptionReport } from '../../review/policy/exceptions.ts';
import { parseJudgement } from '../../review/policy/finding.ts';
import { parsePlanFile } from '../../posthog/planning/plan-document.ts';
import type { ExitCode } from '../line/exit.ts';
import { readUserFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

/** Reads no configuration and contacts no service. */
export async function show(session: Session, file: string): Promise<ExitCode> {
  const { policy, exceptions, approvers, ...read } = parsePlanFile(await readUserFile(session, file));
  const judgement = policy && parseJudgement(policy);
  const excepted = exceptions as unknown as readonly ExceptionReport[] | undefined;
  // No exception lifts what an undo breaks.
  const grantors = read.plan.undoes === undefined ? (approvers ?? ('anybody' as const)) : undefined;
  await session.publish({ kind: 'plan', ...read, ...defined({ judgement, excepted, grantors }) });
  return 0;
}

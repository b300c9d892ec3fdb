/** `flagwright show PLAN`: prints a saved plan, or those of several projects, as `plan` printed them. */

import { defined } from '../../base/optional.ts';
import type { ExceptionReport } from '../../review/policy/exceptions.ts';
import { parseJudgement } from '../../review/policy/finding.ts';
import { parsePlanFile, savedPlansIn } from '../../posthog/planning/plan-document.ts';
import type { ReportOf } from '../../report/report.ts';
import type { ExitCode } from '../line/exit.ts';
import { readUserFile } from '../session/files.ts';
import type { Session } from '../session/session.ts';

/** Reads no configuration and contacts no service. */
export async function show(session: Session, file: string): Promise<ExitCode> {
  const text = await readUserFile(session, file);
  const several = savedPlansIn(text);
  if (several !== undefined) return (await import('./plan-projects.ts')).showSavedPlans(session, several);
  await session.publish(planInFile(text));
  return 0;
}

export function planInFile(text: string): ReportOf<'plan'> {
  const { policy, exceptions, approvers, ...read } = parsePlanFile(text);
  const judgement = policy && parseJudgement(policy);
  const excepted = exceptions as unknown as readonly ExceptionReport[] | undefined;
  // No exception lifts what an undo breaks.
  const grantors = read.plan.undoes === undefined ? (approvers ?? ('anybody' as const)) : undefined;
  return { kind: 'plan', ...read, ...defined({ judgement, excepted, grantors }) };
}

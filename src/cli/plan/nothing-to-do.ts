/** Ends a run that has nothing to do: it still writes its document, and exits with 0. */

import type { ProjectIdentity } from '../../engine/project.ts';
import type { NothingReason } from '../../report/report.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';

export async function nothingToDo(
  session: Session,
  project: ProjectIdentity,
  reason: NothingReason,
): Promise<ExitCode> {
  await session.publish({ kind: 'nothing', project, reason });
  return 0;
}

/** `flagwright doctor`: checks what a run needs, and says how to fix each problem. */

import { countStatus } from '../../report/check-result.ts';
import { runChecks } from '../doctor/checks.ts';
import { configurationValues } from '../doctor/config-values.ts';
import { findConfiguration } from '../doctor/surroundings.ts';
import type { Purpose } from '../doctor/check-projects.ts';
import type { ExitCode } from '../line/exit.ts';
import type { Session } from '../session/session.ts';

/** Writes nothing to the service. Without `--project`, every project of the configuration is checked. */
export async function doctor(session: Session, purpose: Purpose | undefined): Promise<ExitCode> {
  const configuration = await findConfiguration(session);
  const results = await runChecks(session, configuration, purpose);
  const values = configuration.kind === 'usable' ? await configurationValues(session, configuration) : [];
  await session.publish({ kind: 'doctor', results, values });
  return countStatus(results, 'problem') > 0 ? 1 : 0;
}

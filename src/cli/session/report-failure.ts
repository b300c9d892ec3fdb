/** Reports a run that failed as a whole: text on stderr, a document if the format has one, and the exit code. */

import type { FlagwrightError } from '../../base/errors.ts';
import { formatsOf } from '../../report/formats/render.ts';
import type { ReportOf } from '../../report/report.ts';
import { exitCodeOfError, type ExitCode } from '../line/exit.ts';
import type { Session } from './session.ts';

export async function reportFailure(
  session: Session,
  error: FlagwrightError,
  details: Omit<ReportOf<'failure'>, 'kind' | 'error'> = {},
): Promise<ExitCode> {
  const report = { kind: 'failure', error, ...details } as const;
  await session.print(await session.textOf(report));
  const { format } = session.options;
  // The text is already on stderr; list formats cannot hold a failure.
  if (format !== 'text' && formatsOf(['failure']).includes(format)) await session.publish(report);
  else await session.publishFiles(report);
  return exitCodeOfError(error.code);
}

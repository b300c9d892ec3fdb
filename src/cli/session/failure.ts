/** A run that failed as a whole: anything that was thrown as the one error that has a code, a message and a remedy, and its report. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import {
  describeRunError,
  nameService,
  scopesOf,
  withDetail,
  type RunError,
} from '../../posthog/client/failure-table.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { ReportOf } from '../../report/report.ts';
import { exitCodeOfError, type ExitCode } from '../line/exit.ts';
import type { Session } from './session.ts';

export function toFlagwrightError(error: unknown): FlagwrightError {
  if (error instanceof FlagwrightError) return error;
  if (error instanceof ServiceError) {
    const { code, message, remedy } = describe(error);
    const attempts = error.attempts > 1 ? `, ${error.attempts} requests` : '';
    const text = `${message} (${error.method} ${error.path}${attempts}).`;
    return new FlagwrightError(code, text, defined({ remedy, cause: error }));
  }
  const isOfFile = error instanceof Error && 'syscall' in error && 'code' in error && 'path' in error;
  if (isOfFile) return new FlagwrightError('file', error.message, { cause: error });
  const message = `Unexpected error: ${error instanceof Error ? error.message : String(error)}`;
  return new FlagwrightError('internal', message, {
    remedy: 'This is a bug in flagwright. Please report it with the output of the same command with --verbose.',
    cause: error,
  });
}

/** The flag id comes from a list that was just read, so a 404 is about the list of roles and not about the project. */
function describe({ failure, operation, path, flag, callee, last }: ServiceError): RunError {
  if (failure.kind === 'forbidden') return { ...describeRunError(failure, { callee }), remedy: scopesOf(path) };
  if (failure.kind !== 'not_found' || !['listRoleAccess', 'getAccess'].includes(operation))
    return describeRunError(failure, { callee, last });
  const of = flag === undefined ? 'a flag' : `the flag '${flag}'`;
  return {
    code: 'service_refused',
    message: withDetail(`${nameService(callee)} has no role access list for ${of}`, failure.detail),
    remedy:
      'Run again in case the flag was just deleted. If the service has no role access lists, leave role_access out for this project.',
  };
}

export async function reportFailure(
  session: Session,
  error: FlagwrightError,
  details: Omit<ReportOf<'failure'>, 'kind' | 'error'> = {},
): Promise<ExitCode> {
  await session.publishFailure({ kind: 'failure', error, ...details });
  return exitCodeOfError(error.code);
}

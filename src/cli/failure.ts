/** Whatever was thrown, as the one error with a code, a message and a remedy that a person can use. */

import { FlaghoistError, type ErrorCode } from '../base/errors.ts';
import { ServiceError, type Failure } from '../service/errors.ts';

interface Words {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy?: string;
}

export function toFlaghoistError(error: unknown): FlaghoistError {
  if (error instanceof FlaghoistError) return error;
  if (error instanceof ServiceError) return fromService(error);
  if (isFileError(error)) return new FlaghoistError('file', error.message, { cause: error });
  return new FlaghoistError('internal', `Unexpected error: ${error instanceof Error ? error.message : String(error)}`, {
    remedy: 'This is a bug of flaghoist. Please report it with the output of the same command and --verbose.',
    cause: error,
  });
}

function fromService(error: ServiceError): FlaghoistError {
  const { code, message, remedy } = serviceWords(error.failure);
  return new FlaghoistError(code, `${message} (${error.method} ${error.path})`, {
    ...(remedy === undefined ? {} : { remedy }),
    cause: error,
  });
}

function serviceWords(failure: Failure): Words {
  switch (failure.kind) {
    case 'unauthorized':
      return {
        code: 'unauthorized',
        message: said('The service does not accept the API key', failure.detail),
        remedy:
          'Check that the variable holds a personal API key (phx_…) that is still valid, and that the host is right.',
      };
    case 'forbidden':
      return {
        code: 'forbidden',
        message: said('The API key may not do this', failure.detail),
        remedy: 'Reading needs the scope feature_flag:read, applying feature_flag:write, for this project.',
      };
    case 'not_found':
      return {
        code: 'project_not_found',
        message: said('The service does not know this project, or what was asked for in it', failure.detail),
        remedy: 'Check project_id and host in flaghoist.yaml, or POSTHOG_PROJECT_ID and POSTHOG_HOST.',
      };
    case 'rate_limited':
      return {
        code: 'rate_limited',
        message: said('The service asks for a pause that is too long for this run', failure.detail),
        remedy: 'Run again later, or allow more time with --deadline.',
      };
    case 'validation':
    case 'conflict':
    case 'unexpected_status':
      return {
        code: 'service_refused',
        message: said(`The service refused the request: ${statusOf(failure)}`, failure.detail),
      };
    default:
      return transportWords(failure);
  }
}

type TransportFailure = Exclude<
  Failure,
  {
    kind: 'unauthorized' | 'forbidden' | 'not_found' | 'rate_limited' | 'validation' | 'conflict' | 'unexpected_status';
  }
>;

function transportWords(failure: TransportFailure): Words {
  switch (failure.kind) {
    case 'server':
      return {
        code: 'service_failed',
        message: said(`The service had a failure of its own: ${failure.status}`, failure.detail),
        remedy: 'Run the same command again later.',
      };
    case 'invalid_answer':
      return {
        code: 'answer_invalid',
        message: `The service answered something that cannot be understood (${failure.why}${shapeOf(failure)})`,
        remedy: 'Check that the host is the API of the service and not a proxy or a login page.',
      };
    case 'too_large':
      return { code: 'answer_invalid', message: `The answer is larger than ${failure.limitBytes} bytes` };
    case 'redirected':
      return {
        code: 'answer_invalid',
        message: said(`The service redirects elsewhere (${failure.status}), which is not followed`, failure.location),
        remedy: 'Check the host; a key is never sent to another origin.',
      };
    case 'network':
      return {
        code: 'network',
        message: `The service cannot be reached (${failure.code})`,
        remedy: 'Check the host and the network.',
      };
    case 'timeout':
      return {
        code: 'network',
        message: `No complete answer within ${failure.timeoutMs} ms`,
        remedy: 'Run the same command again later.',
      };
    case 'aborted':
      return failure.code === 'deadline'
        ? { code: 'deadline', message: 'The deadline passed', remedy: 'Allow more time with --deadline.' }
        : { code: 'interrupted', message: 'Interrupted' };
  }
}

function said(words: string, detail: string | null): string {
  return detail === null || detail === '' ? words : `${words}: ${detail}`;
}

function statusOf(failure: Extract<Failure, { kind: 'validation' | 'conflict' | 'unexpected_status' }>): string {
  const status = failure.kind === 'conflict' ? 409 : failure.status;
  return failure.code === null ? `${status}` : `${status} ${failure.code}`;
}

function shapeOf(failure: Extract<Failure, { kind: 'invalid_answer' }>): string {
  return failure.expected === undefined ? '' : `, expected ${failure.expected} at '${failure.at ?? ''}'`;
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error && 'path' in error;
}

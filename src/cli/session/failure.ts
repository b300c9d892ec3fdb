/** Whatever was thrown, as the one error with a code, a message and a remedy that a person can use. */

import { FlagwrightError, type ErrorCode } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { ServiceError, type Failure } from '../../posthog/client/errors.ts';

export function toFlagwrightError(error: unknown): FlagwrightError {
  if (error instanceof FlagwrightError) return error;
  if (error instanceof ServiceError) return fromService(error);
  if (isFileError(error)) return new FlagwrightError('file', error.message, { cause: error });
  return new FlagwrightError(
    'internal',
    `Unexpected error: ${error instanceof Error ? error.message : String(error)}`,
    {
      remedy: 'This is a bug of flagwright. Please report it with the output of the same command and --verbose.',
      cause: error,
    },
  );
}

function fromService(error: ServiceError): FlagwrightError {
  const { code, message, remedy } = wordsOf(error);
  return new FlagwrightError(code, `${message} (${error.method} ${error.path}).`, defined({ remedy, cause: error }));
}

interface Words {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy?: string;
}

/** A list of role access is asked for by the id of a flag that was just listed: the project is there. */
function wordsOf({ failure, operation, flag }: ServiceError): Words {
  if (failure.kind !== 'not_found' || operation !== 'listRoleAccess') return wordsFor(failure);
  const of = flag === undefined ? 'a flag' : `the flag '${flag}'`;
  return {
    code: 'service_refused',
    message: said(`The service has no list of role access for ${of}`, failure.detail),
    remedy:
      'Run again in case the flag was deleted just now. A service without role access lists cannot manage them: leave role_access out for this project.',
  };
}

function wordsFor<Kind extends Failure['kind']>(failure: Extract<Failure, { kind: Kind }>): Words {
  return WORDS[failure.kind as Kind](failure);
}

const WORDS: { readonly [Kind in Failure['kind']]: (failure: Extract<Failure, { kind: Kind }>) => Words } = {
  unauthorized: ({ detail }) => ({
    code: 'unauthorized',
    message: said('The service does not accept the API key', detail),
    remedy: 'Check that the variable holds a personal API key that is still valid, and that the host is right.',
  }),
  forbidden: ({ detail }) => ({
    code: 'forbidden',
    message: said('The API key may not do this', detail),
    remedy: 'Reading needs the scope feature_flag:read, applying feature_flag:write, for this project.',
  }),
  not_found: ({ detail }) => ({
    code: 'project_not_found',
    message: said('The service does not know this project, or what was asked for in it', detail),
    remedy: 'Check project_id and host in flagwright.yaml, or POSTHOG_PROJECT_ID and POSTHOG_HOST.',
  }),
  rate_limited: ({ detail }) => ({
    code: 'rate_limited',
    message: said('The service asks for a pause that is too long for this run', detail),
    remedy: 'Run again later, or allow more time with --deadline.',
  }),
  validation: ({ status, code, attr, detail }) => refused(status, at(code, attr), detail),
  conflict: ({ code, detail }) => refused(409, code, detail),
  unexpected_status: ({ status, code, detail }) => refused(status, code, detail),
  server: ({ status, detail }) => ({
    code: 'service_failed',
    message: said(`The service had a failure of its own: ${status}`, detail),
    remedy: 'Run the same command again later.',
  }),
  invalid_answer: ({ why, at, expected }) =>
    why === 'listing_unstable'
      ? {
          code: 'answer_invalid',
          message: 'The list kept changing while it was read page by page',
          remedy: 'Run the same command again, once nobody is making or deleting many flags.',
        }
      : {
          code: 'answer_invalid',
          message: `The service answered something that cannot be understood (${[why, ...shape(at, expected)].join(', ')})`,
          remedy: 'Check that the host is the API of the service and not a proxy or a login page.',
        },
  too_large: ({ limitBytes }) => ({
    code: 'answer_invalid',
    message: `The answer is larger than ${limitBytes} bytes`,
    remedy: 'Check that the host is the API of the service.',
  }),
  redirected: ({ status, location }) => ({
    code: 'answer_invalid',
    message: said(`The service redirects elsewhere (${status}), which is not followed`, location),
    remedy: 'Check the host; a key is never sent to another origin.',
  }),
  network: ({ code }) => ({
    code: 'network',
    message: `The service cannot be reached (${code})`,
    remedy: 'Check the host and the network.',
  }),
  timeout: ({ timeoutMs }) => ({
    code: 'network',
    message: `No complete answer came within ${timeoutMs} ms`,
    remedy: 'Run the same command again later.',
  }),
  aborted: ({ code }) =>
    code === 'deadline'
      ? { code, message: 'The deadline passed', remedy: 'Allow more time with --deadline.' }
      : { code, message: 'Interrupted' },
};

function refused(status: number, code: string | null, detail: string | null): Words {
  const name = code === null ? `${status}` : `${status} ${code}`;
  return { code: 'service_refused', message: said(`The service refused the request: ${name}`, detail) };
}

/** `attr` names the field or the parameter that was refused. */
function at(code: string | null, attr: string | null): string | null {
  return attr === null ? code : `${code ?? 'invalid'} at ${attr}`;
}

function said(words: string, detail: string | null): string {
  return detail === null || detail === '' ? words : `${words}: ${detail}`;
}

function shape(at: string | undefined, expected: string | undefined): string[] {
  return expected === undefined ? [] : [`expected ${expected} at '${at ?? ''}'`];
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error && 'path' in error;
}

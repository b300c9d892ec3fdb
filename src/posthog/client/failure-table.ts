/** Everything that follows from a failure, in one table: its status, what it means for a write, its words and remedies. */

import type { ErrorCode } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';
import { exactDuration, sizeText } from '../../base/wording.ts';
import type { Failure, FailureKind, FailureOf } from './failure.ts';

/** A failure that ends a run: the code and the words of its error. */
export interface RunError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy?: string;
}

/** The service that a call addresses, as errors name it. */
export interface Callee {
  /** `https://us.posthog.com`. */
  readonly host: string;
  /** The environment variable that holds the API key. */
  readonly keyVariable?: string;
  /** The address of the proxy through which it is reached. */
  readonly proxy?: string;
}

/** A row must say all of this, so a new kind of failure compiles only once every consequence is decided. */
interface FailureRow<F extends Failure> {
  /** The HTTP status that stands for the failure. */
  readonly status: (failure: F) => number | undefined;
  /** Whether the service may have executed a write that was sent and failed so: the answer is no definite refusal. */
  readonly mayHaveHappened: (failure: F) => boolean;
  /** Whether the service may still execute a write that failed so and that a look-up did not find. */
  readonly mayStillHappen: (failure: F) => boolean;
  /** Whether another attempt may succeed. */
  readonly isRetried: (failure: F) => boolean;
  /** A few words for logs and library users. */
  readonly summary: (failure: F) => string;
  /** The message of the service or the network, without status and code. */
  readonly reason: (failure: F) => string;
  /** The words when the failure ends a run. */
  readonly runError: (failure: F, callee?: Callee, last?: string) => RunError;
  /** The remedy if the failure ends one change. */
  readonly changeRemedy: string | undefined;
}

export function statusOf(failure: Failure): number | undefined {
  return rowOf(failure).status(failure);
}

export function mayHaveHappened(failure: Failure): boolean {
  return rowOf(failure).mayHaveHappened(failure);
}

export function mayStillHappen(failure: Failure): boolean {
  return rowOf(failure).mayStillHappen(failure);
}

export function isRetried(failure: Failure): boolean {
  return rowOf(failure).isRetried(failure);
}

/** Whether the service, or what is in front of it, is down for the moment. A host without an address is a wrong name. */
export function isOutage(failure: Failure): boolean {
  if (failure.kind === 'network') return isRetried(failure) && failure.code !== 'ENOTFOUND';
  if (failure.kind === 'proxy') return isRetried(failure);
  return failure.kind === 'server' && [502, 503, GATEWAY_TIMEOUT].includes(failure.status);
}

export function summarize(failure: Failure): string {
  return rowOf(failure).summary(failure);
}

export function reasonFor(failure: Failure): string {
  return rowOf(failure).reason(failure);
}

/** The words for a failure that ends a run. `last`: the failure of the attempt before the end. */
export function describeRunError(
  failure: Failure,
  { callee, last }: { readonly callee?: Callee | undefined; readonly last?: Failure | undefined } = {},
): RunError {
  return rowOf(failure).runError(failure, callee, last === undefined ? undefined : summarize(last));
}

/** The remedy for a failed change, from the code and status of its outcome. */
export function changeRemedy(outcome: { readonly code: string; readonly status?: number }): string | undefined {
  const { code, status } = outcome;
  if (status !== undefined) return TABLE[kindOfStatus(status)].changeRemedy;
  // The code of a failure without a status is its kind, or Node's code of a network error.
  const row = memberOf<Pick<FailureRow<Failure>, 'changeRemedy'>>(TABLE, code);
  return (row ?? (/^[A-Z][A-Z0-9_]+$/.test(code) ? TABLE.network : undefined))?.changeRemedy;
}

/**
 * Whether the outcome of a write shows that the key may not write at all, so that further writes would fail too. A 403 can also be about
 * one flag; if it is about the key, the service says so: "API key missing required scope".
 */
export function refusesKey({ status, message }: { readonly status?: number; readonly message: string }): boolean {
  return (status === 401 || status === 403) && /\b(api key|scopes?)\b/i.test(message);
}

/** The kind of failure that an error status stands for. */
export function kindOfStatus(status: number): StatusKind {
  return KIND_BY_STATUS[status] ?? (status >= 500 ? 'server' : 'unexpected_status');
}

type StatusKind = Exclude<
  FailureKind,
  'invalid_answer' | 'network' | 'proxy' | 'timeout' | 'too_large' | 'redirected' | 'aborted'
>;

const KIND_BY_STATUS: Readonly<Record<number, StatusKind>> = {
  400: 'validation',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'validation',
  429: 'rate_limited',
};

function rowOf<F extends Failure>(failure: F): FailureRow<F> {
  return TABLE[failure.kind] as unknown as FailureRow<F>;
}

const yes = (): boolean => true;
const no = (): boolean => false;

/** The service refused. Only an earlier attempt of the same call, with an unknown outcome, may still be executed. */
const REFUSAL = { mayHaveHappened: no, mayStillHappen: yes, isRetried: no, reason: detailOf } as const;

/** No answer, or none that can be read. */
const UNANSWERED = {
  status: () => undefined,
  mayHaveHappened: yes,
  mayStillHappen: no,
  isRetried: no,
  changeRemedy: undefined,
} as const;

const GATEWAY_TIMEOUT = 504;
const REQUEST_TIMEOUT = 408;
const PROXY_LOGIN = 407;

/** Network errors that another attempt does not fix: certificates, and a client that was closed. */
const LASTING_NETWORK_CODES =
  /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|UND_ERR_(DESTROYED|CLOSED|INVALID_ARG))/;

/** A client follows a 302 or 303 with a GET, so a service may send them after it executed the write. */
const REFUSING_REDIRECTS: readonly number[] = [301, 307, 308];

const LONGEST_PAUSE = 'A run waits for an hour at most, and not longer than --deadline.';

const RUN_AGAIN = 'Run the same command again; what was applied stays applied.';

const TABLE: { readonly [Kind in FailureKind]: FailureRow<FailureOf<Kind>> } = {
  unauthorized: {
    ...REFUSAL,
    status: () => 401,
    summary: ({ detail }) => withDetail('401 unauthorized', detail),
    runError: ({ detail }, callee) => ({
      code: 'unauthorized',
      message: withDetail(`${nameService(callee)} does not accept the ${nameKey(callee)}`, detail),
      remedy: `Check that ${callee?.keyVariable ?? 'the variable'} holds a valid personal API key (phx_…), and that the host is correct. \`flagwright doctor\` checks both.`,
    }),
    changeRemedy:
      'The service does not accept the API key. Check the variable that api_key_env names (POSTHOG_API_KEY by default).',
  },
  forbidden: {
    ...REFUSAL,
    status: () => 403,
    summary: ({ detail }) => withDetail('403 forbidden', detail),
    runError: ({ detail }, callee) => ({
      code: 'forbidden',
      message: withDetail(`The ${nameKey(callee)} lacks a permission${nameHost(' on', callee)}`, detail),
      remedy: scopesFor('flags'),
    }),
    changeRemedy: undefined,
  },
  not_found: {
    ...REFUSAL,
    status: () => 404,
    summary: ({ detail }) => withDetail('404 not found', detail),
    runError: ({ detail }, callee) => ({
      code: 'project_not_found',
      message: withDetail(`${nameService(callee)} has no such project, or the requested object is not in it`, detail),
      remedy: 'Check project_id and host in flagwright.yaml, or POSTHOG_PROJECT_ID and POSTHOG_HOST.',
    }),
    changeRemedy: 'It no longer exists in the service. Plan again.',
  },
  validation: {
    ...REFUSAL,
    status: ({ status }) => status,
    summary: ({ status, code, attr, detail }) =>
      withDetail(`${status} ${[code, attr].filter(Boolean).join(' at ')}`, detail),
    runError: describeRefusal,
    changeRemedy: undefined,
  },
  conflict: {
    ...REFUSAL,
    status: () => 409,
    summary: ({ code, detail }) => withDetail(`409 ${code ?? 'conflict'}`, detail),
    runError: ({ code, detail }, callee) => describeRefusal({ status: 409, code, detail }, callee),
    changeRemedy: 'Another user changed the flag, or a change request for it is open. Plan again to see what changed.',
  },
  rate_limited: {
    ...REFUSAL,
    status: () => 429,
    isRetried: yes,
    summary: ({ detail }) => withDetail('429 rate limited', detail),
    reason: (failure) =>
      failure.until === undefined ? detailOf(failure) : `no requests until ${utcTime(failure.until)}`,
    runError: ({ detail, until }, callee) => ({
      code: 'rate_limited',
      message: withDetail(
        until === undefined
          ? `${nameService(callee)} asks for a longer pause than this run allows (429)`
          : `${nameService(callee)} takes no requests until ${utcTime(until)} (429)`,
        detail,
      ),
      remedy: `Run again after that. ${LONGEST_PAUSE}`,
    }),
    changeRemedy: `The request budget is spent. Run again later. ${LONGEST_PAUSE}`,
  },
  server: {
    status: ({ status }) => status,
    mayHaveHappened: yes,
    mayStillHappen: ({ status }) => status === GATEWAY_TIMEOUT,
    isRetried: yes,
    summary: ({ status, detail }) => withDetail(`the service answered ${status}`, detail),
    reason: detailOf,
    runError: ({ status, detail }, callee) => ({
      code: 'service_failed',
      message: withDetail(`${nameService(callee)} failed with status ${status}`, detail),
      remedy: 'Run the same command again later.',
    }),
    changeRemedy: `The service failed. ${RUN_AGAIN}`,
  },
  unexpected_status: {
    status: ({ status }) => status,
    mayHaveHappened: ({ status }) => status < 400 || status === REQUEST_TIMEOUT,
    mayStillHappen: ({ status }) => status === REQUEST_TIMEOUT,
    isRetried: ({ status }) => status === REQUEST_TIMEOUT,
    summary: ({ status, detail }) => withDetail(`unexpected status ${status}`, detail),
    reason: detailOf,
    runError: describeRefusal,
    changeRemedy: undefined,
  },
  invalid_answer: {
    ...UNANSWERED,
    summary: summarizeInvalid,
    reason: summarizeInvalid,
    runError: describeInvalid,
  },
  network: {
    ...UNANSWERED,
    isRetried: ({ code }) => !LASTING_NETWORK_CODES.test(code),
    summary: ({ code }) => `network error ${code}`,
    reason: () => 'the connection failed',
    runError: ({ code }, callee) => ({
      code: 'network',
      message: `${nameService(callee)} cannot be reached${nameProxy(callee)} (${code})`,
      remedy:
        callee?.proxy !== undefined
          ? `Check HTTPS_PROXY. If the host needs no proxy, add it to NO_PROXY.`
          : code === 'ENOTFOUND'
            ? 'No host has this name. Check host in flagwright.yaml, or POSTHOG_HOST.'
            : 'Check the network and the host (host in flagwright.yaml, or POSTHOG_HOST). For details, run `flagwright doctor`.',
    }),
    changeRemedy: `Check the network and the host. ${RUN_AGAIN}`,
  },
  proxy: {
    ...UNANSWERED,
    mayHaveHappened: no,
    isRetried: ({ status }) => status >= 500,
    summary: ({ status }) => `the proxy answered ${status}`,
    reason: ({ status }) => `the proxy answered ${status}`,
    runError: ({ status }, callee) => {
      const proxy = `The proxy${callee?.proxy === undefined ? '' : ` ${callee.proxy}`}`;
      return status === PROXY_LOGIN
        ? {
            code: 'network',
            message: `${proxy} requires a valid user name and password (${status})`,
            remedy: 'Put them in HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT, and percent-encode special characters.',
          }
        : {
            code: 'network',
            message: `${proxy} does not connect${nameHost(' to', callee)} (${status})`,
            remedy: 'Allow connections to the host in the proxy. If the host needs no proxy, add it to NO_PROXY.',
          };
    },
    changeRemedy: `Check HTTPS_PROXY and what the proxy allows. ${RUN_AGAIN}`,
  },
  timeout: {
    ...UNANSWERED,
    mayStillHappen: yes,
    isRetried: yes,
    summary: ({ timeoutMs }) => `no complete answer within ${exactDuration(timeoutMs)}`,
    reason: ({ timeoutMs }) => `no complete answer within ${exactDuration(timeoutMs)}`,
    runError: ({ timeoutMs }, callee) => ({
      code: 'network',
      message: `No complete answer arrived${nameHost(' from', callee)}${nameProxy(callee)} within ${exactDuration(timeoutMs)}`,
      remedy: 'Run the same command again later.',
    }),
    changeRemedy: RUN_AGAIN,
  },
  too_large: {
    ...UNANSWERED,
    summary: ({ limitBytes }) => `the answer is larger than ${sizeText(limitBytes)}`,
    reason: ({ limitBytes }) => `the answer is larger than ${sizeText(limitBytes)}`,
    runError: ({ limitBytes }, callee) => ({
      code: 'answer_invalid',
      message: `The answer${nameHost(' of', callee)} is larger than ${sizeText(limitBytes)}`,
      remedy: 'Check that the host is the API of the service.',
    }),
  },
  redirected: {
    status: ({ status }) => status,
    mayHaveHappened: ({ status }) => !REFUSING_REDIRECTS.includes(status),
    mayStillHappen: no,
    isRetried: no,
    summary: ({ status, location }) => withDetail(`redirected with ${status}`, location),
    reason: ({ status, location }) => withDetail(`redirected with ${status}`, location),
    runError: ({ status, location }, callee) => {
      const asksForLogin = location !== null && isLogin(location);
      const target = asksForLogin ? 'a login page' : 'an address that is not followed';
      return {
        code: 'answer_invalid',
        message: withDetail(`${nameService(callee)} redirects (${status}) to ${target}`, location),
        remedy: asksForLogin ? LOGIN_REMEDY : 'Check the host. The API key is never sent to another origin.',
      };
    },
    changeRemedy: undefined,
  },
  aborted: {
    ...UNANSWERED,
    mayStillHappen: yes,
    summary: ({ code }) => (code === 'deadline' ? 'the deadline has passed' : 'interrupted'),
    reason: ({ code }) => (code === 'deadline' ? 'the deadline has passed' : 'the run was interrupted'),
    runError: ({ code }, callee, last) => ({
      code,
      message: `${code === 'deadline' ? 'The deadline has passed' : 'Interrupted'}${nameHost(' while waiting for', callee)}${
        last === undefined ? '' : `; last attempt: ${last}`
      }`,
      ...(code === 'deadline' ? { remedy: 'Allow more time with --deadline.' } : {}),
    }),
  },
};

/** The service at the start of a sentence. */
export function nameService(callee: Callee | undefined): string {
  return callee === undefined ? 'The service' : callee.host;
}

/** `API key in POSTHOG_API_KEY`. */
function nameKey(callee: Callee | undefined): string {
  return callee?.keyVariable === undefined ? 'API key' : `API key in ${callee.keyVariable}`;
}

/** ` on https://us.posthog.com`, or nothing. */
function nameHost(before: string, callee: Callee | undefined): string {
  return callee === undefined ? '' : `${before} ${callee.host}`;
}

/** ` through the proxy http://proxy.example:3128`, or nothing. */
function nameProxy(callee: Callee | undefined): string {
  return callee?.proxy === undefined ? '' : ` through the proxy ${callee.proxy}`;
}

/** The scopes that a call needs, by the collection in its path. */
export function scopesOf(path: string): string {
  const [, scopes = scopesFor('flags')] = SCOPES.find(([collection]) => collection.test(path)) ?? [];
  return scopes;
}

function scopesFor(what: string, scope = 'feature_flag'): string {
  return `Reading ${what} needs the scope ${scope}:read for this project; applying them needs ${scope}:write.`;
}

const SCOPES: readonly (readonly [collection: RegExp, scopes: string])[] = [
  [/\/activity\/$/, 'The activity log needs the scope activity_log:read.'],
  [/\/cohorts\//, scopesFor('cohorts', 'cohort')],
  [/\/access_controls\/$/, scopesFor('levels of access', 'access_control')],
  [/\/organizations\/|\/projects\/[^/]+\/$/, 'The names of roles need the scopes organization:read and project:read.'],
];

/** Whether a redirect leads to a page where people log in. The API never asks for that: it answers 401. */
export function isLogin(location: string): boolean {
  return /\/(?:log|sign)[-_]?in\b|\/(?:sso|saml2?|oauth2?)\b/i.test(location.split(/[?#]/)[0] ?? '');
}

export const LOGIN_REMEDY =
  'The API never asks for a login, so something else answered; the API key is not the cause. Check the host and its path (host in flagwright.yaml, or POSTHOG_HOST). If a proxy in front of the service asks for the login, let requests to /api/ pass.';

/** The message of the service. */
/** The last time that a date can be, for a service that asks for ages. */
const LAST_MS = 8.64e15;

/** `2026-01-31 12:00:00 UTC`. */
function utcTime(ms: number): string {
  return new Date(Math.min(ms, LAST_MS))
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

function detailOf({ detail }: { readonly detail: string | null }): string {
  return detail === null || detail === '' ? 'no reason was given' : detail;
}

export function withDetail(head: string, detail: string | null | undefined): string {
  return detail === null || detail === undefined || detail === '' ? head.trim() : `${head.trim()}: ${detail}`;
}

/** `attr`: the field or the parameter that was refused. */
function describeRefusal(
  refusal: {
    readonly status: number;
    readonly code: string | null;
    readonly attr?: string | null;
    readonly detail: string | null;
  },
  callee?: Callee,
): RunError {
  const { status, code, attr = null, detail } = refusal;
  const name = attr === null ? code : `${code ?? 'invalid'} at ${attr}`;
  const head = `${nameService(callee)} refused the request: ${status}${name === null ? '' : ` ${name}`}`;
  return { code: 'service_refused', message: withDetail(head, detail) };
}

type InvalidAnswer = FailureOf<'invalid_answer'>;

function summarizeInvalid({ why, at, expected }: InvalidAnswer): string {
  const shape = at === undefined || expected === undefined ? expected : `expected ${expected} at '${at}'`;
  return withDetail(`invalid answer (${why})`, shape);
}

function describeInvalid({ why, at, expected }: InvalidAnswer, callee?: Callee): RunError {
  if (why === 'listing_unstable') {
    return {
      code: 'answer_invalid',
      message: `The list${nameHost(' of', callee)} kept changing while it was being read`,
      remedy: 'Run the same command again when fewer flags are being created or deleted.',
    };
  }
  const facts = [why, ...(expected === undefined ? [] : [`expected ${expected} at '${at ?? ''}'`])].join(', ');
  const isText = why === 'not_json' || why === 'not_utf8';
  return {
    code: 'answer_invalid',
    message: isText
      ? `${nameService(callee)} sent HTML or something else that is not JSON (${facts})`
      : `${nameService(callee)} sent an unexpected answer (${facts})`,
    remedy: 'Check that the host is the API of the service and not a proxy or a login page.',
  };
}

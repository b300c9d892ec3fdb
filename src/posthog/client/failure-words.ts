/** Words that several kinds of failure share. */

import type { ErrorCode } from '../../base/errors.ts';
import type { FailureOf } from './failure.ts';

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
}

/** The service at the start of a sentence. */
export function nameService(callee: Callee | undefined): string {
  return callee === undefined ? 'The service' : callee.host;
}

/** `API key in POSTHOG_API_KEY`. */
function nameKey(callee: Callee | undefined): string {
  return callee?.keyVariable === undefined ? 'API key' : `API key in ${callee.keyVariable}`;
}

interface Detailed {
  readonly detail: string | null;
}

export function describeUnauthorized({ detail }: Detailed, callee?: Callee): RunError {
  const variable = callee?.keyVariable ?? 'the variable';
  return {
    code: 'unauthorized',
    message: withDetail(`${nameService(callee)} does not accept the ${nameKey(callee)}`, detail),
    remedy: `Check that ${variable} holds a valid personal API key (phx_…), and that the host is right: \`flagwright doctor\` asks the service about the key.`,
  };
}

export function describeForbidden({ detail }: Detailed, callee?: Callee): RunError {
  const where = callee === undefined ? '' : ` on ${callee.host}`;
  return {
    code: 'forbidden',
    message: withDetail(`The ${nameKey(callee)} lacks a permission${where}`, detail),
    remedy: scopesFor('flags'),
  };
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

export function describeNetwork({ code }: FailureOf<'network'>, callee?: Callee): RunError {
  const remedy =
    code === 'ENOTFOUND'
      ? 'No host has this name. Check host in flagwright.yaml, or POSTHOG_HOST.'
      : 'Check the network and the host (host in flagwright.yaml, or POSTHOG_HOST). `flagwright doctor` says more.';
  return { code: 'network', message: `${nameService(callee)} cannot be reached (${code})`, remedy };
}

/** Whether a redirect leads to a page where people log in. The API never asks for that: it answers 401. */
export function isLogin(location: string): boolean {
  return /\/(?:log|sign)[-_]?in\b|\/(?:sso|saml2?|oauth2?)\b/i.test(location.split(/[?#]/)[0] ?? '');
}

export const LOGIN_REMEDY =
  'The API never asks for a login, so another program or another path answered, and the API key plays no part. Check the host and its path (host in flagwright.yaml, or POSTHOG_HOST). If a proxy in front of the service asks for the login, let requests to /api/ through it.';

export function describeRedirected({ status, location }: FailureOf<'redirected'>, callee?: Callee): RunError {
  const asksForLogin = location !== null && isLogin(location);
  const target = asksForLogin ? 'a login page' : 'an address that is not followed';
  return {
    code: 'answer_invalid',
    message: withDetail(`${nameService(callee)} redirects (${status}) to ${target}`, location),
    remedy: asksForLogin ? LOGIN_REMEDY : 'Check the host. The API key is never sent to another origin.',
  };
}

export function describeTimeout({ timeoutMs }: FailureOf<'timeout'>, callee?: Callee): RunError {
  const from = callee === undefined ? '' : ` from ${callee.host}`;
  return {
    code: 'network',
    message: `No complete answer arrived${from} within ${timeoutMs} ms`,
    remedy: 'Run the same command again later.',
  };
}

/** `last`: why the attempt before the end of the run failed. */
export function describeAborted({ code }: FailureOf<'aborted'>, callee?: Callee, last?: string): RunError {
  const words = code === 'deadline' ? 'The deadline has passed' : 'Interrupted';
  const awaited = callee === undefined ? '' : ` while waiting for ${callee.host}`;
  return {
    code,
    message: withDetail(`${words}${awaited}`, last === undefined ? undefined : `the last answer was ${last}`),
    ...(code === 'deadline' ? { remedy: 'Allow more time with --deadline.' } : {}),
  };
}

/** The message of the service. */
export function detailOf({ detail }: { readonly detail: string | null }): string {
  return detail === null || detail === '' ? 'no reason was given' : detail;
}

export function withDetail(head: string, detail: string | null | undefined): string {
  return detail === null || detail === undefined || detail === '' ? head.trim() : `${head.trim()}: ${detail}`;
}

interface ServiceRefusal {
  readonly status: number;
  readonly code: string | null;
  /** The field or the parameter that was refused. */
  readonly attr?: string | null;
  readonly detail: string | null;
}

export function describeRefusal({ status, code, attr = null, detail }: ServiceRefusal, callee?: Callee): RunError {
  const name = attr === null ? code : `${code ?? 'invalid'} at ${attr}`;
  const head = `${nameService(callee)} refused the request: ${status}${name === null ? '' : ` ${name}`}`;
  return { code: 'service_refused', message: withDetail(head, detail) };
}

type InvalidAnswer = FailureOf<'invalid_answer'>;

export function summarizeInvalid({ why, at, expected }: InvalidAnswer): string {
  const shape = at === undefined || expected === undefined ? expected : `expected ${expected} at '${at}'`;
  return withDetail(`invalid answer (${why})`, shape);
}

export function describeInvalid({ why, at, expected }: InvalidAnswer, callee?: Callee): RunError {
  if (why === 'listing_unstable') {
    return {
      code: 'answer_invalid',
      message: `The list${callee === undefined ? '' : ` of ${callee.host}`} kept changing while it was read page by page`,
      remedy: 'Run the same command again when fewer flags are being created or deleted.',
    };
  }
  const facts = [why, ...(expected === undefined ? [] : [`expected ${expected} at '${at ?? ''}'`])].join(', ');
  const isText = why === 'not_json' || why === 'not_utf8';
  return {
    code: 'answer_invalid',
    message: isText
      ? `${nameService(callee)} sent HTML or another answer that is not JSON (${facts})`
      : `${nameService(callee)} sent an answer of an unexpected form (${facts})`,
    remedy: 'Check that the host is the API of the service and not a proxy or a login page.',
  };
}

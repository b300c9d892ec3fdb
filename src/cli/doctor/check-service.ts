/** Checks each host once: whether it is reached, trusted, the service, and has the time of this machine. */

import { accessSync, constants } from 'node:fs';
import { memberOf } from '../../base/json.ts';
import { summarize } from '../../posthog/client/failure-table.ts';
import type { Failure } from '../../posthog/client/failure.ts';
import { resultOf, type CheckFacts, type CheckResult, type CheckStatus } from '../../report/check-result.ts';
import { clockDifference } from '../plan/service-clock.ts';
import type { Session } from '../session/session.ts';
import type { AnswerTimes, HostProbe, Surroundings } from './surroundings.ts';

export async function checkService({ session, probes }: Surroundings): Promise<CheckResult[]> {
  const { hosts } = await probes();
  return [...hosts]
    .flatMap(([host, probe]) => checkHost(host, probe))
    .concat(checkEnvironment(session, [...hosts.values()]));
}

/** Exported for its table of cases. */
export function checkHost(host: string, { failure, answer }: HostProbe): CheckResult[] {
  const subject = { section: 'service', host } as const;
  const found = failure === undefined ? undefined : failureOfHost(failure);
  const first =
    found === undefined
      ? resultOf(subject, isSlow(answer) ? 'warning' : 'ok', [
          isSlow(answer) ? 'host_slow' : 'host_answers',
          { ms: Math.round(answer?.ms ?? 0) },
        ])
      : resultOf(subject, found[0], [found[1], found[2]]);
  if (answer === undefined) return [first];
  const difference = answer.serviceTime === undefined ? undefined : clockDifference(answer, answer.serviceTime);
  const seconds = difference === undefined ? undefined : Math.round(difference / 1000);
  const status = seconds === undefined ? 'skipped' : Math.abs(seconds) >= MOST_SECONDS ? 'warning' : 'ok';
  return [first, resultOf(subject, status, ['clock', { seconds: seconds ?? 0 }])];
}

const SLOW_MS = 3000;
/** A clock that is further off matters to rules with times. */
const MOST_SECONDS = 60;

function isSlow(answer: AnswerTimes | undefined): boolean {
  return (answer?.ms ?? 0) >= SLOW_MS;
}

type HostFinding = {
  [Code in keyof CheckFacts]: readonly [status: CheckStatus, code: Code, facts: CheckFacts[Code]];
}[keyof CheckFacts];

/** `undefined` for a refusal in the words of the service: the host is fine. */
function failureOfHost(failure: Failure): HostFinding | undefined {
  switch (failure.kind) {
    case 'network':
      return unreachable(failure.code);
    case 'timeout':
      return ['problem', 'host_unreachable', { why: 'timeout', error: 'timeout' }];
    case 'redirected':
      return ['problem', 'host_redirects', { status: failure.status, location: failure.location }];
    case 'invalid_answer':
    case 'too_large':
    case 'unexpected_status':
    case 'validation':
    case 'conflict':
      return ['problem', 'not_the_service', { why: summarize(failure) }];
    case 'server':
      return ['problem', 'host_failing', { status: failure.status }];
    case 'rate_limited':
      return [
        'warning',
        'rate_limited',
        failure.retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(failure.retryAfterMs / 1000) },
      ];
    case 'unauthorized':
    case 'forbidden':
    case 'not_found':
    case 'aborted':
      return undefined;
  }
}

function unreachable(error: string): HostFinding {
  if (CERTIFICATE.test(error)) return ['problem', 'certificate_refused', { error }];
  const why = /^(ENOTFOUND|EAI_)/.test(error) ? 'name' : error === 'ECONNREFUSED' ? 'refused' : 'network';
  return ['problem', 'host_unreachable', { why, error }];
}

const CERTIFICATE = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

const PROXIES: readonly string[] = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** The variables that decide how hosts are reached. Those of a proxy are none of them, which matters where a host is not reached. */
function checkEnvironment({ context: { env } }: Session, probes: readonly HostProbe[]): CheckResult[] {
  const subject = { section: 'service' } as const;
  const proxies = PROXIES.filter((name) => (memberOf(env, name) ?? '') !== '');
  const isUnreached = probes.some(({ answer }) => answer === undefined);
  const file = env['NODE_EXTRA_CA_CERTS'] ?? '';
  const isReadable = (): boolean => {
    try {
      accessSync(file, constants.R_OK);
      return true;
    } catch {
      return false;
    }
  };
  const readable = isReadable();
  return [
    ...(proxies.length > 0 && probes.length > 0
      ? [resultOf(subject, isUnreached ? 'warning' : 'ok', ['proxy_not_used', { variables: proxies }])]
      : []),
    ...(file === ''
      ? []
      : [
          resultOf(subject, readable ? 'ok' : 'warning', [
            'extra_certificates',
            { variable: 'NODE_EXTRA_CA_CERTS', file, readable },
          ]),
        ]),
    ...(env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
      ? [resultOf(subject, 'warning', ['certificates_unchecked', { variable: 'NODE_TLS_REJECT_UNAUTHORIZED' }])]
      : []),
  ];
}

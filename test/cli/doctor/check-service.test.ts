/** What `doctor` says of each host, of its clock, and of the variables that decide how hosts are reached. */

import { describe, expect, test } from 'vitest';
import { checkHost, checkService } from '../../../src/cli/doctor/check-projects.ts';
import type { HostProbe, Surroundings } from '../../../src/cli/doctor/surroundings.ts';
import type { Failure } from '../../../src/posthog/client/failure.ts';
import type { CheckResult } from '../../../src/report/check-result.ts';

const AT = Date.UTC(2026, 0, 31, 12);
const HOST = 'https://x.example';
const told = (results: readonly CheckResult[]): string[] =>
  results.map(({ status, code, facts }) => `${status} ${code} ${JSON.stringify(facts)}`);

describe('a failure', () => {
  const none = { code: null, detail: null };
  test.each<[Failure, string]>([
    [{ kind: 'network', code: 'ENOTFOUND' }, 'problem host_unreachable {"why":"name","error":"ENOTFOUND"}'],
    [{ kind: 'network', code: 'EAI_AGAIN' }, 'problem host_unreachable {"why":"name","error":"EAI_AGAIN"}'],
    [{ kind: 'network', code: 'ECONNREFUSED' }, 'problem host_unreachable {"why":"refused","error":"ECONNREFUSED"}'],
    [{ kind: 'network', code: 'ECONNRESET' }, 'problem host_unreachable {"why":"network","error":"ECONNRESET"}'],
    [{ kind: 'network', code: 'X_ENOTFOUND' }, 'problem host_unreachable {"why":"network","error":"X_ENOTFOUND"}'],
    ...[
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ].map((code): [Failure, string] => [{ kind: 'network', code }, `problem certificate_refused {"error":"${code}"}`]),
    [{ kind: 'network', code: 'NO_CERT_' }, 'problem host_unreachable {"why":"network","error":"NO_CERT_"}'],
    [{ kind: 'timeout', timeoutMs: 10 }, 'problem host_unreachable {"why":"timeout","error":"timeout"}'],
    [
      { kind: 'redirected', status: 302, location: '/login' },
      'problem host_redirects {"status":302,"location":"/login"}',
    ],
    [{ kind: 'too_large', limitBytes: 10 }, 'problem not_the_service {"why":"the answer is larger than 10 bytes"}'],
    [{ kind: 'unexpected_status', status: 418, ...none }, 'problem not_the_service {"why":"unexpected status 418"}'],
    [{ kind: 'validation', status: 400, attr: null, ...none }, 'problem not_the_service {"why":"400"}'],
    [{ kind: 'conflict', ...none }, 'problem not_the_service {"why":"409 conflict"}'],
    [{ kind: 'server', status: 502, detail: null }, 'problem host_failing {"status":502}'],
    [{ kind: 'rate_limited', detail: null, retryAfterMs: 1200 }, 'warning rate_limited {"retry_after_seconds":2}'],
    [{ kind: 'rate_limited', detail: null }, 'warning rate_limited {}'],
    [{ kind: 'unauthorized', detail: null }, 'ok host_answers {"ms":0}'],
    [{ kind: 'forbidden', detail: null }, 'ok host_answers {"ms":0}'],
    [{ kind: 'not_found', detail: null }, 'ok host_answers {"ms":0}'],
  ])('%j is told: %s', (failure, expected) => {
    const found = checkHost(HOST, { failure });
    expect(told(found)).toEqual([expected]);
    expect(found).toMatchObject([{ section: 'service', host: HOST }]);
  });
});

test.each([
  [2999.4, 'ok host_answers {"ms":2999}'],
  [3000, 'warning host_slow {"ms":3000}'],
])('an answer after %d ms is told: %s', (ms, expected) => {
  expect(told(checkHost(HOST, { answer: { receivedAt: AT, ms, serviceTime: AT } }))).toEqual([
    expected,
    'ok clock {"seconds":0}',
  ]);
});

test.each([
  ['ahead by less than a minute', AT + 59_000, 'ok clock {"seconds":59}'],
  ['ahead by a minute', AT + 60_000, 'warning clock {"seconds":60}'],
  ['behind by a minute', AT - 61_000, 'warning clock {"seconds":-60}'],
  ['not told', undefined, 'skipped clock {"seconds":0}'],
])("a service's clock that is %s", (_, serviceTime, expected) => {
  const answer = { receivedAt: AT, ms: 0, ...(serviceTime === undefined ? {} : { serviceTime }) };
  const found = checkHost(HOST, { answer });
  expect(told(found)).toEqual(['ok host_answers {"ms":0}', expected]);
  expect(found.every(({ host }) => host === HOST)).toBe(true);
});

describe('the environment', () => {
  const [file, missing] = [import.meta.filename, `${import.meta.filename}.missing`];
  const reached: HostProbe = { answer: { receivedAt: AT, ms: 1, serviceTime: AT } };
  const lost: HostProbe = { failure: { kind: 'timeout', timeoutMs: 10 } };
  const certificates = (file: string, readable: boolean): string =>
    `extra_certificates ${JSON.stringify({ variable: 'NODE_EXTRA_CA_CERTS', file, readable })}`;
  const unchecked = 'warning certificates_unchecked {"variable":"NODE_TLS_REJECT_UNAUTHORIZED"}';

  test.each<[string, Readonly<Record<string, string>>, readonly HostProbe[], readonly string[]]>([
    ['says nothing without such variables', {}, [reached, lost], []],
    [
      'names the variables of a proxy, in each spelling',
      { HTTPS_PROXY: 'p', https_proxy: 'p', HTTP_PROXY: 'p', http_proxy: 'p', ALL_PROXY: 'p', all_proxy: 'p' },
      [reached],
      ['ok proxy_used {"variables":["https_proxy","HTTPS_PROXY","http_proxy","HTTP_PROXY"]}'],
    ],
    [
      'warns of a proxy where one of two hosts is not reached',
      { ALL_PROXY: 'p', http_proxy: '' },
      [reached, lost],
      ['warning proxy_not_used {"variables":["ALL_PROXY"]}'],
    ],
    ['says nothing of a proxy where no host is asked', { ALL_PROXY: 'p' }, [], []],
    ['says nothing of an empty variable', { ALL_PROXY: '', NODE_EXTRA_CA_CERTS: '' }, [reached], []],
    ['names a file of certificates', { NODE_EXTRA_CA_CERTS: file }, [reached], [`ok ${certificates(file, true)}`]],
    [
      'warns of one that cannot be read',
      { NODE_EXTRA_CA_CERTS: missing },
      [reached],
      [`warning ${certificates(missing, false)}`],
    ],
    ['warns of certificates that are not checked', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, [], [unchecked]],
    ['says nothing of ones that are', { NODE_TLS_REJECT_UNAUTHORIZED: '1' }, [], []],
  ])('%s', async (_, env, probes, expected) => {
    const hosts = new Map(probes.map((probe, index) => [`https://${index}.example`, probe]));
    const found = await checkService({
      session: { context: { env } },
      probes: async () => Promise.resolve({ hosts, projects: new Map() }),
    } as unknown as Surroundings);
    const own = found.filter(({ host }) => host === undefined);
    expect(told(own)).toEqual(expected);
    expect(own.every(({ section }) => section === 'service')).toBe(true);
    expect([...new Set(found.flatMap(({ host }) => host ?? []))]).toEqual([...hosts.keys()]);
  });
});

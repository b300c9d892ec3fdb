import { describe, expect, test } from 'vitest';
import { checkHost } from '../../../src/cli/doctor/check-service.ts';
import type { Failure } from '../../../src/posthog/client/failure.ts';

const AT = Date.UTC(2026, 0, 31, 12);

describe('a failure', () => {
  test.each<[Failure, string, string]>([
    [{ kind: 'network', code: 'ENOTFOUND' }, 'problem', 'host_unreachable'],
    [{ kind: 'network', code: 'EAI_AGAIN' }, 'problem', 'host_unreachable'],
    [{ kind: 'network', code: 'ECONNRESET' }, 'problem', 'host_unreachable'],
    [{ kind: 'network', code: 'CERT_HAS_EXPIRED' }, 'problem', 'certificate_refused'],
    [{ kind: 'network', code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'problem', 'certificate_refused'],
    [{ kind: 'network', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'problem', 'certificate_refused'],
    [{ kind: 'timeout', timeoutMs: 10 }, 'problem', 'host_unreachable'],
    [{ kind: 'too_large', limitBytes: 10 }, 'problem', 'not_the_service'],
    [{ kind: 'unexpected_status', status: 418, code: null, detail: null }, 'problem', 'not_the_service'],
    [{ kind: 'validation', status: 400, code: null, attr: null, detail: null }, 'problem', 'not_the_service'],
    [{ kind: 'conflict', code: null, detail: null }, 'problem', 'not_the_service'],
    [{ kind: 'unauthorized', detail: null }, 'ok', 'host_answers'],
    [{ kind: 'forbidden', detail: null }, 'ok', 'host_answers'],
    [{ kind: 'not_found', detail: null }, 'ok', 'host_answers'],
  ])('%j is a %s: %s', (failure, status, code) => {
    expect(checkHost('https://x.example', { failure })).toMatchObject([{ status, code, host: 'https://x.example' }]);
  });
});

test('a slow answer is a warning', () => {
  const answer = { receivedAt: AT, ms: 5000, serviceTime: AT };
  expect(checkHost('https://x.example', { answer }).map(({ status, code }) => [status, code])).toEqual([
    ['warning', 'host_slow'],
    ['ok', 'clock'],
  ]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/posthog/client/failure.ts';
import type { Repeat } from '../../../src/posthog/client/request-spec.ts';
import { decideRetry, type FailedAttempt } from '../../../src/posthog/client/send.ts';

const LIMITS = { attempts: 5, throttledMs: 30 * 60_000, pauseMs: 20 * 60_000 };

function attemptWith(failure: Failure, facts: Partial<FailedAttempt> = {}): FailedAttempt {
  const defaults = { repeat: 'freely', ambiguous: false, failures: 1, throttles: 1, elapsedMs: 0 } as const;
  return { failure, ...defaults, retryAfterMs: undefined, ...facts };
}

function kindOf(failure: Failure, facts?: Partial<FailedAttempt>): string {
  return decideRetry(attemptWith(failure, facts), LIMITS, () => 0.5).kind;
}

const NETWORK: Failure = { kind: 'network', code: 'ECONNRESET' };
const TIMEOUT: Failure = { kind: 'timeout', timeoutMs: 1 };
const SERVER: Failure = { kind: 'server', status: 503, detail: null };
const THROTTLED: Failure = { kind: 'rate_limited', detail: null };

describe('a read', () => {
  const status = (code: number): Failure => ({ kind: 'unexpected_status', status: code, code: null, detail: null });
  const CASES: readonly [string, Failure][] = [
    ['wait', NETWORK],
    ['wait', TIMEOUT],
    ['wait', SERVER],
    ['wait', status(408)],
    ['pause', THROTTLED],
    ['give_up', status(405)],
    ['give_up', { kind: 'network', code: 'CERT_HAS_EXPIRED' }],
    ['give_up', { kind: 'network', code: 'UND_ERR_DESTROYED' }],
    ['give_up', { kind: 'unauthorized', detail: null }],
    ['give_up', { kind: 'forbidden', detail: null }],
    ['give_up', { kind: 'not_found', detail: null }],
    ['give_up', { kind: 'validation', status: 400, code: null, attr: null, detail: null }],
    ['give_up', { kind: 'conflict', code: null, detail: null }],
    ['give_up', { kind: 'invalid_answer', why: 'not_json' }],
    ['give_up', { kind: 'too_large', limitBytes: 1 }],
    ['give_up', { kind: 'redirected', status: 302, location: null }],
    ['give_up', { kind: 'aborted', code: 'deadline' }],
  ];
  test.each(CASES)('%s after %o', (expected, failure) => {
    expect(kindOf(failure)).toBe(expected);
  });
});

describe('a request that may have been executed', () => {
  const CASES: readonly [Repeat, boolean, Failure, string][] = [
    ['unless_sent', true, NETWORK, 'give_up'],
    ['unless_sent', true, TIMEOUT, 'give_up'],
    ['unless_sent', true, SERVER, 'give_up'],
    ['unless_sent', false, NETWORK, 'wait'],
    ['unless_sent', false, TIMEOUT, 'wait'],
    ['unless_sent', false, THROTTLED, 'pause'],
    ['until_gone', true, NETWORK, 'wait'],
    ['until_gone', true, SERVER, 'wait'],
  ];
  test.each(CASES)('%s, ambiguous %s, %o: %s', (repeat, ambiguous, failure, expected) => {
    expect(kindOf(failure, { repeat, ambiguous })).toBe(expected);
  });
});

test('the fifth failure is the last, the fiftieth 429 is not', () => {
  expect(kindOf(NETWORK, { failures: 4 })).toBe('wait');
  expect(kindOf(NETWORK, { failures: 5 })).toBe('give_up');
  expect(kindOf(THROTTLED, { throttles: 50, elapsedMs: 20 * 60_000 })).toBe('pause');
});

test('429 is given up when the pause would pass the limit', () => {
  expect(kindOf(THROTTLED, { elapsedMs: 29 * 60_000, retryAfterMs: 59_000 })).toBe('pause');
  expect(kindOf(THROTTLED, { elapsedMs: 29 * 60_000, retryAfterMs: 61_000 })).toBe('give_up');
});

test('a 429 that asks for longer than the longest pause ends all calls', () => {
  expect(kindOf(THROTTLED, { retryAfterMs: 20 * 60_000 })).toBe('pause');
  expect(kindOf(THROTTLED, { retryAfterMs: 20 * 60_000 + 1 })).toBe('close');
});

test('a pause is as long as the service asks; a 503 can ask for a minute at most', () => {
  const decide = (failure: Failure, retryAfterMs: number): unknown =>
    decideRetry(attemptWith(failure, { retryAfterMs }), LIMITS, () => 0);
  expect(decide(THROTTLED, 120_000)).toEqual({ kind: 'pause', ms: 120_000 });
  expect(decide(THROTTLED, 0)).toEqual({ kind: 'pause', ms: 125 });
  expect(decide(SERVER, 20_000)).toEqual({ kind: 'wait', ms: 20_000 });
  expect(decide(SERVER, 3_600_000)).toEqual({ kind: 'wait', ms: 60_000 });
});

test('the wait doubles from 250 ms to 10 s, and half of it is random', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (throttles, chance) => {
        const decision = decideRetry(attemptWith(THROTTLED, { throttles }), LIMITS, () => chance);
        const longest = Math.min(10_000, 250 * 2 ** (throttles - 1));
        const ms = decision.kind === 'give_up' ? Number.NaN : decision.ms;
        expect(ms).toBeGreaterThanOrEqual(longest / 2);
        expect(ms).toBeLessThanOrEqual(longest);
      },
    ),
  );
});

describe('a network error', () => {
  const LASTING = [
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UND_ERR_DESTROYED',
    'UND_ERR_CLOSED',
    'UND_ERR_INVALID_ARG',
  ];
  const PASSING = [
    'ECONNRESET',
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EPIPE',
    'UND_ERR_SOCKET',
    'NOT_A_CERT_',
    'unknown',
  ];
  test.each(LASTING)('%s is given up', (code) => expect(kindOf({ kind: 'network', code })).toBe('give_up'));
  test.each(PASSING)('%s is tried again', (code) => expect(kindOf({ kind: 'network', code })).toBe('wait'));
});

test('429 is waited out up to the exact limit', () => {
  expect(kindOf(THROTTLED, { elapsedMs: 29 * 60_000, retryAfterMs: 60_000 })).toBe('pause');
  expect(kindOf(THROTTLED, { elapsedMs: 29 * 60_000, retryAfterMs: 60_001 })).toBe('give_up');
});

test('a wait is never shorter than the service asks or the backoff requires', () => {
  const waitMs = (retryAfterMs: number | undefined, failures: number): unknown =>
    decideRetry(attemptWith(SERVER, { retryAfterMs, failures }), LIMITS, () => 0);
  expect(waitMs(undefined, 1)).toEqual({ kind: 'wait', ms: 125 });
  expect(waitMs(undefined, 3)).toEqual({ kind: 'wait', ms: 500 });
  expect(waitMs(100, 1)).toEqual({ kind: 'wait', ms: 125 });
  expect(waitMs(300, 1)).toEqual({ kind: 'wait', ms: 300 });
});

test('a 429 without a time waits longer each time', () => {
  const pauseMs = (throttles: number): unknown =>
    decideRetry(attemptWith(THROTTLED, { throttles, failures: 1 }), LIMITS, () => 0);
  expect([1, 2, 3].map(pauseMs)).toEqual([125, 250, 500].map((ms) => ({ kind: 'pause', ms })));
});

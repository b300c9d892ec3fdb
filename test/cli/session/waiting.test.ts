/** What a run says that it waits for. */

import { describe, expect, test } from 'vitest';
import { aheadText, createWaiting, waitText, type Waiting } from '../../../src/cli/session/progress.ts';
import type { Failure } from '../../../src/posthog/client/failure.ts';

type WaitingEvent = Parameters<Waiting['note']>[0];

const CALL = { operation: 'listFlags', method: 'GET', path: '/api/' } as const;
const REQUEST: WaitingEvent = { kind: 'request', ...CALL };
const response = (status?: number): WaitingEvent => ({
  kind: 'response',
  ...CALL,
  bytes: 0,
  ms: 1,
  waitedMs: 1,
  ...(status === undefined ? {} : { status }),
});
const retry = (why: Failure, waitMs = 500) =>
  ({ kind: 'retry', operation: 'listFlags', failure: why.kind, why, attempt: 2, attempts: 5, waitMs }) as const;
const TIMEOUT: Failure = { kind: 'timeout', timeoutMs: 30_000 };
const SERVER: Failure = { kind: 'server', status: 503, detail: null };

/** What the progress line says at the time `at`, after events at their times. */
function textAt(at: number, ...events: readonly (readonly [number, WaitingEvent])[]): string | undefined {
  const waiting = createWaiting();
  for (const [time, event] of events) waiting.note(event, time);
  return waiting.text(at);
}

describe('the progress line', () => {
  test('counts down a pause that the service asks for', () => {
    const pause = { kind: 'pause', operation: 'x', waitMs: 12_000 } as const;
    expect(textAt(0, [0, pause])).toBe('429, waiting 12 s');
    expect(textAt(4000, [0, pause])).toBe('429, waiting 8 s');
    expect(textAt(12_000, [0, pause])).toBeUndefined();
  });

  test('says how long no answer has arrived, from three seconds on', () => {
    expect(textAt(2999, [0, REQUEST])).toBeUndefined();
    expect(textAt(12_000, [0, REQUEST])).toBe('no answer for 12 s');
    expect(textAt(12_000, [0, REQUEST], [1000, REQUEST], [7000, response(200)])).toBe('no answer for 5 s');
    expect(textAt(12_000, [0, REQUEST], [7000, response(200)])).toBeUndefined();
  });

  test('keeps counting through the attempts that get no answer', () => {
    const broken = [[0, REQUEST] as const, [30_000, response()] as const, [30_000, retry(TIMEOUT)] as const] as const;
    expect(textAt(30_200, ...broken)).toBe('no answer for 30 s, attempt 2 of 5 in 1 s');
    expect(textAt(47_000, ...broken, [30_500, REQUEST])).toBe('no answer for 47 s, attempt 2 of 5');
    expect(textAt(47_000, ...broken, [30_500, REQUEST], [40_000, response(200)])).toBeUndefined();
  });

  test('names the status or the network error of the attempt before', () => {
    expect(textAt(499, [0, retry(SERVER)])).toBe('503, attempt 2 of 5 in 1 s');
    expect(textAt(500, [0, retry(SERVER)])).toBe('503, attempt 2 of 5');
    expect(textAt(9000, [0, retry(SERVER)], [600, REQUEST])).toBe('503, attempt 2 of 5');
    expect(textAt(9000, [0, retry(SERVER)], [600, REQUEST], [700, response(503)])).toBe('503, attempt 2 of 5');
    expect(textAt(9000, [0, retry({ kind: 'network', code: 'ECONNRESET' })])).toBe('ECONNRESET, attempt 2 of 5');
  });

  test('says that the request budget is spent', () => {
    expect(textAt(1000, [0, { kind: 'budget', operation: 'x', waitMs: 42_000 }])).toBe(
      'waiting 41 s for the request budget',
    );
  });
});

test.each<[Parameters<typeof waitText>[0], string]>([
  [retry(TIMEOUT), 'listFlags: no answer for 30 s, attempt 2 of 5 in 500 ms'],
  [{ kind: 'pause', operation: 'x', waitMs: 12_000 }, '429, waiting 12.0 s'],
  [{ kind: 'budget', operation: 'x', waitMs: 41_000 }, 'waiting 41.0 s for the request budget'],
])('the log says %j as %s', (event, text) => {
  expect(waitText(event)).toBe(text);
});

test('a wait of the run itself is told with its requests and its time', () => {
  expect(aheadText({ kind: 'ahead', operation: 'getAccess', requests: 600, waitMs: 61_000 })).toBe(
    'About 600 requests follow, with about 1 min 1 s of waiting under the limit of the service.',
  );
});

test('the rest of the longest pause is known, and a pause comes before a retry, a retry before the budget', () => {
  const waiting = createWaiting();
  const pause = (waitMs: number): WaitingEvent => ({ kind: 'pause', operation: 'x', waitMs });
  const budget = (waitMs: number): WaitingEvent => ({ kind: 'budget', operation: 'x', waitMs });
  expect(waiting.pausedMs(0)).toBe(0);
  for (const event of [budget(40_000), budget(1000), retry(SERVER, 1000), pause(9000), pause(1000)])
    waiting.note(event, 0);
  expect([waiting.pausedMs(2000), waiting.pausedMs(9001)]).toEqual([7000, 0]);
  expect([waiting.text(2000), waiting.text(9000)]).toEqual(['429, waiting 7 s', '503, attempt 2 of 5']);
  waiting.note(REQUEST, 9000);
  waiting.note(response(499), 9000);
  expect([waiting.text(9000), waiting.text(40_000)]).toEqual(['waiting 31 s for the request budget', undefined]);
});

test('an answer of the service that is no success ends no retry, and any other one does', () => {
  const after = (status: number): string | undefined =>
    textAt(9000, [0, retry(SERVER)], [600, REQUEST], [700, response(status)]);
  expect([after(500), after(499)]).toEqual(['503, attempt 2 of 5', undefined]);
});

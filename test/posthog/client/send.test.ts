import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { systemClock } from '../../../src/posthog/client/pace.ts';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import type { ServiceEvent } from '../../../src/posthog/client/events.ts';
import { clientFor, failureOf, skippingClock } from './support/client.ts';
import { closedHost, serve, serveInTurn, serveSocket, type Reply } from './support/server.ts';
import { holdTimers, turns } from '../../helpers/timers.ts';
import { until } from '../../helpers/until.ts';

const FLAG = { id: 1, key: 'a' };
const ENTRY = { id: 3, role: { id: 'r', name: 'Role' } };
const OK: Reply = { body: FLAG };
const THROTTLED: Reply = { status: 429, headers: { 'retry-after': '2' } };
const HTML: Reply = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' };

const WRITES: readonly [string, (client: ServiceClient) => Promise<unknown>, Reply][] = [
  ['createFlag', (client) => client.createFlag({ key: 'a' }), { status: 201, body: FLAG }],
  ['updateFlag', (client) => client.updateFlag(1, { active: false }), OK],
  ['createRoleAccess', (client) => client.createRoleAccess(1, 'r'), { status: 201, body: ENTRY }],
];

describe('a read', () => {
  const PASSING: readonly [string, readonly Reply[], number][] = [
    ['500', [{ status: 500 }, OK], 2],
    ['502 with HTML', [HTML, HTML, OK], 3],
    ['408', [{ status: 408 }, OK], 2],
    ['429', [THROTTLED, OK], 2],
    ['429 twenty times', [...Array.from({ length: 20 }, () => THROTTLED), OK], 21],
    ['four failures and 429 between them', [HTML, THROTTLED, HTML, THROTTLED, HTML, HTML, OK], 7],
  ];
  test.each(PASSING)('is repeated after %s', async (_name, replies, requests) => {
    const { host, seen } = await serveInTurn(...replies);
    const client = clientFor(host);
    expect(await client.getFlag(1)).toEqual(FLAG);
    expect(seen).toHaveLength(requests);
    expect(client.stats()).toMatchObject({ requests, retries: requests - 1 });
  });

  test('is given up after five failures', async () => {
    const { host, seen } = await serveInTurn(HTML);
    expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({
      failure: { kind: 'server', status: 502 },
      operation: 'getFlag',
      method: 'GET',
      path: '/api/projects/1/feature_flags/1/',
      attempts: 5,
      mayHaveHappened: false,
    });
    expect(seen).toHaveLength(5);
  });

  test('is repeated after a reset connection and a truncated body', async () => {
    const head = (length: number): string => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;
    const { host } = await serveSocket((socket, turn) => {
      if (turn === 1) socket.resetAndDestroy();
      else if (turn === 2) socket.end(`${head(500)}{"id": 1,`);
      else socket.end(`${head(19)}{"id": 1,"key":"a"}`);
    });
    expect(await clientFor(host).getFlag(1)).toEqual(FLAG);
  });

  test('that never gets an answer did not change anything', async () => {
    const { host, received } = await serveSocket((socket) => socket.resetAndDestroy());
    expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({
      failure: { kind: 'network', code: 'ECONNRESET' },
      mayHaveHappened: false,
    });
    expect(received).toHaveLength(5);
  });

  test('is not repeated after a body that is not JSON', async () => {
    const { host, seen } = await serveInTurn({ body: 'certainly' });
    expect(await failureOf(clientFor(host).getFlag(1))).toMatchObject({
      failure: { kind: 'invalid_answer', why: 'not_json' },
      mayHaveHappened: false,
    });
    expect(seen).toHaveLength(1);
  });
});

describe.each(WRITES)('%s', (operation, call, success) => {
  const AMBIGUOUS: readonly [string, Reply, object][] = [
    ['500', { status: 500 }, { kind: 'server', status: 500 }],
    ['502 with HTML', HTML, { kind: 'server', status: 502 }],
    ['408', { status: 408 }, { kind: 'unexpected_status', status: 408 }],
    ['a success without a body', { status: 204 }, { kind: 'invalid_answer', why: 'shape' }],
    ['a success in HTML', { body: '<html>' }, { kind: 'invalid_answer', why: 'not_json' }],
    ['303', { status: 303, headers: { location: '/' } }, { kind: 'redirected', status: 303 }],
  ];
  test.each(AMBIGUOUS)('is not repeated after %s, and may have happened', async (_name, reply, failure) => {
    const { host, seen } = await serveInTurn(reply, success);
    expect(await failureOf(call(clientFor(host)))).toMatchObject({ operation, failure, mayHaveHappened: true });
    expect(seen).toHaveLength(1);
  });

  const REFUSED: readonly [string, Reply, object][] = [
    ['400', { status: 400, body: { code: 'unique', attr: 'key' } }, { kind: 'validation', code: 'unique' }],
    ['401', { status: 401 }, { kind: 'unauthorized' }],
    ['403', { status: 403 }, { kind: 'forbidden' }],
    ['404', { status: 404 }, { kind: 'not_found' }],
    ['409', { status: 409, body: { code: 'conflict' } }, { kind: 'conflict', code: 'conflict' }],
    ['405', { status: 405 }, { kind: 'unexpected_status', status: 405 }],
    ['308', { status: 308, headers: { location: '/' } }, { kind: 'redirected', status: 308 }],
  ];
  test.each(REFUSED)('is refused with %s, and did not happen', async (_name, reply, failure) => {
    const { host, seen } = await serveInTurn(reply, success);
    expect(await failureOf(call(clientFor(host)))).toMatchObject({ operation, failure, mayHaveHappened: false });
    expect(seen).toHaveLength(1);
  });

  test('is repeated after 429', async () => {
    const { host, seen } = await serveInTurn(THROTTLED, THROTTLED, success);
    await call(clientFor(host));
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
  });

  test('is not repeated after a reset, and may have happened', async () => {
    const { host, received } = await serveSocket((socket) => socket.resetAndDestroy());
    const error = await failureOf(call(clientFor(host)));
    expect(error).toMatchObject({ failure: { kind: 'network', code: 'ECONNRESET' }, mayHaveHappened: true });
    expect(received).toHaveLength(1);
  });

  test('times out, and may have happened', async () => {
    const timers = holdTimers();
    const { host, received } = await serveSocket(() => undefined);
    const failing = failureOf(call(clientFor(host, { timeoutMs: 200 })));
    await until(() => expect(received).toHaveLength(1));
    timers.pass(200);
    const failure = { kind: 'timeout', timeoutMs: 200 };
    expect(await failing).toMatchObject({ failure, mayHaveHappened: true, attempts: 1 });
  });

  test('is repeated while no server listens, and did not happen', async () => {
    const clock = skippingClock();
    const error = await failureOf(call(clientFor(await closedHost(), { clock })));
    expect(error).toMatchObject({ failure: { kind: 'network', code: 'ECONNREFUSED' }, mayHaveHappened: false });
    expect(clock.slept).toHaveLength(9);
  });
});

test('a write on a kept-alive connection that the service closed may have happened', async () => {
  let turn = 0;
  const { host, seen } = await serve((_request, response) => {
    turn += 1;
    if (turn === 1) return OK;
    response.socket?.resetAndDestroy();
    return undefined;
  });
  const client = clientFor(host, { concurrency: 1 });
  await client.getFlag(1);
  expect(await failureOf(client.createFlag({ key: 'a' }))).toMatchObject({ mayHaveHappened: true });
  expect(seen).toHaveLength(2);
});

describe('deleteRoleAccess', () => {
  test('answered 204 is done', async () => {
    const { host, seen } = await serveInTurn({ status: 204 });
    await expect(clientFor(host).deleteRoleAccess(1, 3)).resolves.toBeUndefined();
    expect(seen).toMatchObject([{ method: 'DELETE', url: '/api/projects/1/feature_flags/1/role_access/3/' }]);
  });

  test.each<[string, Reply, string]>([
    ['an empty 200', { status: 200 }, 'shape'],
    ['an empty 202', { status: 202 }, 'shape'],
    ['200 and an object', { status: 200, body: {} }, 'shape'],
    ['the page of a proxy', { status: 200, body: '<html>' }, 'not_json'],
  ])('answered with %s may have happened, and is not repeated before it is looked up', async (_name, reply, why) => {
    const { host, seen } = await serveInTurn(reply);
    expect(await failureOf(clientFor(host).deleteRoleAccess(1, 3))).toMatchObject({
      failure: { kind: 'invalid_answer', why },
      mayHaveHappened: true,
    });
    expect(seen).toHaveLength(1);
  });

  test('of an entry that is gone after a lost answer succeeds', async () => {
    const { host, seen } = await serveInTurn({ status: 500 }, { status: 404, body: { detail: 'Not found.' } });
    await expect(clientFor(host).deleteRoleAccess(1, 3)).resolves.toBeUndefined();
    expect(seen).toHaveLength(2);
  });

  test('a 404 of a proxy after a lost answer proves nothing', async () => {
    const { host, seen } = await serveInTurn({ status: 500 }, { status: 404, body: '<html>404</html>' });
    expect(await failureOf(clientFor(host).deleteRoleAccess(1, 3))).toMatchObject({
      failure: { kind: 'not_found' },
      mayHaveHappened: true,
    });
    expect(seen).toHaveLength(2);
  });

  test.each([
    ['at once', [{ status: 404 }]],
    ['after 429', [THROTTLED, { status: 404 }]],
  ])('of an entry that is missing %s fails', async (_name, replies) => {
    const { host } = await serveInTurn(...replies);
    expect(await failureOf(clientFor(host).deleteRoleAccess(1, 3))).toMatchObject({
      failure: { kind: 'not_found' },
      mayHaveHappened: false,
    });
  });

  test('refused after a lost answer may have happened', async () => {
    const { host } = await serveInTurn({ status: 500 }, { status: 403 });
    expect(await failureOf(clientFor(host).deleteRoleAccess(1, 3))).toMatchObject({
      failure: { kind: 'forbidden' },
      attempts: 2,
      mayHaveHappened: true,
    });
  });
});

describe('429', () => {
  test.each([
    ['seconds', { status: 429, headers: { 'retry-after': '3' } }, 3000],
    [
      'a date',
      {
        status: 429,
        headers: { 'retry-after': 'Sun, 01 Mar 2026 12:00:03 GMT', date: 'Sun, 01 Mar 2026 12:00:00 GMT' },
      },
      3000,
    ],
    ['a number in the detail', { status: 429, body: { detail: 'Expected available in 3 seconds.' } }, 3000],
    ['nothing', { status: 429 }, 250],
  ])('with %s', async (_name, reply, pausedMs) => {
    const { host } = await serveInTurn(reply, OK);
    const events: ServiceEvent[] = [];
    const client = clientFor(host, { random: () => 0.999999, onEvent: (event) => events.push(event) });
    await client.getFlag(1);
    expect(client.stats().pausedMs).toBeCloseTo(pausedMs, 0);
    expect(events.map(({ kind }) => kind)).toEqual(['request', 'response', 'pause', 'request', 'response']);
  });

  test('holds every caller back for as long as the service asks', async () => {
    let now = 0;
    const wake: (() => void)[] = [];
    const clock = { now: () => now, sleep: () => new Promise<void>((resolve) => void wake.push(resolve)) };
    const { host, seen } = await serve(async () => {
      if (seen.length === 1) return { status: 429, headers: { 'retry-after': '600' } };
      // Requests in flight when the pause begins are answered during the pause.
      await until(() => expect(client.stats().pausedMs).toBeGreaterThan(0));
      return OK;
    });
    const client = clientFor(host, { clock, concurrency: 3 });
    const calls = Promise.all(Array.from({ length: 30 }, () => client.getFlag(1)));
    await until(() => expect(wake).toHaveLength(3));
    await turns();
    // One more request may start before the answer to the first one begins the pause.
    expect(seen.length).toBeLessThanOrEqual(4);
    now += 602_000;
    for (const wakeUp of wake) wakeUp();
    await calls;
    expect(seen).toHaveLength(31);
  });

  test('is waited out for half an hour without a signal', async () => {
    const { host } = await serveInTurn({ status: 429, headers: { 'retry-after': '600' } });
    const clock = skippingClock();
    expect(await failureOf(clientFor(host, { clock }).createFlag({ key: 'a' }))).toMatchObject({
      failure: { kind: 'rate_limited', retryAfterMs: 600_000 },
      attempts: 3,
      mayHaveHappened: false,
    });
  });

  test('is waited out for hours with a signal', async () => {
    const hourly: Reply = { status: 429, headers: { 'retry-after': '3600' } };
    const { host } = await serveInTurn(hourly, hourly, hourly, OK);
    const client = clientFor(host, { signal: new AbortController().signal });
    expect(await client.getFlag(1)).toEqual(FLAG);
  });
});

describe('a 429 for longer than any call waits', () => {
  const HOUR_MS = 3_600_000;
  const asking = (seconds: number): Reply => ({ status: 429, headers: { 'retry-after': String(seconds) } });

  test.each([
    ['an hour', 3601, undefined],
    ['the rest of the deadline', 21, () => 20_000],
  ])('longer than %s: a read and a write fail at once and say until when', async (_name, seconds, leftMs) => {
    const { host, seen } = await serveInTurn(asking(seconds), OK);
    let now = Date.UTC(2026, 0, 31, 12);
    const clock = { now: () => now, sleep: () => new Promise<void>(() => undefined) };
    const events: ServiceEvent[] = [];
    const client = clientFor(host, {
      ...{ clock, signal: new AbortController().signal, onEvent: (event) => events.push(event) },
      ...(leftMs && { leftMs }),
    });
    const failure = { kind: 'rate_limited', until: now + seconds * 1000 };
    expect(await failureOf(client.getFlag(1))).toMatchObject({ failure, attempts: 1, mayHaveHappened: false });
    // Nothing more is sent until then.
    expect(await failureOf(client.createFlag({ key: 'a' }))).toMatchObject({
      ...{
        failure,
        attempts: 0,
        mayHaveHappened: false,
        said: expect.stringMatching(/^no requests until 2026-01-31 1/) as string,
      },
    });
    expect([seen.length, events.map(({ kind }) => kind)]).toEqual([1, ['request', 'response']]);
    now += seconds * 1000;
    expect(await client.getFlag(1)).toEqual(FLAG);
  });

  test('fails calls that wait for a shorter pause too', async () => {
    let now = 0;
    const wake: (() => void)[] = [];
    const clock = { now: () => now, sleep: () => new Promise<void>((resolve) => void wake.push(resolve)) };
    const { host, seen } = await serveInTurn(asking(10), asking(7200), OK);
    const client = clientFor(host, { clock, signal: new AbortController().signal, concurrency: 2 });
    const calls = [failureOf(client.getFlag(1)), failureOf(client.getFlag(2))];
    // Whichever of them is asked for the long pause.
    await Promise.race(calls);
    now += HOUR_MS;
    const waking = setInterval(() => {
      for (const wakeUp of wake.splice(0)) wakeUp();
    }, 5);
    const failed = await Promise.all(calls).finally(() => clearInterval(waking));
    for (const { failure } of failed) expect(failure).toMatchObject({ kind: 'rate_limited' });
    expect(seen).toHaveLength(2);
  });

  test('is no reason where the run has ended: that is told', async () => {
    const { host } = await serveInTurn(asking(7200));
    const stop = new AbortController();
    const client = clientFor(host, { signal: stop.signal });
    await failureOf(client.getFlag(1));
    stop.abort();
    expect((await failureOf(client.getFlag(1))).failure).toEqual({ kind: 'aborted', code: 'interrupted' });
  });
});

describe('an abort', () => {
  test.each([
    ['deadline', new FlagwrightError('deadline', 'Too late.')],
    ['interrupted', new FlagwrightError('interrupted', 'Ctrl-C.')],
    ['deadline', new DOMException('x', 'TimeoutError')],
    ['interrupted', undefined],
  ] as const)('is told as %s for %o', async (code, reason) => {
    const { host, seen } = await serveInTurn(OK);
    const signal = AbortSignal.abort(reason);
    const error = await failureOf(clientFor(host, { signal }).createFlag({ key: 'a' }));
    expect(error).toMatchObject({ failure: { kind: 'aborted', code }, attempts: 0, mayHaveHappened: false });
    expect(seen).toHaveLength(0);
  });

  test('of a write in flight may have happened; one that waits for its turn did not', async () => {
    const { host, received } = await serveSocket(() => undefined);
    const controller = new AbortController();
    const client = clientFor(host, { signal: controller.signal, concurrency: 1 });
    const calls = [failureOf(client.createFlag({ key: 'a' })), failureOf(client.createFlag({ key: 'b' }))];
    await until(() => expect(received).toHaveLength(1));
    controller.abort();
    expect((await Promise.all(calls)).map(({ mayHaveHappened }) => mayHaveHappened)).toEqual([true, false]);
    expect(received).toHaveLength(1);
  });

  test('ends a pause', async () => {
    const { host, seen } = await serveInTurn({ status: 429, headers: { 'retry-after': '3000' } });
    const controller = new AbortController();
    const sleep = (_ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('woken'))));
    const client = clientFor(host, { signal: controller.signal, clock: { now: () => Date.now(), sleep } });
    const call = failureOf(client.createFlag({ key: 'a' }));
    await until(() => expect(client.stats().pausedMs).toBeGreaterThan(0));
    controller.abort();
    expect(await call).toMatchObject({ failure: { kind: 'aborted' }, attempts: 1, mayHaveHappened: false });
    expect(seen).toHaveLength(1);
  });
});

test('requests in flight stay within the limit, whatever fails', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.constantFrom(200, 200, 429, 500, 404), { minLength: 1, maxLength: 40 }),
      async (concurrency, statuses) => {
        let inFlight = 0;
        let most = 0;
        const { host } = await serve(async ({ url }) => {
          most = Math.max(most, (inFlight += 1));
          await turns(2);
          inFlight -= 1;
          const id = Number(/(\d+)\/$/.exec(url)?.[1]);
          const status = statuses[id] ?? 200;
          statuses[id] = status === 429 ? 200 : status;
          return { status, body: { id, key: 'a' } };
        });
        const client = clientFor(host, { concurrency });
        const results = await Promise.allSettled(statuses.map((_, id) => client.getFlag(id)));
        expect(most).toBeLessThanOrEqual(concurrency);
        expect(results.map(({ status }) => status === 'fulfilled')).toEqual(statuses.map((status) => status === 200));
        await client.close();
      },
    ),
    { numRuns: 15 },
  );
});

describe.each<[string, (client: ServiceClient) => Promise<unknown>]>([
  ['a read', (client) => client.getFlag(1)],
  ['a write', (client) => client.updateFlag(1, { active: false })],
])('%s, when the run is stopped', (_name, call) => {
  test.each<[string, Reply]>([
    ['waits for a pause', { status: 429, headers: { 'retry-after': '3600' } }],
    ['waits because of a failure', { status: 503, headers: { 'retry-after': '86400' } }],
  ])('and it %s, is released at once', async (_wait, reply) => {
    const { host, seen } = await serveInTurn(reply);
    const stop = new AbortController();
    const cut = new AbortController();
    const client = clientFor(host, { clock: systemClock, signal: cut.signal, stop: stop.signal });
    const failing = failureOf(call(client));
    await until(() => expect(client.stats().retries + seen.length).toBeGreaterThan(0));
    const reason = new FlagwrightError('deadline', 'The deadline passed.');
    stop.abort(reason);
    const { failure, mayHaveHappened } = await failing;
    if (mayHaveHappened) return;
    expect(failure).toEqual({ kind: 'aborted', code: 'deadline' });
    expect(seen).toHaveLength(1);
  });
});

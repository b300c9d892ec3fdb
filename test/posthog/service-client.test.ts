import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { createClient, type ServiceClient } from '../../src/posthog/service-client.ts';
import type { ServiceEvent } from '../../src/posthog/client/events.ts';
import { clientFor, failureOf, KEY, skippingClock } from './client/support/client.ts';
import { closedHost, serve, serveInTurn, serveSocket } from './client/support/server.ts';
import { until } from '../helpers/until.ts';

/** A name that is too long for DNS: fails at once, without a network. */
const NOWHERE = `https://${'x'.repeat(64)}.invalid`;
const FLAG = { id: 1, key: 'a' };

test('every request carries the key, and asks for plain JSON', async () => {
  const { host, seen } = await serveInTurn({ body: FLAG });
  await clientFor(host, { userAgent: 'flagwright/1.2.3' }).getFlag(1);
  expect(seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'flagwright/1.2.3',
  });
});

test('a host with a path, and the current project', async () => {
  const { host, seen } = await serveInTurn({ body: FLAG });
  await clientFor(`${host}/posthog/`, { projectId: '@current' }).getFlag(1);
  expect(seen[0]?.url).toBe('/posthog/api/projects/@current/feature_flags/1/');
});

test.each([
  ['an empty key', { apiKey: '' }],
  ['a key with a line break', { apiKey: `${KEY}\r\nx-evil: 1` }],
  ['a plain host elsewhere', { host: 'http://example.com' }],
  ['no project', { projectId: '' }],
])('%s is refused before anything is sent', (_name, options) => {
  const create = (): ServiceClient =>
    createClient({ host: 'https://example.com', projectId: '1', apiKey: KEY, ...options });
  expect(create).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  expect(create).not.toThrow(/planted/);
});

describe('the key appears nowhere', () => {
  const echo = (request: { headers: { authorization?: string | undefined } }): string =>
    request.headers.authorization ?? '';
  const BAD_DAYS: readonly [string, () => Promise<string>][] = [
    [
      'refusals that repeat it',
      async () => (await serve((r) => ({ status: 400, body: { code: echo(r), attr: echo(r), detail: echo(r) } }))).host,
    ],
    [
      'a forbidden answer in another shape',
      async () => (await serve((r) => ({ status: 403, body: { error: echo(r) } }))).host,
    ],
    [
      'a conflict',
      async () => (await serve((r) => ({ status: 409, body: { extra: { change_request_id: echo(r) } } }))).host,
    ],
    ['a server error', async () => (await serve((r) => ({ status: 500, body: { detail: echo(r) } }))).host],
    ['HTML', async () => (await serve((r) => ({ body: `<p>${echo(r)}</p>` }))).host],
    [
      'a redirect',
      async () => (await serve((r) => ({ status: 302, headers: { location: `https://x.invalid/?${echo(r)}` } }))).host,
    ],
    [
      'a redirect within',
      async () =>
        (await serve((r) => ({ status: 302, headers: { location: `/?k=${encodeURIComponent(KEY)}&${echo(r)}` } })))
          .host,
    ],
    ['another status', async () => (await serve((r) => ({ status: 418, body: { message: echo(r) } }))).host],
    [
      'a member named by it',
      async () => (await serve((r) => ({ body: { [echo(r)]: 1, results: [{ [echo(r)]: 1 }] } }))).host,
    ],
    [
      'an answer that is not HTTP',
      async () => (await serveSocket((socket, _turn) => socket.end(`220 ${KEY}\r\n`))).host,
    ],
    ['a reset connection', async () => (await serveSocket((socket) => socket.resetAndDestroy())).host],
    ['no listener', closedHost],
    ['no such host', async () => NOWHERE],
  ];

  test.each(BAD_DAYS)('%s', async (_name, hostOf) => {
    const events: ServiceEvent[] = [];
    const client = clientFor(await hostOf(), { onEvent: (event) => events.push(event) });
    const errors = [
      await failureOf(client.getFlag(1)),
      await failureOf(client.listFlags()),
      await failureOf(client.createFlag({ key: 'a' })),
    ];
    for (const value of [...errors, events, client]) {
      expect(inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value)).not.toContain('planted');
    }
    for (const { stack, message } of errors) expect(`${stack} ${message}`).not.toContain('planted');
  });
});

test('the budget of a remote host is kept, including repetitions', async () => {
  const clock = skippingClock();
  const client = clientFor(NOWHERE, { requestsPerMinute: 3, clock });
  expect(await failureOf(client.getFlag(1))).toMatchObject({ failure: { kind: 'network' }, attempts: 5 });
  const minutes = clock.slept.filter((ms) => ms > 50_000);
  // Two of three requests in each minute: 80%, rounded down.
  expect(minutes).toHaveLength(2);
});

test('loopback has no budget', async () => {
  const { host } = await serveInTurn({ body: FLAG });
  const clock = skippingClock();
  const client = clientFor(host, { requestsPerMinute: 1, clock });
  for (let call = 0; call < 5; call += 1) await client.getFlag(1);
  expect(clock.slept).toEqual([]);
});

test('many calls on one signal leave no listeners behind and no warning', async () => {
  const warned = vi.fn<(warning: Error) => void>();
  process.on('warning', warned);
  const { host } = await serveInTurn({ body: FLAG });
  const client = clientFor(host, { signal: new AbortController().signal, concurrency: 30 });
  await Promise.all(Array.from({ length: 100 }, () => client.getFlag(1)));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

test('a listener that throws does not affect a write', async () => {
  const { host } = await serveInTurn({ status: 201, body: FLAG });
  const onEvent = (): never => {
    throw new Error('listener');
  };
  expect(await clientFor(host, { onEvent }).createFlag({ key: 'a' })).toEqual(FLAG);
});

test('events report each request and its result', async () => {
  const { host } = await serveInTurn({ status: 500, body: 'oh' }, { body: FLAG });
  const events: ServiceEvent[] = [];
  await clientFor(host, { onEvent: (event) => events.push(event), random: () => 0 }).getFlag(1);
  const request = { operation: 'getFlag', method: 'GET', path: '/api/projects/1/feature_flags/1/' };
  const ms = expect.any(Number) as number;
  expect(events).toEqual([
    { kind: 'request', ...request },
    { kind: 'response', ...request, status: 500, bytes: 2, ms, waitedMs: ms, serviceTime: ms },
    {
      kind: 'retry',
      operation: 'getFlag',
      failure: 'server',
      why: expect.objectContaining({ kind: 'server' }),
      attempt: 2,
      attempts: 5,
      waitMs: 125,
    },
    { kind: 'request', ...request },
    { kind: 'response', ...request, status: 200, bytes: 18, ms, waitedMs: ms, serviceTime: ms },
  ]);
});

test('after close no request is sent, and those in flight end', async () => {
  const { host, received } = await serveSocket(() => undefined);
  const client = clientFor(host);
  const underWay = failureOf(client.createFlag({ key: 'a' }));
  await until(() => expect(received).toHaveLength(1));
  await client.close();
  expect(await underWay).toMatchObject({ failure: { kind: 'network' }, mayHaveHappened: true });
  expect(await failureOf(client.getFlag(1))).toMatchObject({ failure: { kind: 'network' }, mayHaveHappened: false });
  expect(received).toHaveLength(1);
});

describe('the budget', () => {
  test('of a remote host is the service’s limit per hour', async () => {
    expect(clientFor(NOWHERE, { requestsPerMinute: 480 }).budget.requestsPerHour).toBe(4800);
    expect(clientFor(NOWHERE).budget).not.toHaveProperty('requestsPerHour');
    const { host } = await serveInTurn({ body: FLAG });
    expect(clientFor(host, { requestsPerMinute: 480 }).budget).not.toHaveProperty('requestsPerHour');
  });

  test('by windows also holds on loopback, and gives the least time', async () => {
    const { host } = await serveInTurn({ body: FLAG });
    const clock = { ...skippingClock(), now: () => 1000 };
    const client = clientFor(host, { windows: [{ requests: 2, durationMs: 60_000 }], clock });
    expect([0, 1, 2, 3, 5].map((requests) => client.budget.leastMs(requests))).toEqual([0, 0, 0, 60_000, 120_000]);
    await client.getFlag(1);
    expect(client.budget.leastMs(2)).toBe(60_000);
  });
});

test('statistics count requests and, by operation, their mean latency', async () => {
  const { host } = await serveInTurn({ status: 500 }, { body: FLAG });
  let now = 0;
  const clock = { ...skippingClock(), now: () => (now += 5), sleep: () => Promise.resolve() };
  const client = clientFor(host, { clock });
  expect(client.stats()).toEqual({ requests: 0, retries: 0, pausedMs: 0, latencyMs: {} });
  await client.getFlag(1);
  const stats = client.stats();
  expect(stats).toMatchObject({ requests: 2, retries: 1, pausedMs: 0 });
  expect(stats.latencyMs).toEqual({ getFlag: 5 });
});

test('a client without a user agent uses ours', async () => {
  const { host, seen } = await serveInTurn({ body: FLAG });
  await clientFor(host).getFlag(1);
  expect(seen[0]?.headers['user-agent']).toMatch(/^[a-z]+$/);
});

test('a key with a space is refused, and the remedy names spaces', () => {
  expect(() => createClient({ host: 'https://example.com', projectId: '1', apiKey: 'a b' })).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: expect.stringContaining('empty') as string,
      remedy: expect.stringContaining('spaces') as string,
    }),
  );
});

test.each(['!key~', 'x'])('the key %j can be sent', async (apiKey) => {
  const { host, seen } = await serveInTurn({ body: FLAG });
  await clientFor(host, { apiKey }).getFlag(1);
  expect(seen[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
});

test('a stop prevents waiting writes and lets reads continue', async () => {
  const { host, seen } = await serveInTurn({ body: FLAG });
  const client = clientFor(host, { stop: AbortSignal.abort() });
  expect(await failureOf(client.createFlag({ key: 'a' }))).toMatchObject({
    failure: { kind: 'aborted', code: 'interrupted' },
    attempts: 0,
    mayHaveHappened: false,
  });
  expect(await client.getFlag(1)).toEqual(FLAG);
  expect(seen.map(({ method }) => method)).toEqual(['GET']);
});

test('a signal stops both', async () => {
  const { host, seen } = await serveInTurn({ body: FLAG });
  const client = clientFor(host, { stop: new AbortController().signal, signal: AbortSignal.abort() });
  for (const call of [client.createFlag({ key: 'a' }), client.getFlag(1)]) {
    expect(await failureOf(call)).toMatchObject({ failure: { kind: 'aborted' }, attempts: 0 });
  }
  expect(seen).toEqual([]);
});

import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createTransport, type WireRequest, type WireResult } from '../../../src/posthog/client/transport.ts';
import { closedHost, serve, serveSocket } from './support/server.ts';
import { holdTimers, turns } from '../../helpers/timers.ts';
import { until } from '../../helpers/until.ts';

const HEAD = (status: string, length: number): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

const REQUEST: WireRequest = {
  method: 'POST',
  path: '/a/',
  headers: {},
  body: '{}',
  timeoutMs: 60_000,
  maxBodyBytes: 1000,
};

async function exchange(host: string, options: Partial<WireRequest> = {}): Promise<WireResult> {
  const transport = createTransport(host, 1);
  try {
    return await transport.exchange({ ...REQUEST, ...options });
  } finally {
    await transport.close();
  }
}

test('an answer: status, headers, body', async () => {
  const { host, seen } = await serve(() => ({ status: 201, headers: { 'x-a': 'b' }, body: { id: 1 } }));
  const wire = await exchange(host, { headers: { 'x-sent': 'yes' }, body: '{"é":1}' });
  expect(wire).toMatchObject({ kind: 'answer', status: 201, headers: { 'x-a': 'b' } });
  expect(seen).toMatchObject([{ method: 'POST', url: '/a/', body: '{"é":1}', headers: { 'x-sent': 'yes' } }]);
});

describe('the bytes of a body', () => {
  const PIECES = Array.from({ length: 40 }, (_, index) => `${index}é`.repeat(1 + (index % 7) * 300));
  const BODY = Buffer.from(PIECES.join(''));
  const chunked = PIECES.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);

  test.each([
    ['with their number', [HEAD('200 OK', BODY.length), ...PIECES]],
    ['without it', ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', ...chunked, '0\r\n\r\n']],
    ['until the connection ends', ['HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', ...PIECES]],
    ['of a refusal that promised more', [HEAD('500 Internal Server Error', 1e12), ...PIECES]],
  ])('are those that came, in pieces, %s', async (_name, pieces) => {
    const { host } = await serveSocket((socket) => {
      socket.setNoDelay();
      for (const piece of pieces) socket.write(piece);
      if (!pieces.includes('0\r\n\r\n')) socket.end();
    });
    const wire = await exchange(host, { maxBodyBytes: BODY.length });
    expect(wire.kind === 'answer' && Buffer.from(wire.body).equals(BODY)).toBe(true);
  });
});

test('no listener: not sent', async () => {
  const wire = await exchange(await closedHost());
  expect(wire).toMatchObject({ kind: 'broken', reason: 'network', sent: false, error: { code: 'ECONNREFUSED' } });
});

test('no such host: not sent', async () => {
  const wire = await exchange(`http://${'x'.repeat(64)}.invalid`);
  expect(wire).toMatchObject({ kind: 'broken', reason: 'network', sent: false });
});

test('TLS to a server without TLS: not sent', async () => {
  const { host } = await serveSocket((socket) => socket.end('no'));
  expect(await exchange(host.replace('http:', 'https:'))).toMatchObject({ reason: 'network', sent: false });
});

test.each([
  ['reset before an answer', (): string | undefined => undefined],
  ['reset in the head', () => 'HTTP/1.1 200 O'],
  ['reset in the body', () => `${HEAD('200 OK', 500)}{"id": 1`],
])('%s: sent, no answer', async (_name, bytes) => {
  const { host, received } = await serveSocket((socket) => {
    const partial = bytes();
    if (partial === undefined) socket.resetAndDestroy();
    else socket.write(partial, () => setTimeout(() => socket.resetAndDestroy(), 5));
  });
  expect(await exchange(host)).toMatchObject({ kind: 'broken', reason: 'network', sent: true });
  expect(received).toHaveLength(1);
});

test('a body that is shorter than its length: sent, no answer', async () => {
  const { host } = await serveSocket((socket) => socket.end(`${HEAD('200 OK', 500)}{}`));
  expect(await exchange(host)).toMatchObject({ kind: 'broken', reason: 'network', sent: true });
});

test('something that is not HTTP', async () => {
  const { host } = await serveSocket((socket) => socket.end('220 ready\r\n'));
  expect(await exchange(host)).toMatchObject({ kind: 'broken', reason: 'network', sent: true });
});

test('no answer in time', async () => {
  const timers = holdTimers();
  const { host, received } = await serveSocket(() => undefined);
  const underWay = exchange(host);
  await until(() => expect(received).toHaveLength(1));
  timers.pass(60_000);
  expect(await underWay).toMatchObject({ kind: 'broken', reason: 'timeout', sent: true });
});

test('a timeout beyond Node’s limit does not fire at once', async () => {
  const timers = holdTimers();
  const sockets: Socket[] = [];
  const { host } = await serveSocket((socket) => void sockets.push(socket));
  const underWay = exchange(host, { timeoutMs: 2 ** 40 });
  await until(() => expect(sockets).toHaveLength(1));
  timers.pass(2 ** 32);
  sockets[0]?.end(HEAD('200 OK', 2) + '{}');
  expect(await underWay).toMatchObject({ kind: 'answer', status: 200 });
});

test('a connection that is never accepted in time: not sent', async () => {
  const { host } = await serveSocket(() => undefined);
  // The TLS handshake gets no answer.
  const wire = await exchange(host.replace('http:', 'https:'), { timeoutMs: 50 });
  expect(wire).toMatchObject({ kind: 'broken', reason: 'timeout', sent: false });
});

test('a slow drip does not reset the timer, and the connection is closed', async () => {
  const timers = holdTimers();
  let closed = false;
  let dripped = 0;
  const { host } = await serve((_request, response) => {
    const drip = setInterval(() => response.write('x', () => (dripped += 1)), 1);
    response.on('close', () => {
      clearInterval(drip);
      closed = true;
    });
    return undefined;
  });
  const transport = createTransport(host, 1);
  const controller = new AbortController();
  const underWay = transport.exchange({ ...REQUEST, signal: controller.signal });
  for (let part = 1; part <= 3; part += 1) {
    await until(() => expect(dripped).toBeGreaterThan(part * 3));
    timers.pass(20_000);
  }
  expect(await underWay).toMatchObject({ reason: 'timeout', sent: true });
  await until(() => expect(closed).toBe(true));
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  await transport.close();
});

test('an endless body is cut off', async () => {
  let written = 0;
  const { host } = await serve((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const pour = (): void => {
      written += chunk.length;
      if (!response.destroyed && response.write(chunk)) setImmediate(pour);
    };
    response.on('drain', pour);
    pour();
    return undefined;
  });
  const wire = await exchange(host, { maxBodyBytes: 1_000_000 });
  expect(wire).toMatchObject({ kind: 'broken', reason: 'too_large', sent: true });
  expect(written).toBeLessThan(20_000_000);
});

test.each([
  ['truncated', (): string => `${HEAD('400 Bad Request', 500)}{"detail"`],
  ['too large', () => `${HEAD('400 Bad Request', 5000)}${'x'.repeat(5000)}`],
])('a refusal with a %s body is a refusal', async (_name, bytes) => {
  const { host } = await serveSocket((socket) => socket.end(bytes()));
  expect(await exchange(host)).toMatchObject({ kind: 'answer', status: 400 });
});

test('informational answers are skipped', async () => {
  const { host } = await serveSocket((socket) => socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${HEAD('200 OK', 2)}{}`));
  expect(await exchange(host)).toMatchObject({ kind: 'answer', status: 200 });
});

test('an abort ends the exchange in flight, and no request is sent afterwards', async () => {
  const { host, received } = await serveSocket(() => undefined);
  const controller = new AbortController();
  const underWay = exchange(host, { signal: controller.signal });
  await until(() => expect(received).toHaveLength(1));
  controller.abort();
  expect(await underWay).toMatchObject({ reason: 'aborted', sent: true });
  expect(await exchange(host, { signal: controller.signal })).toMatchObject({ reason: 'aborted', sent: false });
  expect(received).toHaveLength(1);
});

test('a request that is aborted before it has a connection is not sent later', async () => {
  const timers = holdTimers();
  const { host, received } = await serveSocket(() => undefined);
  const transport = createTransport(host, 1);
  const send = (path: string, timeoutMs: number): Promise<WireResult> =>
    transport.exchange({ ...REQUEST, path, timeoutMs });
  // One connection, which the first request holds.
  const first = send('/first', 60_000);
  await until(() => expect(received).toHaveLength(1));
  const second = send('/second', 30_000);
  timers.pass(30_000);
  expect(await second).toMatchObject({ reason: 'timeout', sent: false });
  timers.pass(30_000);
  expect(await first).toMatchObject({ reason: 'timeout', sent: true });
  const third = send('/third', 60_000);
  await until(() => expect(received).toHaveLength(2));
  timers.pass(60_000);
  await third;
  expect(received.map((text) => text.split(' ')[1])).toEqual(['/first', '/third']);
  await transport.close();
});

test('connections are reused', async () => {
  const sockets = new Set<unknown>();
  const { host } = await serve((_request, response) => {
    sockets.add(response.socket);
    return { body: {} };
  });
  const transport = createTransport(host, 2);
  const request = { method: 'GET', path: '/', headers: {}, timeoutMs: 60_000, maxBodyBytes: 10 } as const;
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([transport.exchange(request), transport.exchange(request)]);
  }
  expect(sockets.size).toBeLessThanOrEqual(2);
  await transport.close();
});

/** Timers of this process that are still running, after closing the pool with its own. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

const ENDINGS: readonly (readonly [name: string, behave: (socket: Socket) => void])[] = [
  ['an answer', (socket) => socket.end(`${HEAD('200 OK', 2)}{}`)],
  ['a refusal that is cut', (socket) => socket.end(`${HEAD('400 Bad Request', 50)}{}`)],
  ['a reset', (socket) => socket.resetAndDestroy()],
  ['too much', (socket) => socket.end(`${HEAD('200 OK', 2000)}${'x'.repeat(2000)}`)],
];

test.each(ENDINGS)('%s leaves no timer and no listener behind', async (_name, behave) => {
  const { host } = await serveSocket(behave);
  const before = timers();
  const controller = new AbortController();
  await exchange(host, { timeoutMs: 60_000, signal: controller.signal });
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  await until(() => expect(timers()).toBeLessThanOrEqual(before));
});

test('a body of exactly the longest length is an answer, one byte more is too large', async () => {
  const { host } = await serve(({ url }) => ({ body: 'x'.repeat(Number(url.slice(1))) }));
  const sized = (bytes: number): Promise<WireResult> => exchange(host, { path: `/${bytes}`, maxBodyBytes: 1000 });
  const whole = await sized(1000);
  expect(whole.kind === 'answer' && whole.body.toString()).toBe('x'.repeat(1000));
  expect(await sized(1001)).toMatchObject({ kind: 'broken', reason: 'too_large', sent: true });
});

test('a body comes whole, in however many pieces', async () => {
  const { host } = await serve(async (_request, response) => {
    for (const piece of ['{"a"', ':1', '}']) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    response.end();
    return undefined;
  });
  const wire = await exchange(host);
  expect(wire.kind === 'answer' && wire.body.toString()).toBe('{"a":1}');
});

test.each([
  ['302 Found', { kind: 'broken', reason: 'network', sent: true }],
  ['399 Odd', { kind: 'broken', reason: 'network', sent: true }],
  ['400 Bad Request', { kind: 'answer', status: 400 }],
  ['503 Service Unavailable', { kind: 'answer', status: 503 }],
])('a body of %s that is cut', async (status, expected) => {
  const { host } = await serveSocket((socket) => socket.end(`${HEAD(status, 500)}{"detail"`));
  const wire = await exchange(host);
  expect(wire).toMatchObject(expected);
  if (wire.kind === 'answer') expect(wire.body.toString()).toBe('{"detail"');
});

test('the error of the network is handed on, a time-out has none', async () => {
  const { host } = await serveSocket(() => undefined);
  expect(await exchange(await closedHost())).toHaveProperty('error');
  expect(await exchange(host, { timeoutMs: 50 })).not.toHaveProperty('error');
});

test('what is no request is broken off before it is sent', async () => {
  const { host, received } = await serveSocket((socket) => socket.end(`${HEAD('200 OK', 2)}{}`));
  expect(await exchange(host, { path: 'no slash' })).toMatchObject({
    kind: 'broken',
    reason: 'network',
    sent: false,
    error: { message: expect.stringContaining('path') as string },
  });
  expect(received).toEqual([]);
});

test('no more connections are opened than were asked for', async () => {
  let open = 0;
  let most = 0;
  const { host } = await serve(async () => {
    open += 1;
    most = Math.max(most, open);
    await until(() => expect(most).toBe(2));
    await turns();
    open -= 1;
    return { body: {} };
  });
  const transport = createTransport(host, 2);
  await Promise.all(Array.from({ length: 6 }, () => transport.exchange(REQUEST)));
  expect(most).toBe(2);
  await transport.close();
});

describe('a streamed body', () => {
  const GET = { ...REQUEST, method: 'GET', streams: true, maxBodyBytes: 5 } as const;

  /** Reads what `transport` hands on, and what became of it. */
  async function withStream<T>(
    host: string,
    use: (wire: WireResult) => Promise<T>,
    options: Partial<WireRequest> = {},
  ): Promise<T> {
    const transport = createTransport(host, 1);
    try {
      return await use(await transport.exchange({ ...GET, ...options }));
    } finally {
      await transport.close();
    }
  }

  async function textOf(wire: WireResult): Promise<string> {
    if (wire.kind !== 'stream') throw new Error(wire.kind);
    const pieces: Buffer[] = [];
    for await (const piece of wire.body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /** Until no more is read from the connection, since nobody takes what was read. */
  async function untilFull(body: AsyncIterable<Buffer>): Promise<void> {
    const { readableHighWaterMark } = body as Readable;
    await until(() => expect((body as Readable).readableLength).toBeGreaterThanOrEqual(readableHighWaterMark));
  }

  test.each([
    [200, 'stream'],
    [204, 'stream'],
    [299, 'stream'],
    [300, 'answer'],
    [404, 'answer'],
  ])('%i is a %s', async (status, kind) => {
    const { host } = await serve(() => ({ status, body: '' }));
    expect(await withStream(host, async (wire) => [wire.kind, wire.kind === 'broken' || wire.status])).toEqual([
      kind,
      status,
    ]);
  });

  test('may be longer than a body that is held', async () => {
    const { host } = await serve(() => ({ body: 'x'.repeat(100_000), headers: { 'x-a': 'b' } }));
    const [text, head] = await withStream(host, async (wire) => [await textOf(wire), wire] as const);
    expect(text).toBe('x'.repeat(100_000));
    expect(head).toMatchObject({ status: 200, headers: { 'x-a': 'b' } });
  });

  test('is not asked for by others: their bodies are held', async () => {
    const { host } = await serve(() => ({ body: 'long enough' }));
    expect(await withStream(host, async (wire) => wire, { streams: false })).toMatchObject({ reason: 'too_large' });
  });

  test('an informational answer before it is passed over', async () => {
    const { host } = await serveSocket((socket) =>
      socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${HEAD('200 OK', 2)}{}`),
    );
    expect(await withStream(host, textOf)).toBe('{}');
  });

  test('leaves no timer and no listener behind once it is read', async () => {
    const { host } = await serve(() => ({ body: 'done' }));
    const before = timers();
    const { signal } = new AbortController();
    await withStream(host, textOf, { timeoutMs: 60_000, signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await until(() => expect(timers()).toBeLessThanOrEqual(before));
  });

  test.each<[string, (wire: WireResult, stop: AbortController) => Promise<unknown>, Partial<WireRequest>, object]>([
    ['reset', (wire) => textOf(wire), {}, { why: { reason: 'network', error: expect.anything() as unknown } }],
    [
      'aborted',
      (wire, stop) => {
        setTimeout(() => stop.abort(), 10);
        return textOf(wire);
      },
      {},
      { why: { reason: 'aborted' } },
    ],
  ])('that is %s fails its reader, and leaves nothing behind', async (name, use, options, expected) => {
    let isClosed = false;
    const { host } = await serveSocket((socket) => {
      socket.on('close', () => (isClosed = true));
      socket.write(`${HEAD('200 OK', 500)}part`, () => {
        if (name === 'reset') setTimeout(() => socket.resetAndDestroy(), 10);
      });
    });
    const before = timers();
    const stop = new AbortController();
    const error: unknown = await withStream(host, (wire) => use(wire, stop), { ...options, signal: stop.signal }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ name: 'BrokenStream', ...expected });
    expect(String(error)).toMatch(/the body ended early: (network|aborted)/);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    await until(() => expect(isClosed).toBe(true));
    await until(() => expect(timers()).toBeLessThanOrEqual(before));
  });

  test('that is late fails its reader', async () => {
    const timers = holdTimers();
    const { host } = await serveSocket((socket) => socket.write(`${HEAD('200 OK', 500)}part`));
    const { signal } = new AbortController();
    const error: unknown = await withStream(
      host,
      async (wire) => {
        const reading = textOf(wire);
        await turns();
        timers.pass(60_000);
        return reading;
      },
      { signal },
    ).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'BrokenStream', why: { reason: 'timeout' } });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('left early, it closes its connection, and what comes afterwards is nobody’s', async () => {
    let isClosed = false;
    const { host } = await serve((_request, response) => {
      response.on('close', () => (isClosed = true));
      response.write('first');
      setTimeout(() => response.write('second'), 20);
      return undefined;
    });
    await withStream(host, async (wire) => {
      if (wire.kind === 'stream') for await (const _piece of wire.body) break;
      await until(() => expect(isClosed).toBe(true));
    });
  });

  test('a reader that takes its time is not a service that does', async () => {
    const timers = holdTimers();
    const piece = 'x'.repeat(256 * 1024);
    const { host } = await serve((_request, response) => {
      for (let count = 0; count < 8; count += 1) response.write(piece);
      response.end();
      return undefined;
    });
    const bytes = await withStream(host, async (wire) => {
      let read = 0;
      if (wire.kind !== 'stream') return wire.kind;
      for await (const part of wire.body) {
        if (read === 0) {
          await untilFull(wire.body);
          timers.pass(600_000);
        }
        read += part.length;
      }
      return read;
    });
    expect(bytes).toBe(8 * piece.length);
  });

  test('a reader that took its time waits no longer than others for the next bytes', async () => {
    const timers = holdTimers();
    const piece = 'x'.repeat(256 * 1024);
    const { host } = await serve((_request, response) => {
      response.write(piece);
      return undefined;
    });
    let read = 0;
    let isOver = false;
    const reading = withStream(host, async (wire) => {
      if (wire.kind !== 'stream') return;
      for await (const part of wire.body) {
        if (read === 0) {
          await untilFull(wire.body);
          timers.pass(600_000);
        }
        read += part.length;
      }
    })
      .catch((caught: unknown) => caught)
      .finally(() => (isOver = true));
    await until(() => expect(read).toBe(piece.length));
    await turns();
    timers.pass(59_999);
    await turns();
    expect(isOver).toBe(false);
    timers.pass(1);
    expect(await reading).toMatchObject({ why: { reason: 'timeout' } });
  });

  test('broken off before anybody reads it fails nobody but its reader', async () => {
    const { host } = await serveSocket((socket) => {
      socket.write(`${HEAD('200 OK', 500)}part`, () => setTimeout(() => socket.resetAndDestroy(), 5));
    });
    await withStream(host, async (wire) => {
      if (wire.kind === 'stream') await until(() => expect((wire.body as Readable).destroyed).toBe(true));
      await expect(textOf(wire)).rejects.toMatchObject({ name: 'BrokenStream' });
    });
  });
});

import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { createTransport, type WireRequest, type WireResult } from '../../src/service/transport.ts';
import { closedHost, serve, serveSocket } from './support/server.ts';

const HEAD = (status: string, length: number): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

const REQUEST: WireRequest = {
  method: 'POST',
  path: '/a/',
  headers: {},
  body: '{}',
  timeoutMs: 5000,
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

test('nobody listens: not sent', async () => {
  const wire = await exchange(await closedHost());
  expect(wire).toMatchObject({ kind: 'broken', reason: 'network', sent: false, error: { code: 'ECONNREFUSED' } });
});

test('no such host: not sent', async () => {
  const wire = await exchange(`http://${'x'.repeat(64)}.invalid`);
  expect(wire).toMatchObject({ kind: 'broken', reason: 'network', sent: false });
});

test('TLS to a server that speaks none: not sent', async () => {
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

test('a body that is shorter than it says: sent, no answer', async () => {
  const { host } = await serveSocket((socket) => socket.end(`${HEAD('200 OK', 500)}{}`));
  expect(await exchange(host)).toMatchObject({ kind: 'broken', reason: 'network', sent: true });
});

test('something that is not HTTP', async () => {
  const { host } = await serveSocket((socket) => socket.end('220 ready\r\n'));
  expect(await exchange(host)).toMatchObject({ kind: 'broken', reason: 'network', sent: true });
});

test('no answer in time', async () => {
  const { host } = await serveSocket(() => undefined);
  expect(await exchange(host, { timeoutMs: 200 })).toMatchObject({ kind: 'broken', reason: 'timeout', sent: true });
});

test('more time than a timer of Node holds is not none', async () => {
  const { host } = await serveSocket((socket) => void setTimeout(() => socket.end(HEAD('200 OK', 2) + '{}'), 50));
  expect(await exchange(host, { timeoutMs: 2 ** 40 })).toMatchObject({ kind: 'answer', status: 200 });
});

test('a connection that is never accepted in time: not sent', async () => {
  const { host } = await serveSocket(() => undefined);
  // The TLS handshake gets no answer.
  const wire = await exchange(host.replace('http:', 'https:'), { timeoutMs: 50 });
  expect(wire).toMatchObject({ kind: 'broken', reason: 'timeout', sent: false });
});

test('a slow drip does not reset the time, and the connection is broken off', async () => {
  let closed = false;
  const { host } = await serve((_request, response) => {
    const drip = setInterval(() => response.write('x'), 10);
    response.on('close', () => {
      clearInterval(drip);
      closed = true;
    });
    return undefined;
  });
  const transport = createTransport(host, 1);
  const controller = new AbortController();
  const began = Date.now();
  const wire = await transport.exchange({ ...REQUEST, timeoutMs: 100, signal: controller.signal });
  expect(wire).toMatchObject({ reason: 'timeout', sent: true });
  expect(Date.now() - began).toBeLessThan(2000);
  await vi.waitFor(() => expect(closed).toBe(true));
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  await transport.close();
});

test('a body without end is cut off', async () => {
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

test('informational answers are passed over', async () => {
  const { host } = await serveSocket((socket) => socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${HEAD('200 OK', 2)}{}`));
  expect(await exchange(host)).toMatchObject({ kind: 'answer', status: 200 });
});

test('an abort breaks off what is under way, and sends nothing afterwards', async () => {
  const { host, received } = await serveSocket(() => undefined);
  const controller = new AbortController();
  const underWay = exchange(host, { signal: controller.signal });
  await vi.waitFor(() => expect(received).toHaveLength(1));
  controller.abort();
  expect(await underWay).toMatchObject({ reason: 'aborted', sent: true });
  expect(await exchange(host, { signal: controller.signal })).toMatchObject({ reason: 'aborted', sent: false });
  expect(received).toHaveLength(1);
});

test('a request given up before there was a connection is not sent later', async () => {
  const { host, received } = await serveSocket(() => undefined);
  const transport = createTransport(host, 1);
  const send = (timeoutMs: number): Promise<WireResult> => transport.exchange({ ...REQUEST, timeoutMs });
  // One connection, which the first request holds.
  const first = send(400);
  const second = send(150);
  expect(await second).toMatchObject({ reason: 'timeout', sent: false });
  expect(await first).toMatchObject({ reason: 'timeout', sent: true });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(received).toHaveLength(1);
  await transport.close();
});

test('connections are used again', async () => {
  const sockets = new Set<unknown>();
  const { host } = await serve((_request, response) => {
    sockets.add(response.socket);
    return { body: {} };
  });
  const transport = createTransport(host, 2);
  const request = { method: 'GET', path: '/', headers: {}, timeoutMs: 5000, maxBodyBytes: 10 } as const;
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([transport.exchange(request), transport.exchange(request)]);
  }
  expect(sockets.size).toBeLessThanOrEqual(2);
  await transport.close();
});

/** The HTTP edge: latency, rate limit, time and size bounds, many connections, stopping. */

import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { RequestRecord } from '../../src/embedded/service.ts';
import { FLAGS, results, start } from './harness.ts';

test('latency is added to each answer, side by side', async () => {
  const client = await start({ latencyMs: 100 });
  const begin = performance.now();
  await Promise.all(Array.from({ length: 10 }, async () => client.get(FLAGS)));
  const elapsed = performance.now() - begin;
  expect(elapsed).toBeGreaterThanOrEqual(99);
  expect(elapsed).toBeLessThan(600);
});

test.each([
  [undefined, '3'],
  [true, '3'],
  [false, null],
])('beyond the rate limit a 429, Retry-After %s', async (retryAfter, header) => {
  let time = 1_000_000;
  const rateLimit = { requests: 2, windowMs: 3000, ...(retryAfter !== undefined && { retryAfter }) };
  const client = await start({ rateLimit, now: () => new Date(time) });
  expect((await client.get(FLAGS)).status).toBe(200);
  time += 1000;
  expect((await client.request('GET', FLAGS, undefined, { authorization: '' })).status).toBe(401);
  expect((await client.get(FLAGS)).status).toBe(200);
  time -= 500;
  const refused = await client.get(FLAGS);
  expect(refused).toMatchObject({ status: 429, body: { type: 'throttled_error', code: 'throttled' } });
  expect(refused.headers.get('retry-after')).toBe(header);
  time += 2501;
  expect((await client.get(FLAGS)).status).toBe(200);
  expect((await client.get(FLAGS)).status).toBe(429);
});

test('each answered request is told', async () => {
  const onRequest = vi.fn<(record: RequestRecord) => void>();
  const client = await start({ onRequest });
  await client.get(`${FLAGS}?limit=1`);
  await client.get(`${FLAGS}9/`);
  const records = onRequest.mock.calls.map(([record]) => record);
  expect(records).toMatchObject([
    { method: 'GET', path: FLAGS, status: 200 },
    { method: 'GET', path: `${FLAGS}9/`, status: 404 },
  ]);
  expect(records[0]?.durationMs).toBeGreaterThan(0);
});

test('a request that is never finished is ended', async () => {
  const client = await start({ requestTimeoutMs: 200 });
  const socket = connect(client.service.port, '127.0.0.1');
  socket.write(`POST ${FLAGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: 100\r\n\r\n{`);
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1.1 408/);
});

test('a body beyond 20 MB is refused, and the service goes on', async () => {
  const client = await start();
  const body = new Uint8Array(21 * 1024 * 1024).fill(0x20);
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
  const response = await fetch(`${client.service.url}${FLAGS}`, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toMatchObject([413, { code: 'request_too_large' }]);
  expect((await client.get(FLAGS)).status).toBe(200);
});

test('hundreds of connections write at once and each write counts once', async () => {
  const client = await start();
  const created = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => client.create({ key: `k${index}` })),
  );
  expect(new Set(created.map(({ id }) => id)).size).toBe(300);
  expect(results(await client.get(`${FLAGS}?limit=1000`))).toHaveLength(300);
});

test('closing waits for answers under way, and frees the port', async () => {
  const client = await start({ latencyMs: 150 });
  const answer = client.get(FLAGS);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = client.service.close();
  expect((await answer).status).toBe(200);
  await closed;
  await expect(client.get(FLAGS)).rejects.toThrow();
  const again = await start({ port: client.service.port });
  expect(again.service.port).toBe(client.service.port);
  await expect(start({ port: again.service.port })).rejects.toThrow('is in use already');
});

test.each([
  ['a database in a place that is none', { data: '/dev/null/x.db' }, 'file'],
  ['no project', { projects: [] }, 'usage'],
  ['a script of faults', { faults: [] }, 'usage'],
])('does not start with %s', async (_what, options, code) => {
  await expect(start(options)).rejects.toMatchObject({ code });
});

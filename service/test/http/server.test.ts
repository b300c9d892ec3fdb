/** The HTTP server: latency, rate limit, limits on time and size, many connections, closing. */

import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { RequestRecord } from '../../src/index.ts';
import { createEvent } from '../../../test/helpers/event.ts';
import { until } from '../../../test/helpers/until.ts';
import { FLAGS, results, start } from '../harness.ts';

test('latency is added to concurrent answers', async () => {
  const over = createEvent();
  const slept: unknown[] = [];
  const sleep = async (ms: number, request: object): Promise<void> => {
    slept.push([ms, request]);
    await over.happened;
  };
  let answered = 0;
  const client = await start({ latencyMs: 250, sleep });
  const answers = Array.from({ length: 80 }, async () => client.get(FLAGS).finally(() => (answered += 1)));
  await until(() => expect(slept).toHaveLength(80));
  expect(slept[79]).toEqual([250, { method: 'GET', path: FLAGS }]);
  expect(answered).toBe(0);
  over.happen();
  expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true);
});

test('latency passes in real time', async () => {
  const client = await start({ latencyMs: 30 });
  const begin = performance.now();
  await client.get(FLAGS);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(29);
});

test('a limit of no requests refuses the first, for the whole window', async () => {
  const client = await start({ rateLimit: { requests: 0, windowMs: 3000 } });
  const refused = await client.get(FLAGS);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3']);
});

test.each([
  [undefined, '3'],
  [true, '3'],
  [false, null],
])('a request above the rate limit is 429, Retry-After %s', async (retryAfter, header) => {
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

test('each answered request is reported', async () => {
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

/** The bytes received for the bytes sent, until the service closes the connection. */
async function exchange(port: number, written: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(written);
  return new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

const HEAD = `POST ${FLAGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n`;
const GET = `GET ${FLAGS} HTTP/1.1\r\nAuthorization: Bearer k\r\nConnection: close\r\n`;

test.each([
  ['never finished', `${HEAD}Content-Length: 100\r\n\r\n{`, 408, 'request_timeout'],
  ['whose head is never finished', HEAD, 408, 'request_timeout'],
  ['that is no HTTP', 'hello\r\n\r\n', 400, 'parse_error'],
  ['of a length that is none', `${HEAD}Content-Length: ten\r\n\r\n`, 400, 'parse_error'],
  ['of a chunk that is none', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, 'parse_error'],
  ['without Host', `${GET}\r\n`, 400, 'parse_error'],
  ['with endless headers', `${HEAD}X-Filling: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'headers_too_large'],
])('a request %s is refused in the envelope', async (_what, written, status, code) => {
  const client = await start(status === 408 ? { requestTimeoutMs: 200 } : {});
  const answer = await exchange(client.service.port, written);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head.toLowerCase()).toContain('content-type: application/json');
  expect(JSON.parse(body)).toEqual({ type: 'invalid_request', code, detail: expect.any(String), attr: null });
  // On a loaded machine another request may also be too late.
  await until(async () => expect((await client.get(FLAGS)).status).toBe(200));
});

test('a whole URL as the target, as proxies send it, replaces Host', async () => {
  const client = await start();
  await client.create({ key: 'a' });
  await client.create({ key: 'b' });
  const request = GET.replace(FLAGS, `http://flags.test:81${FLAGS}?limit=1`);
  const answer = await exchange(client.service.port, `${request}Host: elsewhere.test\r\n\r\n`);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    count: 2,
    next: `http://flags.test:81${FLAGS}?limit=1&offset=1`,
  });
  const outside = await exchange(
    client.service.port,
    `${GET.replace(FLAGS, `http://evil.com${FLAGS}`)}Host: x\r\n\r\n`,
  );
  expect(outside).toMatch(/^HTTP\/1.1 403 /);
});

test('a URL without a path, and HTTP/1.0 without Host, are answered', async () => {
  const client = await start();
  const root = await exchange(client.service.port, `${GET.replace(FLAGS, 'http://flags.test')}Host: x\r\n\r\n`);
  expect(root).toMatch(/^HTTP\/1.1 404 /);
  for (const key of ['a', 'b']) await client.create({ key });
  const old = await exchange(
    client.service.port,
    `${GET.replace(FLAGS, `${FLAGS}?limit=1`).replace('1.1', '1.0')}\r\n`,
  );
  expect(JSON.parse(old.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    next: `http://127.0.0.1:${client.service.port}${FLAGS}?limit=1&offset=1`,
  });
});

test('a body above 20 MB is refused, and the service continues', async () => {
  const client = await start();
  const body = new Uint8Array(21 * 1024 * 1024).fill(0x20);
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
  const response = await fetch(`${client.service.url}${FLAGS}`, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toMatchObject([413, { code: 'request_too_large' }]);
  expect((await client.get(FLAGS)).status).toBe(200);
});

test('hundreds of connections write concurrently, and each write is made once', async () => {
  const client = await start();
  const created = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => client.create({ key: `k${index}` })),
  );
  expect(new Set(created.map(({ id }) => id)).size).toBe(300);
  expect(results(await client.get(`${FLAGS}?limit=1000`))).toHaveLength(300);
});

test('closing waits for answers in progress and frees the port', async () => {
  const over = createEvent();
  const waits = createEvent();
  const sleep = async (): Promise<void> => {
    waits.happen();
    await over.happened;
  };
  const client = await start({ latencyMs: 150, sleep });
  const answer = client.get(FLAGS);
  await waits.happened;
  const closed = client.service.close();
  over.happen();
  expect((await answer).status).toBe(200);
  await closed;
  await expect(client.get(FLAGS)).rejects.toThrow();
  const again = await start({ port: client.service.port });
  expect(again.service.port).toBe(client.service.port);
  await expect(start({ port: again.service.port })).rejects.toThrow('is already in use');
});

test.each([
  ['a database in a place that is none', { data: '/dev/null/x.db' }, 'file'],
  ['no project', { projects: [] }, 'usage'],
  ['an address of another machine', { host: '192.0.2.1' }, 'usage'],
  ['an invalid fault script', { faults: [] }, 'usage'],
])('does not start with %s', async (_what, options, code) => {
  await expect(start(options)).rejects.toMatchObject({ code });
});

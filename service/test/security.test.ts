/** The embedded service against requests of a page on the internet and against bodies that exhaust memory. */

import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FLAGS, start } from './harness.ts';

function askAs(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${FLAGS}`, { headers: { host, authorization: 'Bearer phx_test' } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject).end();
  });
}

describe('a request for the host name', () => {
  test.each([
    ['localhost', 200],
    ['127.0.0.1:8765', 200],
    ['[::1]:8765', 200],
    ['flags.localhost:80', 200],
    ['host.docker.internal:8765', 200],
    ['flagwright', 200],
    ['rebound.evil.example:8765', 403],
    ['evil.com', 403],
    ['127.0.0.1.evil.com', 403],
    ['evil.com#localhost', 403],
  ])('%j: %i', async (host, status) => {
    const { service } = await start();
    expect(await askAs(service.url, host)).toBe(status);
  });
});

const NESTED = '['.repeat(1_000_000);

describe('bodies', () => {
  test.each([
    ['nested endlessly', NESTED + ']'.repeat(1_000_000)],
    ['nested, and cut', NESTED],
    [
      'a flag nested endlessly',
      `{"key":"a","filters":{"groups":[{"properties":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}]}}`,
    ],
    [
      'prototype keys',
      '{"key":"a","__proto__":{"active":false},"constructor":{"prototype":{"x":1}},"filters":{"groups":[],"__proto__":{"x":1}}}',
    ],
    ['huge numbers', '{"key":"a","filters":{"groups":[{"rollout_percentage":1e999}]}}'],
    ['an endless key', `{"key":"${'a'.repeat(1_000_000)}"}`],
    ['half a character', '{"key":"a","name":"\\ud800"}'],
  ])('%s: the service answers, and continues to run', async (_, body) => {
    const { service, get } = await start({ profile: 'posthog' });
    const response = await fetch(`${service.url}${FLAGS}`, {
      method: 'POST',
      headers: { authorization: 'Bearer phx_test', 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBeLessThan(600);
    await response.text();
    expect((await get(FLAGS)).status).toBe(200);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('that decompress to too much are refused', async () => {
    const { service, get } = await start();
    const response = await fetch(`${service.url}/capture/`, {
      method: 'POST',
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      body: gzipSync(Buffer.alloc(60_000_000, 32)),
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect((await get(FLAGS)).status).toBe(200);
  });
});

/** A service that tries to exhaust, mislead or redirect the client: every run ends with an error, and no other host gets the key. */

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startBroken, type BrokenService } from '../helpers/broken-service.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { answer, pageOf } from './hostile.ts';

async function planAgainst(
  reply: (response: ServerResponse, url: string) => void,
  argv = ['plan'],
): Promise<Ran & BrokenService> {
  const service = await startBroken((request, response) => reply(response, request.url ?? ''));
  const { root } = createWorkspace({ 'flags/a.yaml': 'flags:\n  checkout: { active: true }\n' });
  const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const ran = await runCli(argv, { cwd: root, env });
  expect(ran.stderr).not.toContain('bug in flagwright');
  return { ...ran, ...service };
}

const JSON_HEAD = { 'content-type': 'application/json' };
const flag = (fields: string): string =>
  `{"count":1,"next":null,"previous":null,"results":[{"id":1,"key":"checkout"${fields}}]}`;
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('an answer that', () => {
  test.each<[string, (response: ServerResponse) => void, string]>([
    [
      'is a compressed bomb',
      (response) =>
        response
          .writeHead(200, { ...JSON_HEAD, 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(5_000_000, 32))),
      'encoded',
    ],
    [
      'claims an unsupported encoding',
      (response) => response.writeHead(200, { ...JSON_HEAD, 'content-encoding': 'br' }).end('{}'),
      'encoded',
    ],
    ['nests endlessly', (response) => response.end('['.repeat(5_000_000)), 'too_deep'],
    ['nests deeply in a flag', (response) => response.end(flag(`,"filters":${nested(100_000)}`)), 'too_deep'],
    ['has flags of the wrong form', (response) => response.end(flag(',"tags":"a"')), 'expected an array at'],
    [
      'has an id that is not a number',
      (response) => response.end(flag('').replace('"id":1', '"id":1e400')),
      'expected an integer',
    ],
    [
      'counts more flags than are possible',
      (response) => response.end(flag('').replace('"count":1', '"count":9007199254740991')),
      'expected',
    ],
    ['is half a character', (response) => response.end(Buffer.from([0x22, 0xff, 0xfe])), 'not_utf8'],
    ['is a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), 'not_json'],
  ])('%s is refused', async (_, reply, words) => {
    const ran = await planAgainst(reply);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(words) as string]);
  });

  test('never ends is cut off at the maximum size', async () => {
    const piece = Buffer.alloc(1_000_000, 32);
    const ran = await planAgainst((response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(piece));
        response.once('drain', pour);
      };
      pour();
    });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('larger than') as string]);
  });

  test('has endless headers is refused', async () => {
    const ran = await planAgainst((response) => {
      const { socket } = response;
      socket?.on('error', () => undefined);
      socket?.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}\r\n{}`);
    });
    expect(ran.code).toBe(1);
  });
});

describe('values', () => {
  test.each([
    [
      'prototype keys',
      ',"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"filters":{"groups":[{"__proto__":{"x":1}}],"__proto__":{"groups":[]},"payloads":{"__proto__":"1","constructor":"2"}}',
    ],
    [
      'huge numbers',
      ',"version":1,"filters":{"groups":[{"rollout_percentage":1e308}],"n":123456789012345678901234567890}',
    ],
    ['a long string', `,"name":"${'a'.repeat(5_000_000)}"`],
    ['a long string of many lines', `,"name":"${'a\\n'.repeat(200_000)}"`],
    ['deep nesting that is still allowed', `,"filters":{"groups":[${nested(400)}]}`],
    ['many members', `,"filters":{"groups":[],${Array.from({ length: 3_000 }, (_, index) => `"m${index}":1`).join()}}`],
    [
      'many conditions',
      `,"filters":{"groups":[${Array.from({ length: 1_500 }, (_, index) => `{"rollout_percentage":${index % 100}}`).join()}]}`,
    ],
  ])('%s are planned, saved, shown and exported', async (what, fields) => {
    const manifest = 'flags:\n  checkout: { description: x, filters: { groups: [{ rollout_percentage: 1 }] } }\n';
    const service = await startBroken((request, response) => {
      request.resume();
      if (request.url?.includes('archived=true')) answer(response, 200, pageOf([]));
      else response.end(flag(fields));
    });
    const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
    const { root } = createWorkspace({ 'flags/a.yaml': manifest });
    for (const argv of [
      ['plan'],
      ['plan', '-v'],
      ['plan', '-f', 'json', '--out', 'plan.json'],
      ['drift'],
      ['export', '--dir', 'out'],
      ['flags', 'list', '--columns', 'key,name,filters'],
    ]) {
      const ran = await runCli(argv, { cwd: root, env });
      // A manifest cannot have this nesting, so the export omits the flag and names it.
      const exported = what.startsWith('deep') ? 3 : 0;
      expect([argv[0], ran.code, ran.stderr.replace(/^Saved.*\n/, '')]).toEqual([
        argv[0],
        argv[0] === 'drift' ? 2 : argv[0] === 'export' ? exported : 0,
        expect.not.stringContaining('error') as string,
      ]);
    }
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('the key', () => {
  async function startThief(): Promise<BrokenService & { stolen: () => readonly string[] }> {
    const seen: string[] = [];
    const service = await startBroken((request, response) => {
      seen.push(JSON.stringify(request.headers));
      answer(response, 200, pageOf([]));
    });
    return { ...service, stolen: () => seen };
  }

  test.each([301, 302, 303, 307, 308])('is not sent to the target of a redirect with %i', async (status) => {
    const thief = await startThief();
    for (const argv of [['plan'], ['apply', '-y'], ['persons', 'list'], ['persons', 'list', '--all', '-f', 'csv']]) {
      const ran = await planAgainst(
        (response) => response.writeHead(status, { location: `${thief.url}/x` }).end(),
        argv,
      );
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('an address that is not followed') as string]);
    }
    expect(thief.requests()).toBe(0);
  });

  test.each([
    '//evil.example/x',
    'https://evil.example',
    '/\\evil.example',
    'http://127.0.0.1:1/x',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://[::1',
    '\u0000',
  ])('is sent nowhere for the location %j', async (location) => {
    const ran = await planAgainst((response) => {
      response.socket?.end(
        `HTTP/1.1 302 Found\r\nlocation: ${location.replaceAll('\u0000', '%00')}\r\ncontent-length: 0\r\n\r\n`,
      );
    });
    expect(ran.code).toBe(1);
  });

  test('is not sent to another host that the next link names', async () => {
    const thief = await startThief();
    const pages: string[] = [];
    const ran = await planAgainst((response, url) => {
      pages.push(url);
      const first = !url.includes('offset=1');
      answer(response, 200, {
        next: first ? `${thief.url}/api/steal/?limit=1&offset=1` : null,
        results: [{ id: first ? 1 : 2, key: first ? 'checkout' : 'other' }],
      });
    });
    expect(ran.code).toBe(0);
    expect(pages.some((url) => url.startsWith('/api/projects/1/feature_flags/') && url.includes('offset=1'))).toBe(
      true,
    );
    expect(thief.requests()).toBe(0);
  });

  test('is not sent in a redirect loop', async () => {
    const ran = await planAgainst((response, url) =>
      response.writeHead(302, { location: `${url.split('?')[0]}?again` }).end(),
    );
    expect(ran.code).toBe(1);
    expect(ran.requests()).toBeLessThan(30);
  });
});

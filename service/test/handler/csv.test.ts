/** CSV by RFC 4180: any string is preserved, and rows are streamed. */

import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from '../../src/handler/lists.ts';
import { start } from '../harness.ts';

const PERSONS = '/api/projects/1/persons/';

/** An independent CSV reader. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const cells = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  for (const [, cell = '', end] of text.matchAll(cells)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

test('any string is preserved', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('a,b', 'a"b', 'a\r\nb', 'a\nb', '=1+1', ' ', '""', ','));
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
      expect(readCsv(csvLine(cells))).toEqual([cells]);
    }),
  );
});

test('values other than strings', () => {
  expect(csvLine([1, null, true, ['a', 1], { b: 'c' }])).toBe('1,,true,"[""a"",1]","{""b"":""c""}"\r\n');
});

test('persons', async () => {
  const uuid = '0191a000-0000-7000-8000-000000000001';
  const properties = { quote: 'He said "no",\nthen =1+1' };
  const person = { uuid, distinct_ids: ['a', 'b'], properties, created_at: '2026-01-01T00:00:00Z' };
  const client = await start({ seed: { persons: [person] } });
  const response = await fetch(`${client.service.url}${PERSONS}?format=csv`, {
    headers: { authorization: 'Bearer k' },
  });
  const expected = ['1', 'a', '["a","b"]', JSON.stringify(properties), '2026-01-01T00:00:00Z', uuid];
  expect(readCsv(await response.text())).toEqual([
    ['id', 'name', 'distinct_ids', 'properties', 'created_at', 'uuid'],
    expected,
  ]);
  const one = await fetch(`${client.service.url}${PERSONS}1/?format=csv`, { headers: { authorization: 'Bearer k' } });
  expect(readCsv(await one.text())[1]).toEqual(expected);
});

test('persons are streamed, and a client that disconnects does not affect others', async () => {
  const persons = Array.from({ length: 5000 }, (_, index) => ({
    distinct_ids: [`user-${index}`],
    properties: { filling: 'x'.repeat(500) },
  }));
  const client = await start({ seed: { persons }, randomUuid: randomUUID });
  const url = `${client.service.url}${PERSONS}?format=csv`;
  await new Promise<void>((resolve, reject) => {
    get(url, { headers: { authorization: 'Bearer k' } }, (response) => {
      response.once('data', () => {
        response.destroy();
        resolve();
      });
    }).on('error', reject);
  });
  const response = await fetch(url, { headers: { authorization: 'Bearer k' } });
  expect(response.headers.get('content-length')).toBeNull();
  expect(readCsv(await response.text())).toHaveLength(5001);
  const head = await fetch(url, { method: 'HEAD', headers: { authorization: 'Bearer k' } });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('other requests are answered during an export', async () => {
  const persons = Array.from({ length: 20_000 }, (_, index) => ({ distinct_ids: [`user-${index}`] }));
  const client = await start({ seed: { persons } });
  let isDone = false;
  const headers = { authorization: 'Bearer k' };
  const exported = fetch(`${client.service.url}${PERSONS}?format=csv`, { headers }).then(async (response) => {
    const text = await response.text();
    isDone = true;
    return text;
  });
  let answered = 0;
  for (; !isDone; answered += 1) await client.get(`${PERSONS}1/`);
  expect(readCsv(await exported)).toHaveLength(20_001);
  expect(answered).toBeGreaterThan(5);
});

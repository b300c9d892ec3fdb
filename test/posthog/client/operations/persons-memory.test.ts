/** A long list needs the memory of a page, not of the list. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { clientFor } from '../support/client.ts';
import { serve } from '../support/server.ts';

const PERSONS = 50_000;
const PAGE = 1000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test(`${PERSONS} persons are read in the memory of a few pages`, async () => {
  const { host, seen } = await serve(({ url }) => {
    const offset = Number(new URL(url, 'http://localhost').searchParams.get('offset'));
    const results = Array.from({ length: PAGE }, (_, index) => person(offset + index));
    const end = offset + PAGE;
    return { body: { next: end < PERSONS ? `?limit=${PAGE}&offset=${end}` : null, results } };
  });
  const heaps: number[] = [];
  let count = 0;
  let distinct = 0;
  for await (const { distinct_ids: ids } of clientFor(host).listPersons({ pageSize: PAGE })) {
    count += 1;
    distinct += ids?.length ?? 0;
    if (count % 10_000 === 0) heaps.push(heapUsed());
  }
  expect([count, distinct, seen.length]).toEqual([PERSONS, PERSONS, PERSONS / PAGE]);
  // The list is some 40 MB as objects; what is kept between the first and the last measurement is next to nothing.
  expect(Math.max(...heaps) - (heaps[0] ?? 0)).toBeLessThan(4 * 1024 * 1024);
});

function person(id: number): object {
  const properties = { email: `person-${id}@example.org`, plan: 'pro', note: `${id} `.repeat(40) };
  return { id, uuid: `0188a2d0-7b3c-7e61-9f61-${String(id).padStart(12, '0')}`, distinct_ids: [`d-${id}`], properties };
}

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

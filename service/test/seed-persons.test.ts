/** Persons, events, cohorts and groups of a seed. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { results, start } from './harness.ts';
import { createWorkspace } from '../../test/helpers/workspace.ts';

const PERSONS = '/api/projects/1/persons/';
const UUID = '0191A000-0000-7000-8000-000000000001';

test('persons keep their given values and get free ids for missing ones', async () => {
  const client = await start({
    seed: {
      persons: [
        { distinct_ids: ['late'] },
        { id: 1, uuid: UUID, distinct_ids: ['a', 'b', 'a'], properties: { n: 1 }, created_at: '2026-01-01T00:00:00Z' },
      ],
      events: [{ event: 'came', distinct_id: 'unlisted', timestamp: '2026-01-01T00:00:00Z' }],
    },
  });
  const persons = results(await client.get(PERSONS));
  expect(persons).toMatchObject([
    { id: 3, distinct_ids: ['unlisted'], properties: {} },
    { id: 2, distinct_ids: ['late'] },
    { id: 1, uuid: UUID.toLowerCase(), distinct_ids: ['a', 'b'], properties: { n: 1 } },
  ]);
});

test('is not loaded into a project with persons', async () => {
  const data = join(createWorkspace().root, 'service.db');
  const seed = { persons: [{ distinct_ids: ['a'] }] };
  const first = await start({ data, seed });
  await first.service.close();
  const second = await start({ data, seed });
  expect(results(await second.get(PERSONS))).toHaveLength(1);
});

test('the seeds in the documentation are valid', async () => {
  const text = readFileSync(new URL('../../docs/embedded/seeds.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```json\n([^]*?)```/g)].map(([, block = '']) => JSON.parse(block) as JsonObject);
  for (const seed of blocks) await start({ seed, profile: 'posthog' });
  const seed = blocks.find(({ persons }) => persons !== undefined) ?? {};
  const client = await start({ seed });
  expect(results(await client.get(`${PERSONS}trends/?date_from=all`))).toMatchObject([{ count: 1 }]);
  expect(results(await client.get(`${PERSONS}cohorts/?person_id=1`))).toMatchObject([{ id: 42 }, { id: 43 }]);
});

const person = { distinct_ids: ['a'] };

test.each<readonly [string, JsonObject, string]>([
  ['a person without distinct ids', { persons: [{ distinct_ids: [] }] }, '/persons/0/distinct_ids'],
  ['a person without the list', { persons: [{}] }, '/persons/0'],
  ['a distinct id of two persons', { persons: [person, person] }, '/persons/1/distinct_ids'],
  [
    'an id of two persons',
    {
      persons: [
        { ...person, id: 1 },
        { id: 1, distinct_ids: ['b'] },
      ],
    },
    '/persons/1',
  ],
  ['a UUID that is none', { persons: [{ ...person, uuid: 'x' }] }, '/persons/0/uuid'],
  ['a time that is none', { persons: [{ ...person, created_at: 'once' }] }, '/persons/0/created_at'],
  ['a field that is none', { persons: [{ ...person, age: 5 }] }, '/persons/0/age'],
  ['an event without a name', { events: [{ distinct_id: 'a', timestamp: '2026-01-01' }] }, '/events/0'],
  ['an event at no time', { events: [{ event: 'e', distinct_id: 'a', timestamp: 'soon' }] }, '/events/0/timestamp'],
  ['a member that does not exist', { persons: [person], cohorts: [{ id: 1, persons: ['b'] }] }, '/cohorts/0/persons/0'],
])('refuses %s and loads nothing', async (_what, seed, pointer) => {
  await expect(start({ seed })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`at ${pointer}:`) as string,
  });
});

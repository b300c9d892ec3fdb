/** The optimistic lock of the posthog profile. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, pathOf, start } from '../harness.ts';

interface Case {
  readonly what: string;
  /** The other side's write after the flag was read. */
  readonly theirs: JsonObject;
  readonly ours: JsonObject;
  readonly lock: 'both' | 'version' | 'original' | 'none';
  readonly status: number;
  readonly kept?: JsonObject;
}

const CASES: readonly Case[] = [
  { what: 'the same field, different values', theirs: { name: 'b' }, ours: { name: 'c' }, lock: 'both', status: 409 },
  { what: 'the same field, equal values', theirs: { name: 'c' }, ours: { name: 'c' }, lock: 'both', status: 200 },
  {
    what: 'other fields',
    theirs: { name: 'b' },
    ours: { active: false },
    lock: 'both',
    status: 200,
    kept: { name: 'b', active: false },
  },
  {
    what: 'an unchanged value of a field that the other side changed',
    theirs: { name: 'b' },
    ours: { name: 'a', active: false },
    lock: 'both',
    status: 200,
    kept: { name: 'b', active: false },
  },
  {
    what: 'filters on both sides',
    theirs: { filters: { groups: [{ rollout_percentage: 1 }] } },
    ours: { filters: { groups: [{ rollout_percentage: 2 }] } },
    lock: 'both',
    status: 409,
  },
  {
    what: 'the version alone',
    theirs: { name: 'b' },
    ours: { name: 'c' },
    lock: 'version',
    status: 200,
    kept: { name: 'c' },
  },
  {
    what: 'the original alone',
    theirs: { name: 'b' },
    ours: { name: 'c' },
    lock: 'original',
    status: 200,
    kept: { name: 'c' },
  },
  { what: 'no lock', theirs: { name: 'b' }, ours: { name: 'c' }, lock: 'none', status: 200, kept: { name: 'c' } },
];

test.each(CASES)('$what', async ({ theirs, ours, lock, status, kept = {} }) => {
  const client = await start({ profile: 'posthog' });
  const read = await client.create({ key: 'a', name: 'a', filters: { groups: [{}] } });
  await client.patch(pathOf(read), theirs);
  const answered = await client.patch(pathOf(read), {
    ...ours,
    ...((lock === 'both' || lock === 'version') && { version: read['version'] ?? null }),
    ...((lock === 'both' || lock === 'original') && { original_flag: read }),
  });
  expect(answered.status).toBe(status);
  if (status === 409) {
    expect(answered.body).toMatchObject({ type: 'server_error', code: 'conflict', attr: null });
    expect(answered.body['detail']).toContain('embedded@example.org');
    expect((await client.get(pathOf(read))).body).toMatchObject(theirs);
  }
  expect(answered.body).toMatchObject(kept);
});

test('a field that the original does not have is in no conflict', async () => {
  const client = await start({ profile: 'posthog' });
  const { name: _, ...original } = await client.create({ key: 'a', name: 'a' });
  await client.patch(pathOf(original), { name: 'theirs' });
  const { version = null } = original;
  const answered = await client.patch(pathOf(original), { name: 'ours', version, original_flag: original });
  expect(answered).toMatchObject({ status: 200, body: { name: 'ours' } });
});

test.each<[JsonObject | null, string]>([
  [null, 'Another user changed the flag'],
  [{ id: 7 }, 'Another user changed the flag'],
  [{ id: 7, first_name: 'Ada' }, 'Ada changed the flag'],
  [{ id: 7, first_name: 'Ada', email: 'ada@example.org' }, 'ada@example.org changed the flag'],
])('a conflict names who changed the flag: %j', async (user, detail) => {
  const seed = { flags: [{ id: 3, key: 'a', name: 'theirs', version: 5, last_modified_by: user }] };
  const client = await start({ profile: 'posthog', seed });
  const answered = await client.patch(`${FLAGS}3/`, { name: 'ours', version: 4, original_flag: { name: 'read' } });
  expect(answered.status).toBe(409);
  expect(answered.body['detail']).toContain(detail);
});

test('a version that is not a number is refused', async () => {
  const client = await start({ profile: 'posthog' });
  const flag = await client.create({ key: 'a' });
  expect(await client.patch(pathOf(flag), { version: 'x' })).toMatchObject({ status: 400, body: { attr: 'version' } });
});

test('the documented profile has no lock', async () => {
  const client = await start();
  const flag = await client.create({ key: 'a', name: 'a' });
  await client.patch(pathOf(flag), { name: 'b' });
  const answered = await client.patch(pathOf(flag), { name: 'c', version: 'x', original_flag: flag });
  expect(answered).toMatchObject({ status: 200, body: { name: 'c' } });
});

/** Reading the cohorts that have the name of a new one: several may be about to become one. */

import { expect, test } from 'vitest';
import type { CreateCohort } from '../../../src/posthog/cohort/change.ts';
import { type Cohort, namesakesOf } from '../../../src/posthog/cohort/cohort.ts';
import { readNamesakes } from '../../../src/posthog/cohort/write.ts';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import { cohort } from '../../helpers/cohorts.ts';

const CHANGE = { action: 'create', key: 'a', body: { name: ' A ' } } as unknown as CreateCohort;
const twins = [cohort(9, 'A'), cohort(7, 'A'), cohort(3, 'B'), cohort(5, 'A', { deleted: true })];

/** What each list has, the last one again and again; and whether there is time left to wait. */
async function read(lists: readonly (readonly Cohort[])[], hasTime = true): Promise<unknown> {
  const waits: number[] = [];
  let asked = 0;
  const client = {
    listCohorts: async () => Promise.resolve(lists[Math.min(asked++, lists.length - 1)] ?? []),
    wait: async (ms: number) => {
      waits.push(ms);
      return Promise.resolve(hasTime);
    },
  } as unknown as ServiceClient;
  return [(await readNamesakes(CHANGE, client)).map(({ id }) => id), waits];
}

test.each<[string, readonly (readonly Cohort[])[], boolean, unknown]>([
  ['none is known at once', [[]], true, [[], []]],
  ['one is known at once', [[cohort(7, 'A')]], true, [[7], []]],
  ['of two, one goes', [twins, [cohort(7, 'A')]], true, [[7], [100]]],
  ['of two, one goes later', [twins, twins, [cohort(7, 'A')]], true, [[7], [100, 400]]],
  [
    'two that stay are two',
    [twins],
    true,
    [
      [7, 9],
      [100, 400, 1500],
    ],
  ],
  ['without time left, two are two', [twins], false, [[7, 9], [100]]],
])('%s', async (_what, lists, hasTime, expected) => {
  expect(await read(lists, hasTime)).toEqual(expected);
});

test('a body without a name has no namesakes, also where a cohort has none', () => {
  const all = [cohort(1, ''), cohort(2, 'A')];
  expect(namesakesOf({}, all)).toEqual([]);
  expect(namesakesOf({ name: null }, all)).toEqual([]);
});

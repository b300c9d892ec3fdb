/** The group type of a flag and of its conditions: every manifest converges, and every removal is drift. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { holdsAsync } from '../helpers/runs.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { declared, desiredState, liveFlag, liveState, of2023, planFor } from '../helpers/states.ts';
import { startWorld, type World } from '../helpers/world.ts';

const INDEX = 'aggregation_group_type_index';
const group = { key: 'plan', type: 'group', group_type_index: 0, operator: 'exact', value: ['pro'] };

/** A condition for groups or persons, with or without a group type of its own. */
const condition = (index: number | null | undefined, withProperty: boolean): JsonObject => ({
  ...(index === undefined ? {} : { [INDEX]: index }),
  ...(withProperty && index === 0 ? { properties: [group] } : {}),
  rollout_percentage: 50,
});

/** What validation accepts: no condition has another type than its flag, if that has one. */
const stated = fc
  .record({
    flag: fc.constantFrom<(number | null | undefined)[]>(0, null, undefined),
    conditions: fc.array(fc.constantFrom<(number | null | undefined)[]>(0, null, undefined), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map(({ flag, conditions }): JsonObject => ({
    ...(flag === undefined ? {} : { [INDEX]: flag }),
    groups: conditions.map((index) => condition(flag === 0 && index === null ? 0 : index, false)),
  }));

describe.each(['documented', 'posthog'] as const)('in profile %s', (profile) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(profile);
  });
  afterAll(() => world.close());
  let serial = 0;

  async function expectToConverge(...states: JsonObject[]): Promise<void> {
    serial += 1;
    for (const filters of states) {
      const desired = desiredState(declared(`f${serial}`, { filters }));
      expect(await world.apply(await world.plan(desired))).toMatchObject({ remainder: [], outcomes: { failed: 0 } });
      expect((await world.plan(desired)).changes).toEqual([]);
    }
  }

  it('a group type on the conditions only', () =>
    expectToConverge(
      { groups: [condition(0, true), condition(0, false)] },
      { [INDEX]: 0, groups: [{ properties: [group] }] },
    ));

  it('every combination on the flag and on its conditions, in a new flag and in place of any other', async () => {
    const values = [undefined, null, 0, 1] as const;
    const lists = [...values.map((one) => [one]), ...values.flatMap((one) => values.map((other) => [one, other]))];
    const combinations = values.flatMap((flag) =>
      lists
        // Else validation refuses it.
        .filter((list) => typeof flag !== 'number' || list.every((one) => one === undefined || one === flag))
        .map((list): JsonObject => ({
          ...(flag === undefined ? {} : { [INDEX]: flag }),
          groups: list.map((index) => condition(index, false)),
        })),
    );
    expect(combinations.length).toBeGreaterThan(40);
    await expectToConverge(...combinations);
    for (const filters of combinations) await expectToConverge(filters);
  });

  it('any group type converges from any other', () =>
    holdsAsync(25, [stated, stated], (before, after) => expectToConverge(before, after)));
});

describe('a group type that another user removes from the flag', () => {
  const kept = { [INDEX]: 0, groups: [condition(0, true)] };
  const removed = { groups: [condition(0, true)] };
  const plan = (filters: JsonObject, live: JsonObject, as = (flag: Flag): Flag => flag): readonly unknown[] =>
    planFor(desiredState(declared('a', { filters })), liveState([as(liveFlag(1, 'a', { filters: live }))])).changes;

  it.each([
    ['with it on the flag', kept],
    ['with it on the conditions', removed],
  ])('is drift for a manifest %s', (_name, filters) => {
    expect(plan(filters, kept)).toEqual([]);
    expect(plan(filters, removed)).toMatchObject([
      { fields: [{ path: `/filters/${INDEX}`, after: 0 }], body: { filters: kept } },
    ]);
  });

  it('is no drift when the manifest has none for the flag', () => {
    const without = { [INDEX]: null, ...removed };
    expect(plan(without, removed, of2023)).toEqual([]);
    expect(plan(without, kept, of2023)).toMatchObject([{ fields: [{ path: `/filters/${INDEX}` }] }]);
    // Today's service stores the common one anyway.
    expect(plan(without, kept)).toEqual([]);
  });
});

/** Wanted fields with live values at some places. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { diff } from '../../../../src/core/engine/diff.ts';
import { withLiveAt, withoutDifferences } from '../../../../src/posthog/flag/model/live-values.ts';
import { holds } from '../../../helpers/runs.ts';

const WANTED = {
  name: 'git',
  active: true,
  filters: {
    groups: [
      { properties: [], rollout_percentage: 10 },
      { properties: [{ key: 'country', value: 'DE' }], rollout_percentage: 20 },
    ],
    multivariate: {
      variants: [
        { key: 'a', rollout_percentage: 50 },
        { key: 'b', rollout_percentage: 50 },
      ],
    },
    payloads: { a: 'red' },
  },
};

const LIVE = {
  name: 'live',
  active: false,
  filters: {
    groups: [{ properties: [], rollout_percentage: 11 }, { properties: [] }],
    multivariate: {
      variants: [
        { key: 'x', rollout_percentage: 0 },
        { key: 'a', rollout_percentage: 10 },
        { key: 'b', rollout_percentage: 90 },
      ],
    },
    payloads: { a: 'blue', b: 'green' },
  },
};

describe('the live value stands at each pointer, and nothing else changes', () => {
  it.each<[string, string[], (expected: typeof WANTED) => unknown]>([
    ['no pointer', [], (flag) => flag],
    ['a field', ['/active'], (flag) => ({ ...flag, active: false })],
    ['a field that is not wanted', ['/tags'], (flag) => flag],
    ['all filters', ['/filters'], (flag) => ({ ...flag, filters: LIVE.filters })],
    [
      'a member of a condition',
      ['/filters/groups/0/rollout_percentage'],
      (flag) => withConditions(flag, [{ rollout_percentage: 11 }]),
    ],
    [
      'a member that is not live',
      ['/filters/groups/1/rollout_percentage'],
      (flag) => withConditions(flag, [{}, { rollout_percentage: undefined }]),
    ],
    ['an element that is not live', ['/filters/groups/5'], (flag) => flag],
    [
      'a payload that is not wanted',
      ['/filters/payloads/b'],
      (flag) => withFilters(flag, { payloads: { a: 'red', b: 'green' } }),
    ],
    [
      'a variant, by its key',
      ['/filters/multivariate/variants/0/rollout_percentage'],
      (flag) =>
        withFilters(flag, {
          multivariate: { variants: [{ key: 'a', rollout_percentage: 10 }, WANTED.filters.multivariate.variants[1]] },
        }),
    ],
  ])('%s', (_, pointers, expected) => {
    expect(withLiveAt(WANTED, LIVE, pointers)).toEqual(expected(WANTED));
  });

  it('an element that only git has stays as it is, where the pointer names a member of it', () => {
    const live = { filters: { groups: [] } };
    expect(withLiveAt(WANTED, live, ['/filters/groups/1/rollout_percentage'])).toEqual(WANTED);
  });

  it('neither side changes', () => {
    const before = structuredClone([WANTED, LIVE]);
    withLiveAt(WANTED, LIVE, ['/filters/groups/0', '/filters/payloads']);
    expect([WANTED, LIVE]).toEqual(before);
  });
});

describe('without some differences', () => {
  it('an added condition is left out, and a removed one stays', () => {
    const [a, b, x] = [{ name: 'a' }, { name: 'b' }, { name: 'x' }];
    const two = { groups: [a, b] };
    const three = { groups: [a, x, b] };
    expect(withoutDifferences(three, two, diff(two, three))).toEqual(two);
    expect(withoutDifferences(two, three, diff(three, two))).toEqual(three);
  });

  it('without all, the wanted fields are the live ones; without none, they are themselves', () => {
    holds(300, [fields(), fields()], (wanted, live) => {
      const all = diff(live, wanted);
      expect(diff(live, withoutDifferences(wanted, live, all))).toEqual([]);
      expect(withoutDifferences(wanted, live, [])).toEqual(wanted);
    });
  });
});

function fields(): fc.Arbitrary<JsonObject> {
  const condition = fc.record(
    { rollout_percentage: fc.constantFrom(1, 2, 3), variant: fc.constantFrom('a', 'b') },
    { requiredKeys: [] },
  );
  const variant = fc.record({ key: fc.constantFrom('a', 'b', 'c'), rollout_percentage: fc.constantFrom(1, 2) });
  return fc.record({
    active: fc.boolean(),
    filters: fc.record({
      groups: fc.array(condition, { maxLength: 4 }),
      variants: fc.uniqueArray(variant, { selector: ({ key }) => key }),
      payloads: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y')),
    }),
  }) as fc.Arbitrary<JsonObject>;
}

function withFilters(flag: typeof WANTED, changed: object): object {
  return { ...flag, filters: { ...flag.filters, ...changed } };
}

function withConditions(flag: typeof WANTED, changes: readonly object[]): object {
  return withFilters(flag, {
    groups: flag.filters.groups.map((condition, index) => ({ ...condition, ...changes[index] })),
  });
}

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { findCombinations } from '../../../src/review/impact/combinations.ts';
import { pairOf } from '../../../src/review/effects/worlds.ts';
import { createQuestions } from '../../../src/review/impact/knowledge.ts';
import { makeWorlds } from '../../../src/review/effects/worlds.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { NOW } from './support.ts';

const READING = { generation: 'rust-2026', now: NOW, timeZone: 'UTC' } as const;

/** Of a flag with such filters in its conditions, each for 100%, which are all removed. */
function combinationsOf(groups: readonly (readonly JsonObject[])[], most = 1000): number | undefined {
  const filters = {
    early_exit: true,
    groups: groups.map((properties) => ({ properties: [...properties], rollout_percentage: 50 })),
  };
  const live = [liveFlag(1, 'a', { filters })];
  const { changes } = planFor(desiredState(declared('a', { filters: { groups: [] } })), liveState(live));
  const pair = pairOf({ key: 'a', payloads: new Set() }, makeWorlds(changes, live));
  const context = { ...READING, groupTypes: {}, cohorts: {} };
  return findCombinations(pair, { questions: createQuestions(pair, READING), context }, most)?.length;
}

const is = (key: string, operator: string, value: JsonObject[string]): JsonObject => ({
  key,
  type: 'person',
  operator,
  ...(value === undefined ? {} : { value }),
});

it.each<[string, number, readonly (readonly JsonObject[])[]]>([
  ['filters on two properties', 3, [[is('a', 'exact', ['x'])], [is('b', 'exact', ['x'])]]],
  ['equal filters', 2, [[is('a', 'exact', ['x', 'y'])], [is('a', 'exact', ['Y', 'X'])]]],
  ['a list within a list', 3, [[is('a', 'exact', ['x'])], [is('a', 'exact', ['x', 'y'])]]],
  ['a range within a range', 3, [[is('a', 'gt', '10')], [is('a', 'gte', '5')]]],
  ['presence and absence', 2, [[is('a', 'is_set', undefined)], [is('a', 'is_not_set', undefined)]]],
  [
    'a false list of which the rest is true',
    4,
    [[is('a', 'gt', '1'), is('b', 'exact', 'x')], [is('b', 'exact', 'x')], [is('a', 'gt', '2')]],
  ],
  ['a part and a value with it', 2, [[is('a', 'icontains', '@ACME')], [is('a', 'exact', ['ada@acme.com'])]]],
  [
    'a part and a value whose letters services may fold in different ways',
    3,
    [[is('a', 'icontains', 'da')], [is('a', 'exact', ['İda'])]],
  ],
  [
    'versions and a pattern that has earlier ones too',
    3,
    [[is('a', 'semver_gte', '1.2.5')], [is('a', 'semver_wildcard', '1.2.*')]],
  ],
  [
    'a pattern of versions and a range with a pre-release that is not in it',
    3,
    [[is('a', 'semver_wildcard', '1.2.*')], [is('a', 'semver_gte', '1.2.0'), is('a', 'semver_lt', '1.3.0')]],
  ],
  [
    'a pattern of all versions and one of them',
    2,
    [[is('a', 'semver_wildcard', '*')], [is('a', 'semver_eq', '1.2.5')]],
  ],
])('enumerates the combinations of %s', (_, expected, groups) => {
  expect(combinationsOf(groups)).toBe(expected);
});

it('enumerates no more than it may', () => {
  const groups = ['a', 'b', 'c', 'd'].map((key) => [is(key, 'exact', ['x'])]);
  expect(combinationsOf(groups)).toBe(5);
  // Nine evaluations of the flag before and after: the last one may begin after sixteen.
  expect([combinationsOf(groups, 16), combinationsOf(groups, 17)]).toEqual([undefined, 5]);
});

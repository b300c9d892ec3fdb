/** Which flags and cohorts use a cohort, now and after a plan, and which definitions depend on events. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Change } from '../../../src/posthog/plan.ts';
import { snapshotCohorts } from '../../../src/posthog/cohort/cohort.ts';
import { flagsUsing, namedByFlag, usesAfter, usesNow, type CohortUses } from '../../../src/posthog/cohort/uses.ts';
import { takeFlagSnapshot } from '../../../src/posthog/flag/snapshot.ts';
import { cohort } from '../../helpers/cohorts.ts';
import { liveFlag, liveState } from '../../helpers/states.ts';

const on = (value: number | string): JsonObject => ({ key: 'id', type: 'cohort', value });
const PRO = { key: 'plan', type: 'person', value: 'pro' };
const EVENTS = { key: 'paid', type: 'behavioral', value: 'performed_event' };
const tree = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const conditions = (...groups: JsonObject[][]): JsonObject => ({
  groups: groups.map((properties) => ({ properties })),
});

/** 8 names 7; 9 names 8 and itself; the list 10 once named 7; 11 is deleted. */
const COHORTS = snapshotCohorts(
  [
    cohort(7, 'inner', { filters: tree(PRO, EVENTS) }),
    cohort(8, 'outer', { filters: tree(PRO, on(7)) }),
    cohort(9, 'outermost', { filters: tree(on(9), on('8')) }),
    cohort(10, 'list', { filters: tree(on(7)), is_static: true }),
    cohort(11, 'gone', { filters: tree(on(7)), deleted: true }),
    cohort(12, 'plain', { filters: tree(PRO) }),
  ],
  new Map([['beta', 7]]),
);
const FLAGS = takeFlagSnapshot(
  liveState([
    liveFlag(1, 'direct', { filters: conditions([PRO], [PRO, on(7)]) }),
    liveFlag(2, 'through', { filters: conditions([on(12)], [on(9)]) }),
    liveFlag(3, 'of-list', { filters: conditions([on(10)]) }),
    liveFlag(4, 'of-gone', { filters: conditions([on(11)]) }),
    liveFlag(5, 'unknown', { filters: conditions([on(99)]) }),
    liveFlag(6, 'deleted', { filters: conditions([on(7)]), deleted: true }),
    liveFlag(7, 'by-alias', { filters: conditions([on('beta')]) }),
    liveFlag(8, 'none'),
  ]),
);
const NOW = usesNow(FLAGS, COHORTS);

test.each([
  [7, ['by-alias', 'direct', 'through']],
  [8, ['through']],
  [9, ['through']],
  [10, ['of-list']],
  [12, ['through']],
  [13, []],
])('the flags that use cohort %s, itself or through others, are %j', (id, flags) => {
  expect(flagsUsing(id, NOW)).toEqual(flags);
});

test.each([
  [7, true],
  [8, true],
  [9, true],
  [10, false],
  [11, false],
  [12, false],
  [99, false],
])('whether the definition of cohort %s, or of one that it names, depends on events: %s', (id, expected) => {
  expect(NOW.onEvents.has(id)).toBe(expected);
});

test('the cohorts that a flag names are ids where they are known, each once', () => {
  const filters = conditions([on('beta'), on(7)], [on('new'), on('8'), PRO]);
  expect(namedByFlag(filters, COHORTS)).toEqual([7, 'new', 8]);
  expect([namedByFlag(undefined, COHORTS), namedByFlag('x', COHORTS)]).toEqual([[], []]);
});

describe('after a plan', () => {
  const change = (
    resource: 'flag' | 'cohort',
    action: string,
    { key, id, body, former = {} }: { key: string; id?: number; body?: JsonObject; former?: JsonObject },
  ): Change => ({ resource, action, key, id, body: body ?? {}, base: { [resource]: former } }) as unknown as Change;
  const after = (...changes: Change[]): CohortUses => usesAfter(changes, NOW, COHORTS);

  test.each<[string, Change, number | string, readonly string[]]>([
    ['a deleted flag', change('flag', 'delete', { key: 'direct', id: 1 }), 7, ['by-alias', 'through']],
    [
      'a flag without the condition',
      change('flag', 'update', { key: 'direct', body: { filters: conditions([PRO]) } }),
      7,
      ['by-alias', 'through'],
    ],
    [
      'a flag that stays with its conditions',
      change('flag', 'update', { key: 'direct', body: { active: false } }),
      7,
      ['by-alias', 'direct', 'through'],
    ],
    [
      'a new flag',
      change('flag', 'create', { key: 'fresh', body: { filters: conditions([on(8)]) } }),
      7,
      ['by-alias', 'direct', 'fresh', 'through'],
    ],
    [
      'a restored flag',
      change('flag', 'restore', { key: 'deleted', id: 6, former: { filters: conditions([on(7)]) } }),
      7,
      ['by-alias', 'deleted', 'direct', 'through'],
    ],
    [
      'a restored flag with other conditions',
      change('flag', 'restore', {
        key: 'deleted',
        id: 6,
        body: { filters: conditions([PRO]) },
        former: { filters: conditions([on(7)]) },
      }),
      7,
      ['by-alias', 'direct', 'through'],
    ],
    ['a deleted cohort between', change('cohort', 'delete', { key: 'outer', id: 8 }), 7, ['by-alias', 'direct']],
    [
      'a cohort that no longer names it',
      change('cohort', 'update', { key: 'outer', id: 8, body: { filters: tree(PRO) } }),
      7,
      ['by-alias', 'direct'],
    ],
    [
      'a cohort that stays with its definition',
      change('cohort', 'update', { key: 'outer', id: 8, body: { name: 'New' } }),
      7,
      ['by-alias', 'direct', 'through'],
    ],
    [
      'a restored cohort',
      change('cohort', 'restore', { key: 'gone', id: 11, former: { filters: tree(on(7)) } }),
      7,
      ['by-alias', 'direct', 'of-gone', 'through'],
    ],
    [
      'a change of access',
      { resource: 'role_access', action: 'revoke', key: 'direct', id: 1 } as unknown as Change,
      7,
      ['by-alias', 'direct', 'through'],
    ],
  ])('with %s, other flags use a cohort', (_what, made, id, flags) => {
    expect(flagsUsing(id, after(made))).toEqual(flags);
  });

  test('a new cohort is known by its alias, and a flag on it depends on what it names', () => {
    const uses = after(
      change('cohort', 'create', { key: 'new', body: { filters: tree(PRO, on('beta')) } }),
      change('flag', 'update', { key: 'none', body: { filters: conditions([on('new')]) } }),
    );
    expect([flagsUsing('new', uses), uses.onEvents.has('new')]).toEqual([['none'], true]);
    expect(flagsUsing(7, uses)).toEqual(['by-alias', 'direct', 'none', 'through']);
  });

  test('live uses are not touched', () => {
    after(change('flag', 'delete', { key: 'direct' }), change('cohort', 'delete', { key: 'outer', id: 8 }));
    expect(flagsUsing(7, NOW)).toEqual(['by-alias', 'direct', 'through']);
  });
});

/** Reverting changes of one of two cohorts. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import { invertPlan, type Inversion } from '../../../src/posthog/planning/invert-plan.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { liveFlag, planFor, planOptions } from '../../helpers/states.ts';

const definition = (value: string): JsonObject => ({
  properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value }] },
});
const [PRO, FREE] = [definition('pro'), definition('free')];
const beta = (fields: JsonObject = {}): Cohort => cohort(7, 'Beta', { filters: PRO, ...fields });
const stateOf = (...cohorts: readonly Cohort[]): LiveState => ({
  flags: [],
  roleAccess: {},
  cohorts: [cohort(3, 'Another', { filters: FREE }), ...cohorts],
});

/** Applies what a plan for the declared cohort changes, then reverts it where others have moved it to `now`. */
function reverted(declared: JsonObject, before: LiveState, now: LiveState): Inversion {
  const { changes } = planFor(desiredOf({ flags: {}, cohorts: { beta: declared } }), before);
  expect(changes).toHaveLength(1);
  const applied = changes.map((change) => ({ change, ...(change.action === 'create' ? { id: 7 } : {}) }));
  return invertPlan(applied, now, planOptions());
}

const NONE = stateOf();
const DELETED = stateOf(beta({ deleted: true }));
const LIVE = stateOf(beta());
const DECLARED = { name: 'Beta', filters: PRO };

describe('the inverse', () => {
  test.each<[string, JsonObject, LiveState, LiveState, object]>([
    ['a create is a delete', DECLARED, NONE, LIVE, { action: 'delete', id: 7, reason: 'undone' }],
    ['a restore is a delete', DECLARED, DELETED, LIVE, { action: 'delete', id: 7, reason: 'undone' }],
    [
      'a delete is a restore',
      { name: 'Beta', deleted: true },
      LIVE,
      DELETED,
      { action: 'restore', id: 7, body: { deleted: false } },
    ],
    [
      'an update is one back to each former value',
      { name: 'Testers', previous_names: ['Beta'], filters: FREE },
      LIVE,
      stateOf(beta({ name: 'Testers', filters: FREE })),
      { action: 'update', id: 7, body: { name: 'Beta', filters: PRO }, needs: [] },
    ],
    [
      'a first description is an empty one',
      { ...DECLARED, description: 'New.' },
      LIVE,
      stateOf(beta({ description: 'New.' })),
      { action: 'update', id: 7, body: { description: '' } },
    ],
  ])('of %s', (_, declared, before, now, change) => {
    const { plan, refused } = reverted(declared, before, now);
    expect([plan.changes, refused]).toMatchObject([[change], []]);
  });

  test('of an update has only what was written', () => {
    const { plan } = reverted(
      { ...DECLARED, filters: FREE },
      LIVE,
      stateOf(beta({ filters: FREE, description: 'Theirs.' })),
    );
    expect(plan.changes).toMatchObject([
      { fields: [{ path: '/filters/properties/values/0/value', before: 'free', after: 'pro' }] },
    ]);
    expect(Object.keys((plan.changes[0] as { body: object }).body)).toEqual(['filters']);
  });

  test.each<[string, JsonObject, LiveState, LiveState, object]>([
    ['a create whose cohort was edited', DECLARED, NONE, stateOf(beta({ filters: FREE })), { refusal: 'moved' }],
    ['a create whose cohort was deleted', DECLARED, NONE, DELETED, { refusal: 'moved' }],
    ['an update whose cohort is gone', { ...DECLARED, filters: FREE }, LIVE, NONE, { refusal: 'gone' }],
    ['an update that another user undid', { ...DECLARED, filters: FREE }, LIVE, LIVE, { refusal: 'moved' }],
  ])('is refused for %s', (_, declared, before, now, refusal) => {
    const { plan, refused } = reverted(declared, before, now);
    expect([plan.changes, refused]).toMatchObject([[], [{ key: 'beta', ...refusal }]]);
  });
});

test('a flag with the id of the cohort has nothing to do with it', () => {
  const before = { ...LIVE, flags: [liveFlag(7, 'flag-7')] };
  const now = { ...stateOf(beta({ filters: FREE })), flags: [liveFlag(7, 'flag-7')] };
  const { plan, refused } = reverted({ ...DECLARED, filters: FREE }, before, now);
  expect([plan.changes, refused]).toMatchObject([[{ ref: 'cohort:beta', key: 'beta', body: { filters: PRO } }], []]);
  const moved = reverted({ ...DECLARED, filters: FREE }, before, { ...LIVE, flags: now.flags });
  expect(moved.refused).toMatchObject([{ key: 'beta', refusal: 'moved' }]);
});

/** What a plan skips because a name is ambiguous in the service. */

import { expect, test } from 'vitest';
import { findUnidentified, withoutUnidentified } from '../../../src/posthog/planning/build-plan.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, liveFlag, planFor, retired } from '../../helpers/states.ts';

const PAIRS = [
  { name: 'uses', needs: ['shared', 'live'], isLive: true },
  { name: 'new', needs: ['shared'], isLive: false },
  { name: 'newer', needs: ['new'], isLive: false },
  { name: 'uses-newer', needs: ['newer'], isLive: true },
  { name: 'live', needs: ['other'], isLive: true },
  { name: 'other', needs: [], isLive: false },
];

test('what cannot be created without a shared resource is unwritable as a whole, and only the conditions of what exists', () => {
  const { whole, conditions } = findUnidentified(['shared'], PAIRS);
  expect([...whole].toSorted()).toEqual(['new', 'newer', 'shared']);
  expect([...conditions].toSorted()).toEqual(['uses', 'uses-newer']);
  expect(findUnidentified([], PAIRS)).toEqual({ whole: new Set(), conditions: new Set() });
});

test('a resource whose conditions are unwritable keeps its other fields in the plan', () => {
  const unidentified = { whole: new Set(['new']), conditions: new Set(['uses', 'gone']) };
  const pair = {
    desired: declared('uses', { name: 'A', filters: { groups: [] }, active: true }),
    live: liveFlag(1, 'uses'),
  };
  expect(withoutUnidentified(pair, 'uses', unidentified).desired).toMatchObject({
    key: 'uses',
    fields: { name: 'A', active: true },
  });
  expect(withoutUnidentified(pair, 'uses', unidentified).desired).not.toHaveProperty('fields.filters');
  expect(withoutUnidentified(pair, 'other', unidentified)).toBe(pair);
  expect(withoutUnidentified(pair, 'new', unidentified)).toEqual({ ...pair, isUnwritable: true });
  const deleted = { desired: retired('gone'), live: liveFlag(2, 'gone') };
  expect(withoutUnidentified(deleted, 'gone', unidentified)).toBe(deleted);
});

test('a plan makes no flag whose cohort it cannot tell from another, and writes no condition on it', () => {
  const filters = { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro' }] } };
  const onBeta = { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 'beta' }] }] } };
  const desired = desiredOf({
    cohorts: { beta: { name: 'Beta', filters } },
    flags: {
      uses: { description: 'New', ...onBeta },
      deleted: { description: 'New', ...onBeta },
      fresh: onBeta,
      other: { description: 'New' },
    },
  });
  const flags = [liveFlag(1, 'uses'), liveFlag(2, 'deleted', { deleted: true }), liveFlag(3, 'other')];
  const cohorts = [cohort(7, 'Beta', { filters }), cohort(8, 'Beta', { filters })];
  const { changes } = planFor(desired, { flags, roleAccess: {}, cohorts });
  expect(changes.map((change) => [change.ref, change.action, 'body' in change ? change.body : {}])).toEqual([
    ['flag:other', 'update', { name: 'New' }],
    ['flag:uses', 'update', { name: 'New' }],
  ]);
});

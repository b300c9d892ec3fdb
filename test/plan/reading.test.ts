import { expect, it } from 'vitest';
import type { DesiredFlag } from '../../src/model/desired.ts';
import type { LiveState } from '../../src/model/live.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import { invertPlan } from '../../src/plan/invert-plan.ts';
import { readingOf, type Reading } from '../../src/plan/reading.ts';
import { declared, desiredState, entry, liveFlag, liveState, planOptions, retired } from '../helpers/states.ts';

function reading(desired: DesiredFlag, live: LiveState): Reading {
  const { keys, roleAccessOf, ids } = readingOf(buildPlan(desiredState(desired), live, planOptions()).changes);
  return { keys, roleAccessOf, ids };
}

it.each<[string, DesiredFlag, LiveState, Reading]>([
  ['a create', declared('a', {}), liveState([]), { keys: [], roleAccessOf: [], ids: [] }],
  [
    'an update',
    declared('a', { name: 'x' }),
    liveState([liveFlag(1, 'a')]),
    { keys: ['a'], roleAccessOf: [], ids: [] },
  ],
  ['a delete', retired('a'), liveState([liveFlag(1, 'a')]), { keys: ['a'], roleAccessOf: [], ids: [1] }],
  [
    'a rename',
    declared('b', {}, { previousKeys: ['a'] }),
    liveState([liveFlag(1, 'a')]),
    { keys: ['a'], roleAccessOf: [], ids: [] },
  ],
  [
    'a grant',
    declared('a', {}, { roles: ['r'] }),
    liveState([liveFlag(1, 'a')], { '1': [] }),
    { keys: ['a'], roleAccessOf: ['a', 'a'], ids: [] },
  ],
  [
    'a grant beside a rename: the list may be found under either key',
    declared('b', {}, { previousKeys: ['a'], roles: ['r', 's'] }),
    liveState([liveFlag(1, 'a')], { '1': [entry(1, 'r')] }),
    { keys: ['a', 'a'], roleAccessOf: ['b', 'a'], ids: [] },
  ],
  [
    'a create with a grant',
    declared('a', {}, { roles: ['r'] }),
    liveState([]),
    { keys: ['a'], roleAccessOf: ['a', 'a'], ids: [] },
  ],
])('%s', (_, desired, live, expected) => {
  expect(reading(desired, live)).toEqual(expected);
});

it('a restore', () => {
  const { changes } = buildPlan(desiredState(retired('a')), liveState([liveFlag(1, 'a')]), planOptions());
  const live = liveState([liveFlag(1, 'a', { deleted: true })]);
  const { plan } = invertPlan([{ change: changes[0] as never }], live, planOptions());
  expect(readingOf(plan.changes)).toEqual({ keys: ['a'], roleAccessOf: [], ids: [1] });
});

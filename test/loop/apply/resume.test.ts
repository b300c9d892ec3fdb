/** Whether a change is already in effect: unread state counts neither as done nor as not done. */

import { describe, expect, it } from 'vitest';
import { earlierOutcome, type EarlierRun } from '../../../src/loop/apply/resume.ts';
import { openRun } from '../../../src/posthog/run-state.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Change } from '../../../src/posthog/plan.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

function changesOf(live: LiveState, ...flags: DesiredFlag[]): readonly Change[] {
  return planFor(desiredState(...flags), live).changes;
}

function outcomeIn(change: Change, live: LiveState): unknown {
  const state = openRun(live, [change], { resumed: true });
  return earlierOutcome(change, { applied: new Map(), sent: new Set([change.ref]) }, state);
}

const before = liveState([liveFlag(1, 'a', { name: 'old' })], { '1': [entry(5, 'r')] });
const [update] = changesOf(before, declared('a', { name: 'new' })) as [Change];
const [remove] = changesOf(before, retired('a')) as [Change];
const [create] = changesOf(liveState([]), declared('a', { name: 'new' })) as [Change];
const [grant, revoke] = ['grant', 'revoke'].map((action) =>
  changesOf(before, declared('a', {}, { roles: ['s'] })).find((change) => change.action === action),
) as [Change, Change];
const grantOfNew = changesOf(liveState([]), declared('a', {}, { roles: ['s'] })).find(
  (change) => change.action === 'grant',
) as Change;

describe('what is live', () => {
  it.each<[string, Change, LiveState, unknown]>([
    ['an update that is not made', update, before, undefined],
    ['an update that is made', update, liveState([liveFlag(1, 'a', { name: 'new' })]), { outcome: 'applied', id: 1 }],
    ['an update of a flag that was not read', update, liveState([]), undefined],
    ['an update, found under another id', update, liveState([liveFlag(2, 'a', { name: 'new' })]), undefined],
    ['a delete that is not made', remove, before, undefined],
    ['a delete that is made', remove, liveState([liveFlag(1, 'a', { deleted: true })]), { outcome: 'applied', id: 1 }],
    ['a delete of a flag that was not read', remove, liveState([]), undefined],
    ['a create that is not made', create, liveState([]), undefined],
    ['a create that is made', create, liveState([liveFlag(9, 'a', { name: 'new' })]), { outcome: 'applied', id: 9 }],
    ["somebody else's flag with the key", create, liveState([liveFlag(9, 'a', { name: 'x' })]), undefined],
    ['a grant that is not made', grant, before, undefined],
    [
      'a grant that is made',
      grant,
      { ...before, roleAccess: { '1': [entry(5, 'r'), entry(6, 's')] } },
      { outcome: 'applied', id: 6 },
    ],
    ['a grant whose list was not read', grant, liveState([liveFlag(1, 'a')]), undefined],
    [
      'a grant for a new flag',
      grantOfNew,
      liveState([liveFlag(9, 'a')], { '9': [entry(6, 's')] }),
      { outcome: 'applied', id: 6 },
    ],
    ['a grant for a new flag that is not there', grantOfNew, liveState([]), undefined],
    ['a revoke that is not made', revoke, before, undefined],
    ['a revoke that is made', revoke, { ...before, roleAccess: { '1': [] } }, { outcome: 'applied', id: 5 }],
    ['a revoke whose list was not read', revoke, liveState([liveFlag(1, 'a')]), undefined],
  ])('%s', (_name, change, live, outcome) => {
    expect(outcomeIn(change, live)).toEqual(outcome);
  });
});

describe('the outcome of an earlier run', () => {
  const made = liveState([liveFlag(1, 'a', { name: 'new' })]);
  const state = openRun(made, [update], { resumed: false });

  it('is the recorded one, whatever is live', () => {
    const known: EarlierRun = { applied: new Map([[update.ref, { outcome: 'applied', id: 7 }]]), sent: new Set() };
    expect(earlierOutcome(update, known, state)).toEqual({ outcome: 'applied', id: 7 });
  });

  it('is looked up for a write that was sent without an answer', () => {
    const sent: EarlierRun = { applied: new Map(), sent: new Set([update.ref]) };
    expect(earlierOutcome(update, sent, state)).toEqual({ outcome: 'applied', id: 1 });
    expect(earlierOutcome(update, sent, openRun(before, [update], { resumed: false }))).toBeUndefined();
  });

  it('is undefined for a write that was never sent', () => {
    expect(earlierOutcome(update, { applied: new Map(), sent: new Set() }, state)).toBeUndefined();
  });
});

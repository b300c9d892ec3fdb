/** What a run of `off` turned off is known, so that nothing turns it on again unasked; and what a later run wrote there counts, too. */

import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import type { Run } from '../../../src/loop/journal/read.ts';
import { switchedIn } from '../../../src/loop/journal/recorded.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const plan = planFor(
  desiredState(
    declared('off', { active: false }),
    declared('narrowed', { filters: { groups: [{ rollout_percentage: 0 }] } }),
    declared('renamed', { name: 'new' }, { roles: ['r1'] }),
    declared('created', { active: false }),
  ),
  liveState([liveFlag(1, 'off'), liveFlag(2, 'narrowed'), liveFlag(3, 'renamed')], { '3': [entry(4, 'r2')] }),
);
const APPLIED: Outcome = { outcome: 'applied' };
const ERROR = { code: 'forbidden', message: 'no' };

function switched(run: Partial<Run>, outcome: Outcome = APPLIED): unknown {
  const outcomes = new Map(plan.changes.map(({ ref }) => [ref, outcome]));
  const applied = outcome.outcome === 'applied' ? outcomes : new Map<string, Outcome>();
  return [
    ...switchedIn({
      name: 'R',
      startedAt: 'T',
      plan,
      outcomes,
      applied,
      sent: new Set(),
      attempted: new Set(),
      ...run,
    } as Run),
  ];
}

it('flags whose switch or conditions the run wrote are, and no other, each with what was written', () => {
  const off = { ...plan, off: { reason: 'incident 7' } };
  const origin = { actor: { name: 'ana', host: 'laptop' } };
  const known = { run: 'R', at: 'T', reason: 'incident 7', by: 'ana@laptop' };
  expect(switched({ plan: off, origin })).toEqual([
    ['created', { kind: 'off', off: { ...known, paths: ['/active'] } }],
    [2, { kind: 'off', off: { ...known, paths: ['/filters/groups/0/rollout_percentage'] }, saw: 1 }],
    [1, { kind: 'off', off: { ...known, paths: ['/active'] }, saw: 1 }],
  ]);
});

it('a run without a reason, by an unknown user or on an unknown machine, says so by absence', () => {
  const off = { ...plan, off: {} };
  const paths = ['/active'];
  expect(switched({ plan: off })).toContainEqual([1, { kind: 'off', off: { run: 'R', at: 'T', paths }, saw: 1 }]);
  expect(switched({ plan: off, origin: { actor: { name: 'ana' } } })).toContainEqual([
    1,
    { kind: 'off', off: { run: 'R', at: 'T', by: 'ana', paths }, saw: 1 },
  ]);
});

it('a run of apply is known to have switched the flags, and turned none off', () => {
  expect(switched({})).toEqual([
    ['created', { kind: 'other' }],
    [2, { kind: 'other' }],
    [1, { kind: 'other' }],
  ]);
});

it('a run that enabled a flag turned it on, and one that created it under its answered id', () => {
  const enabling = planFor(
    desiredState(declared('off', { active: true }), declared('created', { active: true })),
    liveState([liveFlag(1, 'off', { active: false })]),
  );
  const outcomes = new Map<string, Outcome>([
    ['flag:off', APPLIED],
    ['flag:created', { outcome: 'applied', id: 9 }],
  ]);
  expect(switched({ plan: enabling, outcomes, applied: outcomes })).toEqual([
    [9, { kind: 'on' }],
    [1, { kind: 'on' }],
  ]);
  const lost = new Set(['flag:created']);
  expect(switched({ plan: enabling, outcomes: new Map(), applied: new Map(), sent: lost })).toEqual([
    ['created', { kind: 'on' }],
  ]);
  const skipped = new Map<string, Outcome>([
    ['flag:created', { outcome: 'skipped', reason: { code: 'stale', moved: [] } }],
  ]);
  const resumed = { plan: enabling, outcomes: skipped, applied: new Map<string, Outcome>() };
  expect(switched({ ...resumed, attempted: lost })).toEqual([['created', { kind: 'on' }]]);
  expect(switched(resumed)).toEqual([]);
});

it('a write that failed switched nothing, and one whose answer was lost may have', () => {
  const failed: Outcome = { outcome: 'failed', error: ERROR };
  expect(switched({}, failed)).toEqual([]);
  expect(switched({ sent: new Set(['flag:off']) }, failed)).toEqual([[1, { kind: 'other' }]]);
});

/** Only what a run wrote itself counts as its own: an edit of a person must not be taken for a write that failed. */

import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import { ownWrites } from '../../../src/loop/journal/recorded.ts';
import type { Run } from '../../../src/loop/journal/read.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const plan = planFor(
  desiredState(declared('a', { name: 'A' }), declared('b', { name: 'B' })),
  liveState([liveFlag(1, 'a')]),
);
const TIME = { from: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:01Z' };
const ERROR = { code: 'forbidden', message: 'no' };

function writesOf(
  outcomes: Readonly<Record<string, Outcome>>,
  timed: readonly string[] = Object.keys(outcomes),
): object[] {
  const known = new Map(Object.entries(outcomes));
  const times = new Map(timed.map((ref) => [ref, TIME]));
  const run: Run = { name: 'R', startedAt: 'T', plan, outcomes: known, times, applied: new Map(), sent: new Set() };
  return ownWrites(run).map(({ change, ...write }) => ({ ref: change.ref, ...write }));
}

it('applied writes are, with the id of what they changed or created', () => {
  expect(writesOf({ 'flag:a': { outcome: 'applied' }, 'flag:b': { outcome: 'applied', id: 9 } })).toEqual(
    expect.arrayContaining([
      { ref: 'flag:a', run: 'R', id: 1, ...TIME },
      { ref: 'flag:b', run: 'R', id: 9, ...TIME },
    ]),
  );
});

it.each<[string, Outcome]>([
  ['that failed', { outcome: 'failed', error: ERROR }],
  ['that waits for approval', { outcome: 'pending', error: ERROR }],
  ['whose outcome is unknown', { outcome: 'unknown', error: ERROR }],
  ['that was skipped', { outcome: 'skipped', reason: { code: 'deadline' } }],
  ['that somebody else had made', { outcome: 'applied', id: 1, already: true }],
])('a write %s is not', (_name, outcome) => {
  expect(writesOf({ 'flag:a': outcome })).toEqual([]);
});

it('a write without a time, and a create without an id, are not', () => {
  expect(writesOf({ 'flag:a': { outcome: 'applied' } }, [])).toEqual([]);
  expect(writesOf({ 'flag:b': { outcome: 'applied' } })).toEqual([]);
});

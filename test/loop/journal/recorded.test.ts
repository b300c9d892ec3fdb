/** Which flags a run wrote under a key. */

import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import { recordedHolders } from '../../../src/loop/journal/recorded.ts';
import type { Run } from '../../../src/loop/journal/read.ts';
import { declared, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const plan = planFor(
  desiredState(
    declared('new', { name: 'x' }),
    declared('edited', { name: 'x' }),
    declared('renamed', {}, { previousKeys: ['former'], roles: ['r'] }),
    declared('failed', { name: 'x' }),
    retired('gone'),
  ),
  liveState([liveFlag(1, 'edited'), liveFlag(2, 'former'), liveFlag(3, 'gone')], { '2': [] }),
);

function runWith(outcomeOf: (key: string, action: string) => Outcome): Run {
  const outcomes = new Map(plan.changes.map(({ ref, key, action }) => [ref, outcomeOf(key, action)]));
  return { name: 'x', startedAt: 'T', plan, outcomes, applied: new Map(), sent: new Set() };
}

it('a run names the flags that it wrote by the keys that they have afterwards, and the keys that it released', () => {
  const run = runWith((key, action) =>
    key === 'failed'
      ? { outcome: 'failed', error: { code: 'unique', message: 'taken' } }
      : { outcome: 'applied', ...(action === 'create' ? { id: 9 } : {}) },
  );
  expect(Object.fromEntries(recordedHolders(run))).toEqual({
    new: 9,
    edited: 1,
    renamed: 2,
    former: null,
    gone: 3,
  });
});

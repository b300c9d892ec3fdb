/** A recorder that fails at any write: no later write is sent, and every change has its outcome. */

import { expect, test } from 'vitest';
import { applyPlan } from '../../../src/loop/apply/apply-plan.ts';
import type { ApplyRecorder } from '../../../src/loop/apply/recorder.ts';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import type { FaultRule } from '../../../service/src/index.ts';
import { declared, desiredState, retired } from '../../helpers/states.ts';
import { ROLE_IDS, startWorld } from '../../helpers/world.ts';

const BEFORE = [declared('changed', { name: 'before' }), declared('doomed')];
const AFTER = [
  declared('changed', { name: 'after' }, { roles: ROLE_IDS.slice(0, 1) }),
  retired('doomed'),
  declared('new', { name: 'new' }, { roles: ROLE_IDS.slice(0, 2) }),
];

function failingAfter(records: number, settled: Map<string, Outcome>): ApplyRecorder {
  let kept = 0;
  return {
    sending: async () => {
      if ((kept += 1) > records) throw new Error('disk full');
    },
    settled: (change, result) => void settled.set(change.ref, result),
  };
}

test.each([0, 1, 2, 3, 4, 5, 6].flatMap((records) => [1, 4].map((concurrency) => [records, concurrency] as const)))(
  'after %i records with %i concurrent changes, exactly the recorded writes were sent',
  async (records, concurrency) => {
    const world = await startWorld('posthog');
    await world.apply(await world.plan(desiredState(...BEFORE)));
    const plan = await world.plan(desiredState(...AFTER));
    expect(plan.changes).toHaveLength(6);
    const settled = new Map<string, Outcome>();
    const result = await applyPlan(plan, world.client, { concurrency, recorder: failingAfter(records, settled) });
    expect(result.outcomes).toMatchObject({ applied: records, skipped: 6 - records });
    expect(result.remainder).toEqual([]);
    for (const { change, result: outcome } of result.changes) {
      if (outcome.outcome === 'applied') continue;
      expect(['not_recorded', 'needs_failed']).toContain(outcome.outcome === 'skipped' ? outcome.reason.code : outcome);
      if (outcome.outcome === 'skipped' && outcome.reason.code === 'not_recorded') {
        expect(settled.get(change.ref)).toEqual(outcome);
      }
    }
    expect((await world.plan(desiredState(...AFTER))).changes).toHaveLength(6 - records);
    await world.close();
  },
);

test('a failed attempt keeps its outcome when the next one cannot be recorded', async () => {
  const faults: FaultRule[] = [{ match: { access: 'write' }, reset: { when: 'before' } }];
  const world = await startWorld('posthog', undefined, { faults: { faults } as never });
  const plan = await world.plan(desiredState(declared('new')));
  const result = await applyPlan(plan, world.client, { concurrency: 1, recorder: failingAfter(1, new Map()) });
  expect(result.changes[0]?.result).toMatchObject({ outcome: 'failed', error: { code: expect.any(String) as string } });
  await world.close();
});

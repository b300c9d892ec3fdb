/** Writes of cohorts whose answers are lost or wrong: none is made twice, every outcome is true, and the next run converges. */

import { expect, test } from 'vitest';
import type { OutcomeKind } from '../../src/loop/apply/result.ts';
import type { Effects } from '../../service/src/index.ts';
import type { DesiredState } from '../../src/posthog/desired.ts';
import { parseManifest, resolveManifests } from '../../src/posthog/manifests/manifests.ts';
import type { World } from '../helpers/world.ts';
import { expectConvergence, expectTruth, startRig } from './rig.ts';

function wanted(plan: string): DesiredState {
  const text = `cohorts:
  testers: { filters: { properties: { type: AND, values: [{ key: plan, value: ${plan} }] } } }
flags:
  checkout: { filters: { groups: [{ properties: [{ key: id, type: cohort, value: testers }], rollout_percentage: 100 }] } }
`;
  const { file } = parseManifest('flags.yaml', text);
  return resolveManifests([file], { name: 'p', roles: {}, cohorts: {} }, ['p']).desired;
}

async function definitions(world: World): Promise<string[]> {
  const cohorts = (await world.client.listCohorts()).filter(({ name }) => name === 'testers');
  return cohorts.map(({ filters }) => JSON.stringify(filters));
}

const FAULTS: readonly (readonly [name: string, effects: Effects, outcome: OutcomeKind])[] = [
  ['500 before the write', { answer: { status: 500 } }, 'applied'],
  ['500 after the write', { answer: { status: 500, when: 'after' } }, 'applied'],
  ['502 as HTML after the write', { answer: { status: 502, body: 'html', when: 'after' } }, 'applied'],
  ['an empty answer', { answer: { status: 200, body: 'nothing', when: 'after' } }, 'applied'],
  ['a lost answer', { reset: { when: 'after' } }, 'applied'],
  ['a lost request', { reset: { when: 'before' } }, 'applied'],
  ['429', { answer: { status: 429, retry_after: 1 } }, 'applied'],
  ['400', { answer: { status: 400 } }, 'failed'],
  ['403', { answer: { status: 403 } }, 'failed'],
];

const CELLS = FAULTS.flatMap(([name, effects, outcome]) =>
  (['createCohort', 'updateCohort'] as const).map((operation) => ({ name, operation, effects, outcome })),
);

test.concurrent.each(CELLS)(
  '$operation with $name is made once at most, and reported truly',
  async ({ operation, effects, outcome }) => {
    const rig = await startRig('posthog');
    try {
      const { honest } = rig;
      if (operation === 'updateCohort') await expectConvergence(honest, wanted('free'));
      const plan = await honest.plan(wanted('pro'));
      const faulty = await rig.startFaulty([{ match: { operation }, ...effects }]);
      const { changes, remainder } = await faulty.apply(plan);
      await rig.settle();
      const context = JSON.stringify(changes.map(({ result }) => result));
      const own = changes.find(({ change }) => change.ref === 'cohort:testers')?.result.outcome;
      const held = await definitions(honest);
      expectTruth(own ?? 'unknown', { isDone: held.join().includes('"pro"'), reported: false, context });
      expect([own, remainder], context).toEqual([outcome, []]);
      expect(held.length, context).toBe(operation === 'createCohort' && outcome === 'failed' ? 0 : 1);
      const flag = changes.find(({ change }) => change.ref === 'flag:checkout')?.result.outcome;
      if (flag !== undefined) expect(flag, context).toBe(outcome === 'applied' ? 'applied' : 'skipped');
      await expectConvergence(honest, wanted('pro'));
      expect(await definitions(honest)).toHaveLength(1);
    } finally {
      await rig.close();
    }
  },
);

/** The opposite change of a flag where others decide a part of it. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import { invertPlan } from '../../../src/posthog/planning/invert-plan.ts';
import type { UpdateFlag } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor, planOptions } from '../../helpers/states.ts';

const of = (variant: string, rollout: number): JsonObject => ({
  groups: [{ properties: [], variant, rollout_percentage: rollout }],
});

/** Git changes the variant of the condition; `observed`: whether others decide its percentage. */
function updateOf(observed: boolean): UpdateFlag {
  const path = parseFieldPath('conditions.1.rollout_percentage');
  if ('problem' in path) throw new Error('names a place');
  const ownership = [{ path, ownership: 'observed', source: { file: 'flagwright.yaml', line: 1, column: 1 } }] as const;
  const wanted = { ...declared('a', { filters: of('new', 10) }), ...(observed ? { ownership } : {}) };
  const live = liveState([liveFlag(1, 'a', { filters: of('old', 10) })]);
  const [change] = planFor(desiredState(wanted), live).changes;
  if (change?.action !== 'update' || change.resource !== 'flag') throw new Error('no update');
  return change;
}

function invert(change: UpdateFlag, filters: JsonObject): ReturnType<typeof invertPlan> {
  return invertPlan([{ change }], liveState([liveFlag(1, 'a', { filters })]), planOptions());
}

test('what others have moved since stays, and they may move it again until the opposite change is written', () => {
  const { plan, refused } = invert(updateOf(true), of('new', 70));
  const [inverse] = plan.changes as readonly UpdateFlag[];
  expect(refused).toEqual([]);
  expect(inverse?.body).toEqual({ filters: of('old', 70) });
  expect(inverse?.keeps).toEqual([{ path: '/filters/groups/0/rollout_percentage' }]);
});

test('where others decide nothing, a value that they moved refuses the opposite change, and it leaves nothing to them', () => {
  const change = updateOf(false);
  expect(invert(change, of('new', 70)).refused).toMatchObject([{ key: 'a', refusal: 'moved' }]);
  const [inverse] = invert(change, of('new', 10)).plan.changes as readonly UpdateFlag[];
  expect(inverse?.body).toEqual({ filters: of('old', 10) });
  expect(inverse).not.toHaveProperty('keeps');
});

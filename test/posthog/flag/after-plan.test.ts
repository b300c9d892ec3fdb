/** The flags as a plan leaves them: what it writes names flags by the ids that they have then, and everything else stays as it is. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { afterPlan, changesById, isAt, takeFlagSnapshot } from '../../../src/posthog/flag/snapshot.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const needs = (key: string): JsonObject => ({ filters: dependsOn(key) });
const live = [
  liveFlag(1, 'a', { name: 'A' }),
  liveFlag(4, 'deleted'),
  liveFlag(7, 'b', needs('1')),
  liveFlag(9, 'left', needs('a')),
];
const desired = desiredState(
  declared('renamed', { name: 'New' }, { previousKeys: ['a'] }),
  retired('deleted'),
  declared('b', needs('new')),
  declared('new', needs('renamed')),
  declared('newer', needs('new')),
);
const { changes } = planFor(desired, liveState(live));
const referenceIn = ({ filters }: JsonObject): unknown =>
  /"key":("?\w+"?),/.exec(JSON.stringify((filters as JsonObject)['groups']))?.[1];

it('has what the plan writes, new flags with free ids, and references by the ids of then', () => {
  const after = afterPlan(takeFlagSnapshot(liveState(live)), changes);
  expect(after.map(({ id, key, name = '' }) => [id, key, name])).toEqual([
    [1, 'renamed', 'New'],
    [7, 'b', ''],
    [9, 'left', ''],
    [10, 'new', ''],
    [11, 'newer', ''],
  ]);
  expect(after.slice(1).map(referenceIn)).toEqual(['"10"', '"a"', '"1"', '"10"']);
});

it('is the project itself where nothing changes', () => {
  const flags = takeFlagSnapshot(liveState(live));
  expect(afterPlan(flags, [])).toEqual(live);
  expect(afterPlan(takeFlagSnapshot(liveState([])), [])).toEqual([]);
});

it('groups the changes of a flag that exists, and leaves out new ones and access', () => {
  const access = { resource: 'role_access', action: 'update', id: 7 } as unknown as (typeof changes)[number];
  const [update] = changes.filter((change) => change.resource === 'flag' && change.id === 7);
  const grouped = changesById([...changes, access, ...(update === undefined ? [] : [update])]);
  expect([1, 4, 7, 9].map((id) => grouped.get(id)?.length)).toEqual([1, 1, 2, undefined]);
});

it.each<[JsonObject, string, unknown, boolean]>([
  [{ active: true }, '/active', true, true],
  [{}, '/active', true, true],
  [{}, '/active', false, false],
  [{}, '/active', undefined, true],
  [{ filters: { groups: [{}, { rollout_percentage: 5 }] } }, '/filters/groups/1/rollout_percentage', 5, true],
  [{ filters: { groups: [{}, { rollout_percentage: 5 }] } }, '/filters/groups/0/rollout_percentage', 5, false],
  [{ filters: { groups: [{}] } }, '/filters/groups/0/rollout_percentage', 100, true],
  [{ filters: { groups: [{}] } }, '/filters/groups/0/rollout_percentage', undefined, true],
  [{ filters: { groups: [] } }, '/filters/groups/0/rollout_percentage', 100, true],
  [{ filters: null }, '/filters/groups/0/rollout_percentage', 5, false],
])('%j stands at %s with %j: %s', (flag, path, value, stands) => {
  expect(isAt(flag, path, value as never)).toBe(stands);
});

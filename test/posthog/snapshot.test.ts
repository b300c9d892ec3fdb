import { beforeEach, describe, expect, it, vi } from 'vitest';
import { indexResources } from '../../src/core/engine/snapshot.ts';
import * as canonical from '../../src/posthog/flag/model/canonical.ts';
import { invertPlan } from '../../src/posthog/planning/invert-plan.ts';
import { FLAGS } from '../../src/posthog/flag/family.ts';
import { takeSnapshot } from '../../src/posthog/snapshot.ts';
import {
  declared,
  dependsOn,
  desiredState,
  liveFlag,
  liveState,
  planFor,
  planOptions,
  retired,
} from '../helpers/states.ts';

vi.mock(import('../../src/posthog/flag/model/canonical.ts'), async (load) => {
  const actual = await load();
  return { ...actual, canonicalFlag: vi.fn(actual.canonicalFlag) };
});

const normalised = vi.mocked(canonical.canonicalFlag);
beforeEach(() => void normalised.mockClear());

/** How often each flag was normalised, by its description. */
function counts(): Record<string, number> {
  const names = normalised.mock.calls.map(([{ name }]) => (typeof name === 'string' ? name : 'unnamed'));
  return Object.fromEntries([...new Set(names)].map((name) => [name, names.filter((one) => one === name).length]));
}

describe('a plan', () => {
  const filters = { groups: [{ rollout_percentage: 10 }] };
  const live = liveState(
    ['same', 'changed', 'gone'].map((key, index) => liveFlag(index + 1, key, { name: `live ${key}`, filters })),
  );

  it('normalises a changed flag once on each side, a deleted flag once, and an identical flag never', () => {
    const desired = desiredState(
      declared('same', { name: 'live same', filters }),
      declared('changed', { name: 'wanted', filters: { groups: [{ rollout_percentage: 20 }] } }),
      retired('gone'),
    );
    expect(planFor(desired, live).changes).toHaveLength(2);
    expect(counts()).toEqual({ 'live changed': 1, wanted: 1, 'live gone': 1 });
  });

  it('normalises a flag of its inversion once as live, once as written and once as replaced', () => {
    const desired = desiredState(declared('changed', { name: 'wanted', filters: { groups: [{}] } }));
    const { changes } = planFor(desired, live);
    const after = liveState([liveFlag(2, 'changed', { name: 'wanted', filters: { groups: [{}] } })]);
    normalised.mockClear();
    const { plan } = invertPlan(
      changes.map((change) => ({ change })),
      after,
      planOptions(),
    );
    expect(plan.changes).toHaveLength(1);
    // Live state, the effect of the change, and what it replaced.
    expect(counts()).toEqual({ wanted: 2, 'live changed': 1 });
  });
});

describe('a snapshot', () => {
  const flags = [liveFlag(1, 'a', { filters: dependsOn('2') }), liveFlag(2, 'b'), liveFlag(3, 'b', { deleted: true })];

  it('finds a flag by its id and by its current key', () => {
    const { byId, byKey, keyOf } = indexResources(flags);
    expect([byId(3), byId(9), byKey('b'), byKey('c')]).toEqual([flags[2], undefined, flags[1], undefined]);
    expect([1, 2, 3, 9].map(keyOf)).toEqual(['a', 'b', 'b', undefined]);
  });

  it('names flags by their planned keys in comparable forms and in the graph', () => {
    const read = takeSnapshot(liveState(flags));
    const { flags: renamed } = FLAGS.name(read, [['new', 2]]);
    expect(read.flags.comparable(flags[0] as never)['filters']).toEqual(dependsOn('b'));
    expect(renamed.comparable(flags[0] as never)['filters']).toEqual(dependsOn('new'));
    expect([...renamed.graph().keys()]).toEqual(['a', 'new']);
    expect(renamed.byKey('b')).toBe(flags[1]);
  });
});

/** Which flags depend on which, now and after a plan. */

import { describe, expect, it } from 'vitest';
import { flagsAfterPlan, type FlagsAfterPlan, remainingDependents } from '../../../src/posthog/flag/snapshot.ts';
import { matchResources } from '../../../src/core/engine/match.ts';
import { FLAGS } from '../../../src/posthog/flag/family.ts';
import { takeSnapshot } from '../../../src/posthog/snapshot.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { FlagChange } from '../../../src/posthog/plan.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';

const PLAIN = { groups: [{ properties: [], rollout_percentage: 100 }] };

function outlookOf(
  flags: readonly Flag[],
  ...desired: DesiredFlag[]
): { outlook: FlagsAfterPlan; changes: readonly FlagChange[] } {
  const [state, live] = [desiredState(...desired), liveState(flags)];
  const read = takeSnapshot(live);
  const { renamed } = matchResources(state.flags, read.flags);
  const names = [...renamed].map(([id, key]) => [key, id] as const);
  const { changes } = planFor(state, live);
  return {
    outlook: flagsAfterPlan(changes, FLAGS.name(read, names).flags),
    changes: changes.filter((change) => change.resource === 'flag'),
  };
}

const afterwards = (flags: readonly Flag[], ...desired: DesiredFlag[]): unknown =>
  Object.fromEntries(outlookOf(flags, ...desired).outlook.flags);

describe('after a plan', () => {
  it.each<readonly [string, readonly Flag[], readonly DesiredFlag[], unknown]>([
    [
      'an unchanged flag keeps its state',
      [liveFlag(1, 'a', { active: false })],
      [],
      { a: { active: false, dependsOn: [] } },
    ],
    ['a deleted flag is absent', [liveFlag(1, 'a', { deleted: true })], [], {}],
    [
      'a flag without an active field is active',
      [{ id: 1, key: 'a' } as Flag],
      [],
      { a: { active: true, dependsOn: [] } },
    ],
    [
      'a created flag has its dependencies',
      [],
      [declared('a', { filters: dependsOn('b') })],
      { a: { active: true, dependsOn: ['b'] } },
    ],
    [
      'a flag created as inactive is inactive',
      [],
      [declared('a', { active: false })],
      { a: { active: false, dependsOn: [] } },
    ],
    ['a retired flag is absent', [liveFlag(1, 'a')], [retired('a')], {}],
    [
      'a disabled flag keeps its dependencies',
      [liveFlag(1, 'a', { filters: dependsOn('2') }), liveFlag(2, 'b')],
      [declared('a', { active: false })],
      { a: { active: false, dependsOn: ['b'] }, b: { active: true, dependsOn: [] } },
    ],
    [
      'an inactive flag with new dependencies remains inactive',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b')],
      [declared('a', { filters: dependsOn('b') })],
      { a: { active: false, dependsOn: ['b'] }, b: { active: true, dependsOn: [] } },
    ],
    [
      'a restored flag has its former state',
      [liveFlag(1, 'a', { deleted: true, active: false, filters: dependsOn('2') }), liveFlag(2, 'b')],
      [declared('a')],
      { a: { active: false, dependsOn: ['b'] }, b: { active: true, dependsOn: [] } },
    ],
    [
      'a dependency is named by its key if the id is known, else by the id',
      [liveFlag(1, 'a', { filters: dependsOn('9') }), liveFlag(2, 'b')],
      [declared('b', { filters: dependsOn(1) })],
      { a: { active: true, dependsOn: ['id 9'] }, b: { active: true, dependsOn: ['a'] } },
    ],
    [
      'a renamed flag has its new key',
      [liveFlag(1, 'old'), liveFlag(2, 'b', { filters: dependsOn('1') })],
      [declared('new', {}, { previousKeys: ['old'] })],
      { new: { active: true, dependsOn: [] }, b: { active: true, dependsOn: ['new'] } },
    ],
  ])('%s', (_name, flags, desired, expected) => {
    expect(afterwards(flags, ...desired)).toEqual(expected);
  });

  it('a dependency that is named twice counts once', () => {
    const { groups } = dependsOn('2') as { groups: readonly object[] };
    const twice = liveFlag(1, 'a', { filters: { groups: [...groups, ...groups] } as Flag['filters'] });
    expect(afterwards([twice, liveFlag(2, 'b')])).toMatchObject({ a: { dependsOn: ['b'] } });
  });
});

describe('remaining dependents', () => {
  const flags = [
    liveFlag(1, 'base'),
    liveFlag(2, 'z', { filters: dependsOn('1') }),
    liveFlag(3, 'a', { filters: dependsOn('1') }),
    liveFlag(4, 'off', { active: false, filters: dependsOn('1') }),
  ];
  const remaining = (...desired: DesiredFlag[]): readonly string[] => {
    const { outlook, changes } = outlookOf(flags, ...desired);
    const base = changes.find(({ key }) => key === 'base') as FlagChange;
    return remainingDependents(base, outlook);
  };

  it('are the active dependents, sorted by key', () => {
    expect(remaining(retired('base'))).toEqual(['a', 'z']);
    expect(remaining(declared('base', { active: false }))).toEqual(['a', 'z']);
  });

  it('exclude flags that are deleted, disabled or no longer dependent', () => {
    expect(remaining(retired('base'), retired('a'))).toEqual(['z']);
    expect(remaining(retired('base'), declared('a', { active: false }))).toEqual(['z']);
    expect(remaining(retired('base'), declared('a', { filters: PLAIN }))).toEqual(['z']);
  });

  it('are none for a change other than a delete or disable', () => {
    expect(remaining(declared('base', { name: 'x' }))).toEqual([]);
    expect(remaining(declared('base', { filters: { ...PLAIN, payloads: { true: '1' } } }))).toEqual([]);
  });

  it('exclude the flag itself', () => {
    const self = liveFlag(1, 'a', { filters: dependsOn('1') });
    const { outlook, changes } = outlookOf([self], declared('a', { active: false }));
    expect(outlook.dependents).toEqual(new Map());
    expect(
      remainingDependents(changes[0] as FlagChange, { ...outlook, dependents: new Map([['a', ['a', 'b']]]) }),
    ).toEqual(['b']);
  });
});

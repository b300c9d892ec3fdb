import { describe, expect, it } from 'vitest';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { PlanWarning } from '../../../src/posthog/plan.ts';
import {
  declared,
  dependsOn,
  desiredState,
  liveFlag,
  liveState,
  of2023,
  planFor,
  retired,
} from '../../helpers/states.ts';

const warnings = (flags: readonly Flag[], ...desired: DesiredFlag[]): readonly PlanWarning[] =>
  planFor(desiredState(...desired), liveState(flags)).warnings;
const PLAIN = { groups: [{ properties: [], rollout_percentage: 50 }] };

describe('a warning', () => {
  it.each<readonly [string, readonly Flag[], readonly DesiredFlag[], readonly PlanWarning[]]>([
    [
      'predicts the refusal of a change of a read-only flag',
      [liveFlag(1, 'a', { can_edit: false })],
      [declared('a', { name: 'x' })],
      [{ code: 'cannot_edit', key: 'a', id: 1 }],
    ],
    [
      'is not given for a flag without can_edit',
      [{ id: 1, key: 'a', name: '' } as Flag],
      [declared('a', { name: 'x' })],
      [],
    ],
    [
      'predicts the refusal of a delete of a flag with experiments',
      [liveFlag(1, 'a', { experiment_set: [4, 5] })],
      [retired('a')],
      [{ code: 'experiments_linked', key: 'a', id: 1, experiments: [4, 5] }],
    ],
    [
      'is not given for other changes of a flag with experiments',
      [liveFlag(1, 'a', { experiment_set: [4] })],
      [declared('a', { name: 'x' })],
      [],
    ],
    [
      'says of a delete of a flag with filters that only the service reads that the service may refuse it',
      [liveFlag(1, 'a', { filters: { version: 2, rules: [] } })],
      [retired('a')],
      [{ code: 'filters_opaque', key: 'a', format: '2', omitted: [], uncertain: [], gated: ['deleted'] }],
    ],
    [
      'says of another change of it only what that one risks',
      [liveFlag(1, 'a', { filters: { version: 2, rules: [] } })],
      [declared('a', { active: false })],
      [{ code: 'filters_opaque', key: 'a', format: '2', omitted: [], uncertain: [], gated: ['active'] }],
    ],
    ['is not given for a delete of a flag without experiments', [{ id: 1, key: 'a' } as Flag], [retired('a')], []],
    [
      'names the active dependents of a flag that a service of 2023 deletes',
      [of2023(liveFlag(1, 'a')), of2023(liveFlag(2, 'b', { filters: dependsOn('1') }))],
      [retired('a')],
      [{ code: 'dependents_remain', key: 'a', dependents: ['b'] }],
    ],
    [
      'predicts the refusal of a new dependency on a disabled flag',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b')],
      [declared('b', { filters: dependsOn('a') })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    [
      'predicts the refusal of a new dependency of a disabled flag on a disabled flag',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b', { active: false })],
      [declared('b', { filters: dependsOn('a') })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    [
      'predicts the refusal of a dependency of a disabled flag on a new disabled flag',
      [],
      [declared('a', { active: false }), declared('b', { active: false, filters: dependsOn('a') })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    [
      'is not given for a new dependency of a disabled flag on a flag that the plan disables',
      [liveFlag(1, 'a'), liveFlag(2, 'b', { active: false })],
      [declared('a', { active: false }), declared('b', { filters: dependsOn('a') })],
      [],
    ],
    [
      'names the disabled dependency of a flag that a service of 2023 enables',
      [
        of2023(liveFlag(1, 'a', { active: false })),
        of2023(liveFlag(2, 'b', { active: false, filters: dependsOn('1') })),
      ],
      [declared('b', { active: true })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    [
      'is not given for other changes of a flag with a disabled dependency',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b', { filters: dependsOn('1') })],
      [declared('b', { name: 'x' })],
      [],
    ],
    [
      'is not given for a delete of a flag with a disabled dependency',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b', { filters: dependsOn('1') })],
      [retired('b')],
      [],
    ],
    [
      'predicts the refusal of a dependency on an unknown key',
      [liveFlag(2, 'b')],
      [declared('b', { filters: dependsOn('a') })],
      [{ code: 'dependency_missing', key: 'b', dependency: 'a' }],
    ],
    [
      'predicts the refusal of a dependency on an unknown id',
      [liveFlag(2, 'b'), liveFlag(3, '7')],
      [declared('b', { filters: dependsOn(7) })],
      [{ code: 'dependency_missing', key: 'b', dependency: 'id 7' }],
    ],
    [
      'is not given for a dependency on a known id',
      [liveFlag(1, 'a'), liveFlag(2, 'b')],
      [declared('b', { filters: dependsOn(1) })],
      [],
    ],
    [
      'names the disabled dependency of a flag that a service of 2023 creates',
      [of2023(liveFlag(1, 'a', { active: false }))],
      [declared('b', { filters: dependsOn('a') })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    ['is not given for filters without dependencies', [liveFlag(2, 'b')], [declared('b', { filters: PLAIN })], []],
  ])('%s', (_name, flags, desired, expected) => {
    expect(warnings(flags, ...desired)).toEqual(expected);
  });

  it('is sorted among others by key, then by code', () => {
    const codes = warnings(
      [
        liveFlag(1, 'b', { can_edit: false, experiment_set: [4] }),
        liveFlag(2, 'a', { can_edit: false }),
        liveFlag(3, 'c', { filters: dependsOn('1') }),
      ],
      retired('b'),
      declared('a', { name: 'x' }),
    ).map(({ key, code }) => `${key} ${code}`);
    expect(codes).toEqual(['a cannot_edit', 'b cannot_edit', 'b experiments_linked']);
  });
});

import { describe, expect, it } from 'vitest';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/flag.ts';
import { buildPlan } from '../../../src/posthog/build-plan.ts';
import type { PlanWarning } from '../../../src/posthog/plan.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const warnings = (flags: readonly Flag[], ...desired: DesiredFlag[]): readonly PlanWarning[] =>
  buildPlan(desiredState(...desired), liveState(flags), planOptions()).warnings;
const PLAIN = { groups: [{ properties: [], rollout_percentage: 50 }] };

describe('a warning predicts the refusal', () => {
  it.each<readonly [string, readonly Flag[], readonly DesiredFlag[], readonly PlanWarning[]]>([
    [
      'of any change of a flag that may not be edited',
      [liveFlag(1, 'a', { can_edit: false })],
      [declared('a', { name: 'x' })],
      [{ code: 'cannot_edit', key: 'a', id: 1 }],
    ],
    [
      'of no change of one of which nothing is said',
      [{ id: 1, key: 'a', name: '' } as Flag],
      [declared('a', { name: 'x' })],
      [],
    ],
    [
      'of the delete of a flag with experiments',
      [liveFlag(1, 'a', { experiment_set: [4, 5] })],
      [retired('a')],
      [{ code: 'experiments_linked', key: 'a', id: 1, experiments: [4, 5] }],
    ],
    ['of no other change of it', [liveFlag(1, 'a', { experiment_set: [4] })], [declared('a', { active: false })], []],
    ['of no delete without', [{ id: 1, key: 'a' } as Flag], [retired('a')], []],
    [
      'of a delete under an active flag',
      [liveFlag(1, 'a'), liveFlag(2, 'b', { filters: dependsOn('1') })],
      [retired('a')],
      [{ code: 'dependents_remain', key: 'a', dependents: ['b'] }],
    ],
    [
      'of conditions on a flag that is off',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b')],
      [declared('b', { filters: dependsOn('a') })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    [
      'of no such conditions of a flag that is off',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b', { active: false })],
      [declared('b', { filters: dependsOn('a') })],
      [],
    ],
    [
      'of switching on above one that is off',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b', { active: false, filters: dependsOn('1') })],
      [declared('b', { active: true })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    [
      'of no other change above one that is off',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b', { filters: dependsOn('1') })],
      [declared('b', { name: 'x' })],
      [],
    ],
    [
      'of no delete above one that is off',
      [liveFlag(1, 'a', { active: false }), liveFlag(2, 'b', { filters: dependsOn('1') })],
      [retired('b')],
      [],
    ],
    [
      'of conditions on a flag that nobody has',
      [liveFlag(2, 'b')],
      [declared('b', { filters: dependsOn('a') })],
      [{ code: 'dependency_missing', key: 'b', dependency: 'a' }],
    ],
    [
      'of conditions on an id that nobody has',
      [liveFlag(2, 'b'), liveFlag(3, '7')],
      [declared('b', { filters: dependsOn(7) })],
      [{ code: 'dependency_missing', key: 'b', dependency: 'id 7' }],
    ],
    [
      'of no conditions on a flag that has them already',
      [liveFlag(1, 'a'), liveFlag(2, 'b')],
      [declared('b', { filters: dependsOn(1) })],
      [],
    ],
    [
      'of a create on a flag that is off',
      [liveFlag(1, 'a', { active: false })],
      [declared('b', { filters: dependsOn('a') })],
      [{ code: 'dependency_disabled', key: 'b', dependency: 'a' }],
    ],
    ['of no filters without conditions on flags', [liveFlag(2, 'b')], [declared('b', { filters: PLAIN })], []],
  ])('%s', (_name, flags, desired, expected) => {
    expect(warnings(flags, ...desired)).toEqual(expected);
  });

  it('in order of keys, and of codes', () => {
    const codes = warnings(
      [
        liveFlag(1, 'b', { can_edit: false, experiment_set: [4] }),
        liveFlag(2, 'a', { can_edit: false }),
        liveFlag(3, 'c', { filters: dependsOn('1') }),
      ],
      retired('b'),
      declared('a', { name: 'x' }),
    ).map(({ key, code }) => `${key} ${code}`);
    expect(codes).toEqual(['a cannot_edit', 'b cannot_edit', 'b dependents_remain', 'b experiments_linked']);
  });
});

/** Changes of a flag's role access between plan and apply. */

import { describe, expect, test } from 'vitest';
import { openRun } from '../../../src/posthog/run-state.ts';
import type { Change, FieldChange, GrantRole, RoleChange } from '../../../src/posthog/plan.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { findMovedRoles } from '../../../src/posthog/role-access/write.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor } from '../../helpers/states.ts';

function changesFor(live: LiveState, ...flags: DesiredFlag[]): readonly Change[] {
  return planFor(desiredState(...flags), live).changes;
}

/** What moved for the only change of a plan made against `before`, once live state is `after`. */
function moved(flags: readonly DesiredFlag[], before: LiveState, after: LiveState): readonly FieldChange[] {
  const changes = changesFor(before, ...flags);
  expect(changes).toHaveLength(1);
  return changes.flatMap((change) => findMovedRoles(change as RoleChange, openRun(after, changes, { resumed: false })));
}

describe('a change of role access', () => {
  const flags = [liveFlag(1, 'a')];
  const roles = (...ids: readonly string[]): LiveState =>
    liveState(flags, { '1': ids.map((role, index) => entry(index + 1, role)) });
  const GRANTED = [declared('a', {}, { roles: ['r1', 'r2'] })];

  test.each<[string, LiveState, readonly FieldChange[]]>([
    ['nothing if it is unchanged', roles('r1'), []],
    ['nothing for a duplicate entry', roles('r1', 'r1'), []],
    ['an added role', roles('r1', 'r3'), [{ path: '/role_access', before: ['r1'], after: ['r1', 'r3'] }]],
    ['a removed role', roles(), [{ path: '/role_access', before: ['r1'], after: [] }]],
    ['the whole flag if its list was not read', liveState(flags), [{ path: '', before: 'a' }]],
  ])('reports as moved %s', (_name, after, expected) => {
    expect(moved(GRANTED, roles('r1'), after)).toEqual(expected);
  });

  test('has not moved if the same plan creates its flag', () => {
    const changes = changesFor(liveState([]), declared('a', { name: 'new' }, { roles: ['r1'] }));
    const grant = changes.find(({ action }) => action === 'grant') as GrantRole;
    expect(findMovedRoles(grant, openRun(roles('r9'), changes, { resumed: false }))).toEqual([]);
  });

  test('is moved by other users, and not by the resumed run', () => {
    const changes = changesFor(roles('r1'), declared('a', {}, { roles: ['r2', 'r3'] }));
    expect(changes.map(({ action }) => action).sort()).toEqual(['grant', 'grant', 'revoke']);
    const movedIn = (live: LiveState, resumed: readonly Change[]): readonly number[] =>
      changes.map((change) => findMovedRoles(change as RoleChange, openRun(live, resumed, { resumed: true })).length);
    const half = roles('r2');
    expect(movedIn(half, changes)).toEqual([0, 0, 0]);
    expect(movedIn(half, []).every((count) => count > 0)).toBe(true);
    expect(movedIn(roles('r2', 'r9'), changes).every((count) => count > 0)).toBe(true);
  });
});

/** Reverting levels of access, as today's service has them. */

import { describe, expect, test } from 'vitest';
import { invertPlan, type Inversion } from '../../../src/posthog/planning/invert-plan.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { AccessRule } from '../../../src/posthog/role-access/access.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor, planOptions } from '../../helpers/states.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const rule = (role: string | null, access_level: string): AccessRule => ({
  access_level,
  role,
  organization_member: null,
});
const levels = (...access_controls: readonly AccessRule[]): LiveState =>
  liveState([liveFlag(1, 'a')], { '1': { access_controls } });

/** Applies what a plan for the declared roles changes, then reverts it where others have moved it to `now`. */
function reverted(roles: readonly string[], before: LiveState, now: LiveState): Inversion {
  const { changes } = planFor(desiredState(declared('a', {}, { roles })), before);
  expect(changes).toHaveLength(1);
  return invertPlan(
    changes.map((change) => ({ change })),
    now,
    planOptions(),
  );
}

const EDITOR = rule(ROLE, 'editor');
const VIEWER = rule(ROLE, 'viewer');
const NONE = levels();
const entries = (...ids: readonly number[]): LiveState =>
  liveState([liveFlag(1, 'a')], { '1': ids.map((id) => entry(id, ROLE)) });

describe('the inverse', () => {
  test.each([
    ['a grant is a revoke of its level', [ROLE], NONE, levels(EDITOR), { action: 'revoke', level: 'editor' }],
    ['a revoke is a grant of the former level', [], levels(VIEWER), NONE, { action: 'grant', level: 'viewer' }],
    [
      'an adjustment is the one back',
      [ROLE],
      levels(VIEWER),
      levels(EDITOR),
      { action: 'adjust', before: 'editor', level: 'viewer' },
    ],
  ])('of %s', (_, roles, before, now, change) => {
    const { plan, refused } = reverted(roles, before, now);
    expect([plan.changes, refused]).toMatchObject([[change], []]);
  });

  test('of a change is of the flag with its id, whichever has the key now', () => {
    const before = levels();
    const { changes } = planFor(desiredState(declared('a', {}, { roles: [ROLE] })), before);
    const now = liveState([liveFlag(2, 'a'), liveFlag(1, 'renamed')], {
      '1': { access_controls: [EDITOR] },
      '2': { access_controls: [VIEWER] },
    });
    const { plan, refused } = invertPlan(
      changes.map((change) => ({ change })),
      now,
      planOptions(),
    );
    expect(refused).toEqual([]);
    expect(plan.changes).toMatchObject([{ action: 'revoke', key: 'renamed', id: 1 }]);
  });

  test('of a change that made its flag is of the flag with the key', () => {
    const { changes } = planFor(desiredState(declared('a', {}, { roles: [ROLE] })), liveState([]));
    const grant = changes.filter(({ resource }) => resource === 'role_access').map((change) => ({ change, id: 2 }));
    const now = liveState([liveFlag(1, 'b'), liveFlag(2, 'a')], {
      '1': { access_controls: [] },
      '2': { access_controls: [EDITOR] },
    });
    const { plan, refused } = invertPlan(grant, now, planOptions());
    expect(refused).toEqual([]);
    expect(plan.changes).toMatchObject([{ action: 'revoke', key: 'a', id: 2 }]);
  });

  test.each([
    ['a grant that another user lowered', [ROLE], NONE, levels(VIEWER), { before: 'editor', after: 'viewer' }],
    ['a grant that another user revoked', [ROLE], NONE, NONE, { before: 'editor' }],
    ['a revoke that another user undid', [], levels(VIEWER), levels(EDITOR), { after: 'editor' }],
    ['an adjustment that another user revoked', [ROLE], levels(VIEWER), NONE, { before: 'editor' }],
  ])('is refused for %s, and reports both levels', (_, roles, before, now, moved) => {
    const { plan, refused } = reverted(roles, before, now);
    expect(plan.changes).toEqual([]);
    expect(refused).toMatchObject([{ refusal: 'moved', moved: [{ path: `/access/${ROLE}`, ...moved }] }]);
    expect(Object.keys(refused[0]?.moved[0] ?? {})).toEqual(['path', ...Object.keys(moved)]);
  });

  const rules = { '1': { access_controls: [EDITOR] } };
  test.each<[string, readonly string[], LiveState, LiveState]>([
    ['whose flag is gone', [ROLE], NONE, liveState([], rules)],
    ['whose access was not read', [ROLE], NONE, liveState([liveFlag(1, 'a')])],
    // Where nobody has a level, a revoke seems to be in effect still.
    ['that revoked, and whose access was not read', [], levels(VIEWER), liveState([liveFlag(1, 'a')])],
    ['that granted, and whose flag is deleted', [ROLE], NONE, liveState([liveFlag(1, 'a', { deleted: true })], rules)],
  ])('of a change %s does not exist', (_, roles, before, now) => {
    const { plan, refused } = reverted(roles, before, now);
    expect([plan.changes, refused]).toMatchObject([[], [{ refusal: 'gone', moved: [] }]]);
  });

  test.each<[string, number | undefined, LiveState, object]>([
    ['its own entry', 12, entries(12), { changes: [{ action: 'revoke', entry_id: 12 }] }],
    ['the entry, if its answer was lost', undefined, entries(12), { changes: [{ action: 'revoke', entry_id: 12 }] }],
    ['not the entry of another user for the same role', 12, entries(13), { changes: [] }],
  ])('of a grant of 2023 revokes %s', (_, id, now, expected) => {
    const { changes } = planFor(desiredState(declared('a', {}, { roles: [ROLE] })), entries());
    const applied = changes.map((change) => ({ change, ...(id === undefined ? {} : { id }) }));
    const { plan, refused } = invertPlan(applied, now, planOptions());
    expect(plan).toMatchObject(expected);
    expect(refused).toHaveLength(plan.changes.length === 0 ? 1 : 0);
  });

  test.each([
    ['levels', levels(VIEWER), { path: `/access/${ROLE}`, before: 'editor', after: 'viewer' }],
    ['entries', entries(), { path: `/role_access/${ROLE}` }],
  ])('of a grant in a project without flags names what moved as the service has it: %s', (_, now, moved) => {
    const { changes } = planFor(desiredState(declared('a', {}, { roles: [ROLE] })), liveState([], {}));
    const [grant] = changes.filter(({ resource }) => resource === 'role_access');
    expect(grant).toMatchObject({ action: 'grant', base: { wire: 'unknown' } });
    const { refused } = invertPlan(grant === undefined ? [] : [{ change: grant }], now, planOptions());
    expect(refused).toMatchObject([{ refusal: 'moved', moved: [moved] }]);
  });

  test('of a revoke of 2023 grants the role again, also if others have entries', () => {
    const other = entry(7, 'another role');
    const before = liveState([liveFlag(1, 'a')], { '1': [other, entry(12, ROLE)] });
    const { changes } = planFor(desiredState(declared('a', {}, { roles: [other.role.id] })), before);
    const { plan } = invertPlan(
      changes.map((change) => ({ change, id: 12 })),
      liveState([liveFlag(1, 'a')], { '1': [other] }),
      planOptions(),
    );
    expect(plan.changes).toMatchObject([{ action: 'grant', role: { id: ROLE } }]);
  });
});

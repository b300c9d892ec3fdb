import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subjectOf } from '../../../src/posthog/role-access/change.ts';
import { changeRoleAccess } from '../../../src/posthog/role-access/find-changes.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, entry, liveFlag, liveState } from '../../helpers/states.ts';

const flag = liveFlag(7, 'a');
const PLACE = { file: 'flags/test.yaml', line: 1, column: 1 };

describe('role access', () => {
  it('is granted and revoked where it differs, with all data for the requests', () => {
    const live = liveState([flag], { 7: [entry(12, 'r3'), entry(11, 'r2'), entry(10, 'r1')] });
    expect(changeRoleAccess(declared('a', {}, { roles: ['r2', 'r4', 'r5'] }), { live: flag }, live)).toEqual([
      ...['r4', 'r5'].map((id) => ({
        action: 'grant',
        ref: `role_access:a:${id}`,
        resource: 'role_access',
        key: 'a',
        id: 7,
        role: { id, name: `name of ${id}` },
        base: { roles: ['r1', 'r2', 'r3'] },
        needs: [],
        source: PLACE,
      })),
      ...[
        [10, 'r1'],
        [12, 'r3'],
      ].map(([entryId, id]) => ({
        action: 'revoke',
        ref: `role_access:a:${id}`,
        resource: 'role_access',
        key: 'a',
        id: 7,
        role: { id, name: `name of ${id}` },
        entry_id: entryId,
        base: { roles: ['r1', 'r2', 'r3'] },
        needs: [],
        source: PLACE,
      })),
    ]);
  });

  it('of a flag to be created is only granted', () => {
    const [change, ...others] = changeRoleAccess(declared('a', {}, { roles: ['r1'] }), {}, liveState([]));
    expect(others).toEqual([]);
    expect(change).toMatchObject({ action: 'grant', base: { roles: [] } });
    expect(change).not.toHaveProperty('id');
  });

  it('is not changed if it is undeclared, even if it was not read', () => {
    expect(changeRoleAccess(declared('a'), { live: flag }, liveState([flag]))).toEqual([]);
  });

  it('must have been read if it is declared', () => {
    const change = (): unknown => changeRoleAccess(declared('a', {}, { roles: [] }), { live: flag }, liveState([flag]));
    expect(change).toThrow('The role access of flag a was not read.');
  });

  it('has no role name if the manifest gives the role id', () => {
    const desired = { ...declared('a'), roleAccess: [{ id: 'r1', place: PLACE }] };
    expect(changeRoleAccess(desired, { live: flag }, liveState([flag], { 7: [] }))).toMatchObject([
      { role: { id: 'r1' } },
    ]);
    expect(changeRoleAccess(desired, { live: flag }, liveState([flag], { 7: [] }))[0]?.role).not.toHaveProperty('name');
  });

  it('is revoked with the place of the list of roles as the source', () => {
    const listed = { ...PLACE, line: 9 };
    const places = { place: PLACE, children: { role_access: { place: listed } } };
    const desired = { ...declared('a', {}, { roles: [] }), places };
    const live = liveState([flag], { 7: [entry(1, 'r1')] });
    expect(changeRoleAccess(desired, { live: flag }, live)).toMatchObject([{ action: 'revoke', source: listed }]);
  });

  it('reaches the declared roles without redundant changes', () => {
    const roles = fc.subarray(['r1', 'r2', 'r3', 'r4']);
    holds(200, [roles, roles], (before, after) => {
      const live = liveState([flag], { 7: before.map((id, index) => entry(index, id)) });
      const left = new Set(before);
      const changes = changeRoleAccess(declared('a', {}, { roles: after }), { live: flag }, live);
      for (const change of changes) {
        const role = subjectOf(change);
        expect(left.has(role)).toBe(change.action === 'revoke');
        if (change.action === 'grant') left.add(role);
        else left.delete(role);
      }
      expect([...left].toSorted()).toEqual(after);
    });
  });
});

/** Which differences of access a plan writes, leaves live, or only reports, and what it cannot write. */

import { describe, expect, test } from 'vitest';
import { parseFieldPath, type OwnershipRule } from '../../../src/posthog/flag/model/fields.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { FlagAccess, AccessRule } from '../../../src/posthog/role-access/access.ts';
import { changeRoleAccess } from '../../../src/posthog/role-access/find-changes.ts';
import { leaveAccess, ROLE_ACCESS } from '../../../src/posthog/role-access/kind.ts';
import { takeSnapshot } from '../../../src/posthog/snapshot.ts';
import { declared, entry, liveFlag, liveState, retired } from '../../helpers/states.ts';

const PLACE = { file: 'flags/test.yaml', line: 1, column: 1 };
const FLAG = liveFlag(1, 'a', { user_access_level: 'manager' });
const rule = (role: string | null, access_level: string, more: object = {}): AccessRule => ({
  access_level,
  role,
  organization_member: null,
  ...more,
});

/** Live: r1 and r2, and everyone. Declared: another level of r1, a new r3, and another level of everyone. */
const LIVE: FlagAccess = { access_controls: [rule('r1', 'viewer'), rule('r2', 'editor'), rule(null, 'editor')] };
const DECLARED: DeclaredFlag = {
  ...declared('a'),
  roleAccess: [
    { id: 'r1', name: 'growth', level: 'manager', place: PLACE },
    { id: 'r3', name: 'sales', place: PLACE },
  ],
  everyone: { level: 'none', place: PLACE },
};

const liveOf = (access: FlagAccess): LiveState => liveState([FLAG], { '1': access });
const compare = (desired: DeclaredFlag, access: FlagAccess = LIVE, flag: Flag | undefined = FLAG) =>
  ROLE_ACCESS.compare({ desired, ...(flag === undefined ? {} : { live: flag }) }, takeSnapshot(liveOf(access)));
const refsOf = (changes: readonly { readonly ref: string; readonly action: string }[]): string[] =>
  changes.map(({ ref, action }) => `${action} ${ref.replace('role_access:a:', '')}`).toSorted();

const ALL = ['adjust everyone', 'adjust r1', 'grant r3', 'revoke r2'];

test('every subject whose level differs is changed', () => {
  const { changes, warnings } = compare(DECLARED);
  expect([refsOf(changes), warnings]).toEqual([ALL, []]);
});

describe('a change that is left', () => {
  test.each<[string, FlagAccess]>([
    ['today', LIVE],
    ['in 2023', [entry(11, 'r2'), entry(12, 'r1')]],
  ])('is no difference any more, and every other one still is (%s)', (_, access) => {
    const desired = Array.isArray(access) ? declared('a', {}, { roles: ['r1', 'r3', 'r4'] }) : DECLARED;
    const changesOf = (flag: DeclaredFlag) => changeRoleAccess(flag, { live: FLAG }, liveOf(access));
    const all = changesOf(desired);
    expect(all.length).toBeGreaterThan(2);
    for (const change of all) {
      const left = leaveAccess(change, desired);
      expect(left && refsOf(changesOf(left))).toEqual(refsOf(all.filter((one) => one !== change)));
    }
  });

  test('leaves nothing of a flag that is deleted', () => {
    const [change] = changeRoleAccess(DECLARED, { live: FLAG }, liveOf(LIVE));
    expect(change && leaveAccess(change, retired('a'))).toBeUndefined();
  });
});

describe('ownership', () => {
  const rules = (paths: Readonly<Record<string, OwnershipRule['ownership']>>): readonly OwnershipRule[] =>
    Object.entries(paths).map(([text, ownership]) => {
      const path = parseFieldPath(text);
      if ('problem' in path) throw new Error(text);
      return { path, ownership, source: PLACE };
    });
  const dividedBy = (paths: Readonly<Record<string, OwnershipRule['ownership']>>, flag: Flag | undefined = FLAG) =>
    compare({ ...DECLARED, ownership: rules(paths) }, LIVE, flag);

  test.each<[string, Readonly<Record<string, OwnershipRule['ownership']>>, readonly string[]]>([
    ['of a role by its name', { '/role_access/roles/growth': 'initial' }, ['adjust everyone', 'grant r3', 'revoke r2']],
    ['of a role by its id', { '/role_access/roles/r2': 'initial' }, ['adjust everyone', 'adjust r1', 'grant r3']],
    ['of everyone', { '/role_access/default': 'initial' }, ['adjust r1', 'grant r3', 'revoke r2']],
    ['of all roles', { '/role_access/roles': 'initial' }, ['adjust everyone']],
    ['of another flag field', { '/name': 'initial' }, ALL],
    [
      'of all roles but one',
      { '/role_access/roles': 'initial', '/role_access/roles/r3': 'managed' },
      ['adjust everyone', 'grant r3'],
    ],
  ])('%s keeps a change out, and no other', (_, paths, refs) => {
    const { changes, observed } = dividedBy(paths);
    expect([refsOf(changes), observed]).toEqual([refs, undefined]);
  });

  test('that only observes reports both levels, with the name where one is known', () => {
    const { changes, observed } = dividedBy({ '/role_access': 'observed' });
    const seen = { key: 'a', ownership: 'observed' };
    expect(changes).toEqual([]);
    expect(observed?.map(({ source: _source, ...one }) => one)).toEqual(
      expect.arrayContaining([
        { ...seen, path: '/role_access/default', declared: 'none', live: 'editor' },
        { ...seen, path: '/role_access/roles/growth', declared: 'manager', live: 'viewer' },
        { ...seen, path: '/role_access/roles/sales', declared: 'editor' },
        { ...seen, path: '/role_access/roles/r2', live: 'editor' },
      ]),
    );
    expect(observed).toHaveLength(4);
  });

  test('does not concern a flag that is to be created', () => {
    const desired = { ...DECLARED, ownership: rules({ '/role_access': 'observed' }) };
    const { changes } = ROLE_ACCESS.compare({ desired }, takeSnapshot(liveState([])));
    expect(refsOf(changes)).toEqual(['adjust everyone', 'grant r1', 'grant r3']);
  });
});

describe('a warning', () => {
  test.each<[string, FlagAccess, readonly object[]]>([
    [
      'of rules that only Terraform may change, which are left out',
      { access_controls: [rule('r1', 'viewer', { locked: true }), rule(null, 'editor', { locked: true })] },
      [{ code: 'access_locked', key: 'a', subjects: ['growth', 'everyone'], setting: 'lock_terraform_managed_rules' }],
    ],
    ['of access that the key may not read', { refused: 'No.' }, [{ code: 'access_refused', key: 'a', detail: 'No.' }]],
    ['of access that a snapshot lacks', { refused: null, unread: true }, [{ code: 'access_unread', key: 'a' }]],
    [
      'of members with levels of their own, who are counted where the access changes',
      {
        access_controls: [
          rule('r1', 'viewer'),
          rule('r3', 'editor'),
          rule(null, 'none'),
          ...['m1', 'm2'].map((member) => rule(null, 'editor', { organization_member: member })),
        ],
      },
      [{ code: 'access_of_members', key: 'a', members: 2 }],
    ],
    [
      'of access that the key may read and not change',
      { ...LIVE, user_can_edit_access_levels: false },
      [{ code: 'access_fixed', key: 'a' }],
    ],
  ])('is given %s', (_, access, warnings) => {
    expect(compare(DECLARED, access).warnings).toMatchObject(warnings);
    expect(compare(declared('a'), access).warnings).toEqual([]);
  });

  test('is not given where the key may not change what is as declared', () => {
    const desired = { ...declared('a'), roleAccess: [{ id: 'r1', level: 'viewer', place: PLACE }] };
    const access = { access_controls: [rule('r1', 'viewer')], user_can_edit_access_levels: false };
    expect(compare(desired, access)).toMatchObject({ changes: [], warnings: [] });
  });
});

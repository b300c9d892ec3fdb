import { expect, test } from 'vitest';
import type { FlagAccess } from '../../../src/posthog/role-access/access.ts';
import { attributeAccess } from '../../../src/posthog/role-access/attribution.ts';
import type { RoleChange } from '../../../src/posthog/role-access/change.ts';
import type { OwnWrite } from '../../../src/posthog/authors/attribution.ts';

const ROLE = { id: 'role-1', name: 'engineering' };
const base = { roles: [ROLE.id] };
const common = { resource: 'role_access', ref: 'role_access:a:role-1', key: 'a', id: 7, needs: [], base } as const;
const revoke: RoleChange = { ...common, action: 'revoke', role: ROLE, entry_id: 3 };
const grant: RoleChange = { ...common, action: 'grant', role: ROLE };
const ofEveryone: RoleChange = { ...common, action: 'adjust', before: 'viewer', level: null };
const AT = '2026-01-01T12:00:00Z';

const entries: FlagAccess = [{ id: 3, role: ROLE, added_at: AT }];
const rules: FlagAccess = {
  access_controls: [
    { access_level: 'editor', role: ROLE.id, organization_member: null, updated_at: AT },
    { access_level: 'viewer', role: null, organization_member: null, created_at: AT },
    { access_level: 'none', role: null, organization_member: 'm', updated_at: '2020-01-01T00:00:00Z' },
  ],
};
const write = (minute: string): OwnWrite => ({
  run: 'R',
  change: grant,
  id: 7,
  from: `2026-01-01T12:${minute}:00Z`,
  until: `2026-01-01T12:${minute}:01Z`,
});

test.each([
  ['an entry of 2023', revoke, entries],
  ['a rule of a role', revoke, rules],
  ['a rule of everyone', ofEveryone, rules],
] as const)('%s has its time, but no author', (_name, change, access) => {
  expect(attributeAccess(change, access, [])).toEqual({ kind: 'known', at: AT, via: 'web_or_key' });
});

test.each([
  ['access that somebody removed', grant, entries],
  ['access without a time', revoke, [{ id: 3, role: ROLE }]],
  ['access that the service does not show', revoke, { refused: null }],
  ['access that was not read', revoke, undefined],
] as const)('%s is not logged', (_name, change, access) => {
  expect(attributeAccess(change, access, [])).toEqual({ kind: 'unknown', reason: 'not_logged' });
});

test('a person who changed the level right after a run is not taken for the run', () => {
  const changed: FlagAccess = {
    access_controls: [{ access_level: 'manager', role: ROLE.id, organization_member: null, updated_at: AT }],
  };
  expect(attributeAccess(revoke, changed, [write('00')])).toEqual({ kind: 'known', at: AT, via: 'web_or_key' });
  expect(attributeAccess(revoke, rules, [write('00')])).toMatchObject({ via: 'apply', run: 'R' });
});

test('a recorded run gave it, if its write was at that time', () => {
  expect(attributeAccess(revoke, entries, [write('00')])).toMatchObject({ via: 'apply', run: 'R' });
  expect(attributeAccess(revoke, entries, [write('05')])).toMatchObject({ via: 'web_or_key' });
});

import { expect, test } from 'vitest';
import type { RoleChange } from '../../../src/posthog/plan.ts';
import { ROLE_ACCESS_LABELS } from '../../../src/posthog/role-access/labels.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const grant: RoleChange = {
  action: 'grant',
  resource: 'role_access',
  ref: `role_access:search:${ROLE}`,
  key: 'search',
  role: { id: ROLE, name: 'growth' },
  base: { roles: [] },
  needs: [],
};
const revoke: RoleChange = { ...grant, action: 'revoke', id: 12, entry_id: 31 };
const nameless: RoleChange = { ...grant, role: { id: ROLE } };
const quote = (text: string): string => `«${text}»`;

test('a grant is labelled "to" its role, a revoke "from" its role', () => {
  expect(ROLE_ACCESS_LABELS.target(grant, quote)).toBe(' to «growth»');
  expect(ROLE_ACCESS_LABELS.target(revoke, quote)).toBe(' from «growth»');
});

test('a role without a name is labelled with its id', () => {
  expect(ROLE_ACCESS_LABELS.target(nameless, quote)).toBe(` to «${ROLE}»`);
  expect(ROLE_ACCESS_LABELS.identity(nameless, true)).toEqual([]);
  expect(ROLE_ACCESS_LABELS.identity(grant, true)).toEqual([`role ${ROLE}`]);
  expect(ROLE_ACCESS_LABELS.identity(grant, false)).toEqual([]);
});

test('the key in a ref may contain colons', () => {
  expect(ROLE_ACCESS_LABELS.keyOfRef(`role_access:b:c:${ROLE}`)).toBe('b:c');
});

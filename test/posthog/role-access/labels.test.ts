/** The words for role access in reports. */

import { expect, test } from 'vitest';
import type { RoleChange } from '../../../src/posthog/plan.ts';
import { ROLE_ACCESS_LABELS } from '../../../src/posthog/role-access/change.ts';

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

test.each<[string, RoleChange, string, string, string]>([
  [
    'a grant of a level',
    { ...grant, level: 'viewer' },
    ' to «growth» as «viewer»',
    ': role «growth» is declared as «viewer» but has no level',
    'entry_id',
  ],
  ['a grant', grant, ' to «growth»', ': role «growth» is declared but cannot edit it', 'entry_id'],
  ['a revoke of an entry', revoke, ' from «growth»', ': role «growth» can edit it but is not declared', 'entry_id'],
  [
    'a revoke of a level',
    {
      ...grant,
      action: 'revoke',
      id: 12,
      level: 'editor',
      base: { roles: [], levels: { roles: {}, everyone: null, inherited: null } },
    },
    ' from «growth»',
    ': role «growth» is «editor» but is not declared',
    'id',
  ],
  [
    'an adjustment of a role',
    { ...grant, action: 'adjust', before: 'viewer', level: 'editor' },
    ' for «growth»: «viewer» → «editor»',
    ': role «growth» is declared as «editor» but is «viewer»',
    'entry_id',
  ],
])('%s: what a plan and drift say of it, and the id that its answer has', (_, change, target, drift, id) => {
  expect([
    ROLE_ACCESS_LABELS.target(change, quote),
    ROLE_ACCESS_LABELS.drift(change, quote),
    ROLE_ACCESS_LABELS.answeredId(change),
  ]).toEqual([target, drift, id]);
});

test('an adjustment for everyone names no role', () => {
  const { role: _, ...common } = grant;
  const change: RoleChange = { ...common, action: 'adjust', before: null, level: 'viewer' };
  expect(ROLE_ACCESS_LABELS.target(change, quote)).toBe(' for everyone: (inherited) → «viewer»');
  expect(ROLE_ACCESS_LABELS.drift(change, quote)).toBe(
    ': the level of everyone is declared as «viewer» but is (inherited)',
  );
});

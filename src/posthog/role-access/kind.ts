/** Role access as a kind of resource, attached to flags. */

import { refTo } from '../../engine/change.ts';
import type { PostHogKind } from '../model.ts';
import type { RoleChange } from './change.ts';
import { changeRoleAccess } from './changes.ts';
import { invertRoleChange } from './invert.ts';
import { findLockouts } from './lockouts.ts';
import { findRoleNeeds } from './needs.ts';
import { ROLE_READS } from './reads.ts';
import { roleAccessWriter } from './write.ts';

export const ROLE_ACCESS: PostHogKind<RoleChange> = {
  name: 'role_access',
  attached: true,
  actions: ['grant', 'revoke'],

  compare: ({ desired, live }, snapshot) => ({
    changes: desired.kind === 'declared' ? changeRoleAccess(desired, live, snapshot) : [],
    warnings: [],
  }),
  findNeeds: (changes, { flags }) => findRoleNeeds(changes, flags),

  effects: () => [],
  liveKey: ({ key }) => key,
  assess: (changes) => ({ risks: findLockouts(changes), warnings: [] }),

  invert: invertRoleChange,
  rename: (change, newKey) => {
    const key = newKey(change.key);
    return { ...change, key, ref: roleRef(key, change.role.id) };
  },
  isCoveredBy: ({ action, id }, deleted) => action === 'revoke' && id !== undefined && deleted.has(id),

  reads: ROLE_READS,
  writer: roleAccessWriter,
};

function roleRef(key: string, role: string): string {
  return refTo('role_access', `${key}:${role}`);
}

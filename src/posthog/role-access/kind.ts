/** Role access as a kind of resource, attached to flags. */

import type { PostHogKind } from '../model.ts';
import { assessAccess } from './assess.ts';
import { subjectOf, type RoleChange } from './change.ts';
import { changeRoleAccess, refOf } from './changes.ts';
import { invertRoleChange } from './invert.ts';
import { findRoleNeeds } from './needs.ts';
import { ROLE_READS } from './reads.ts';
import { warnOfAccess } from './warnings.ts';
import { roleAccessWriter } from './write.ts';

export const ROLE_ACCESS: PostHogKind<RoleChange> = {
  name: 'role_access',
  attachedTo: 'flag',
  actions: ['grant', 'adjust', 'revoke'],

  compare: ({ desired, live }, snapshot) => ({
    changes: desired.kind === 'declared' ? changeRoleAccess(desired, live, snapshot) : [],
    warnings: desired.kind === 'declared' ? warnOfAccess(desired, live, snapshot) : [],
  }),
  findNeeds: (changes, { flags }) => findRoleNeeds(changes, flags),

  effects: () => [],
  liveKey: ({ key }) => key,
  assess: assessAccess,

  invert: invertRoleChange,
  rename: (change, newKey) => {
    const key = newKey(change.key);
    return { ...change, key, ref: refOf(key, subjectOf(change)) };
  },
  isCoveredBy: ({ action, id }, deleted) => action !== 'grant' && id !== undefined && deleted.has(id),

  reads: ROLE_READS,
  writer: roleAccessWriter,
};

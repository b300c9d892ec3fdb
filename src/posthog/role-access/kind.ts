/** Role access as a kind of resource, attached to flags. */

import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../engine/change.ts';
import type { KindOf } from '../model.ts';
import { assessAccess } from './assess.ts';
import { EVERYONE, levelAfter, levelBefore, subjectOf, type RoleChange } from './change.ts';
import { changeRoleAccess, divideByLock, refOf } from './changes.ts';
import { invertRoleChange } from './invert.ts';
import { leaveAccess } from './leave.ts';
import { findRoleNeeds } from './needs.ts';
import { divideByOwnership } from './ownership.ts';
import { ROLE_READS } from './reads.ts';
import { refuseUnsupportedAccess } from './unsupported-access.ts';
import { warnOfAccess, warnOfLocked } from './warnings.ts';
import { roleAccessWriter } from './write.ts';

export const ROLE_ACCESS: KindOf<'role_access'> = {
  name: 'role_access',
  attachedTo: 'flag',
  actions: ['grant', 'adjust', 'revoke'],

  compare: ({ desired, ...match }, snapshot) => {
    if (desired.kind !== 'declared') return { changes: [], warnings: [] };
    const wanted = changeRoleAccess(desired, match, snapshot);
    const ours = divideByOwnership(wanted, desired, match.live === undefined);
    const { changes, locked } = divideByLock(ours.changes, match.live, snapshot);
    return {
      ...ours,
      changes,
      warnings: [...warnOfAccess(desired, match.live, snapshot), ...warnOfLocked(locked)],
    };
  },
  findNeeds: (changes, { flags }) => findRoleNeeds(changes, flags),

  effects: () => [],
  parts: (change) => [partOf(change)],
  leave: ({ change, match }) => leaveAccess(change, match.desired),
  liveKey: ({ key }) => key,
  assess: assessAccess,

  invert: invertRoleChange,
  rename: (change, newKey) => {
    const key = newKey(change.key);
    return { ...change, key, ref: refOf(key, subjectOf(change)) };
  },
  isCoveredBy: ({ action, id }, deleted) => action !== 'grant' && id !== undefined && deleted.has(id),

  refuse: (desired, { accessWire }) => refuseUnsupportedAccess(desired, accessWire),

  findUnwritten: ({ code, key }) => {
    if (code === 'access_locked') return [{ key, fields: ['role_access'], isOutOfPlan: true }];
    return UNWRITABLE.has(code) ? [{ key, fields: ['role_access'] }] : [];
  },
  reads: ROLE_READS,
  writer: roleAccessWriter,
};

const UNWRITABLE: ReadonlySet<string> = new Set(['access_refused', 'access_unread', 'access_unpaid']);

/** The level before and after; absent where there is none. */
function partOf(change: RoleChange): FieldChange {
  const after = levelAfter(change) ?? undefined;
  const { divergence, source, base_level: base } = change;
  const subject = subjectOf(change);
  const path = subject === EVERYONE ? '/role_access/default' : `/role_access/roles/${subject}`;
  return {
    path,
    ...defined({ before: levelBefore(change) ?? undefined, after, source, divergence, base: base ?? undefined }),
  };
}

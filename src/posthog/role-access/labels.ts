/** The words for role access in reports. */

import { OWN_LABELS, type Labels, type Quote } from '../../engine/labels.ts';
import type { AdjustLevel, RoleChange, RoleName } from '../plan.ts';

export const ROLE_ACCESS_LABELS: Labels<RoleChange> = {
  ...OWN_LABELS,
  noun: 'role access',
  plural: 'role access',
  qualifier: ' (role access)',
  field: labelField,
  identity: ({ role }, detailed) => (detailed && role?.name !== undefined ? [`role ${role.id}`] : []),
  target: targetText,
  drift: driftText,
  need: 'a grant on ',
  keyOfRef,
  // Rules of today have no id: the flag's stands for it. An id of an unknown wire form may be either.
  answeredId: ({ base }) => (base.wire === 'unknown' ? undefined : base.levels === undefined ? 'entry_id' : 'id'),
};

function targetText(change: RoleChange, quote: Quote): string {
  switch (change.action) {
    case 'grant':
      return ` to ${nameRole(change.role, quote)}${change.level === undefined ? '' : ` as ${quote(change.level)}`}`;
    case 'adjust':
      return ` for ${nameSubject(change, quote)}: ${ownLevel(change.before, quote)} → ${ownLevel(change.level, quote)}`;
    case 'revoke':
      return ` from ${nameRole(change.role, quote)}`;
  }
}

function driftText(change: RoleChange, quote: Quote): string {
  switch (change.action) {
    case 'grant':
      return change.level === undefined
        ? `: role ${nameRole(change.role, quote)} is declared but cannot edit it`
        : `: role ${nameRole(change.role, quote)} is declared as ${quote(change.level)} but has no level`;
    case 'adjust': {
      const [declared, live] = [ownLevel(change.level, quote), ownLevel(change.before, quote)];
      const subject = change.role === undefined ? 'the level of everyone' : `role ${nameRole(change.role, quote)}`;
      return `: ${subject} is declared as ${declared} but is ${live}`;
    }
    case 'revoke':
      return 'level' in change
        ? `: role ${nameRole(change.role, quote)} is ${quote(change.level)} but is not declared`
        : `: role ${nameRole(change.role, quote)} can edit it but is not declared`;
  }
}

function nameSubject({ role }: AdjustLevel, quote: Quote): string {
  return role === undefined ? 'everyone' : nameRole(role, quote);
}

function ownLevel(level: string | null, quote: Quote): string {
  return level === null ? '(inherited)' : quote(level);
}

function nameRole({ name, id }: RoleName, quote: Quote): string {
  return quote(name ?? id);
}

/** A ref is `role_access:KEY:ROLE-ID`, and a key may contain colons. */
function keyOfRef(ref: string): string {
  return ref.slice(ref.indexOf(':') + 1, ref.lastIndexOf(':'));
}

/** Labels `/role_access/roles/ID` and `/role_access/default`; other pointers are those of moved fields. */
function labelField(pointer: string): string {
  if (pointer === '/role_access/default') return 'access of everyone';
  return pointer.replace(/^\/role_access\/roles\//, 'access of role ');
}

/** The changes of role access, as a plan and its document hold them, what their subjects have, and the words for them in reports. */

import type { Change } from '../../core/engine/change.ts';
import { OWN_LABELS, type Labels, type Quote } from '../names/resource-name.ts';
import type { Permit } from '../../core/engine/exceptions.ts';
import { EDITOR, type HeldAccess } from './access.ts';

export type RoleChange = GrantRole | AdjustLevel | RevokeRole;

interface LevelChange extends Change {
  readonly resource: 'role_access';
  readonly base: RoleAccessBase;
  /** The declared level in the base of a conflict; null for none. */
  readonly base_level?: string | null;
}

export interface GrantRole extends LevelChange {
  readonly action: 'grant';
  /** The flag's id; absent while the flag itself is still to be created. */
  readonly id?: number;
  readonly role: RoleName;
  /** Absent: editor, the only level of 2023. */
  readonly level?: string;
}

/** Changes the level of a role that has one, or the level of everyone. */
export interface AdjustLevel extends LevelChange {
  readonly action: 'adjust';
  readonly id?: number;
  /** Absent: everyone. */
  readonly role?: RoleName;
  /** Null: none of the flag's own. */
  readonly before: string | null;
  readonly level: string | null;
}

/** `entry_id` on a service of 2023, `level` on today's: what the role had. */
export type RevokeRole = RevokeEntry | (Revoke & { readonly level: string });

interface Revoke extends LevelChange {
  readonly action: 'revoke';
  readonly id: number;
  readonly role: RoleName;
}

export type RevokeEntry = Revoke & { readonly entry_id: number };

export interface RoleName {
  readonly id: string;
  readonly name?: string;
}

/** The access that the plan saw; levels only if the service has them. */
export interface RoleAccessBase {
  /** The ids of the roles with access, sorted. */
  readonly roles: readonly string[];
  readonly levels?: LevelsBase;
  /** A project without flags does not show which wire form its service has, so that absent levels say nothing. */
  readonly wire?: 'unknown';
}

export interface LevelsBase {
  /** Keys are role ids, sorted. */
  readonly roles: Readonly<Record<string, string>>;
  /** The flag's own level for everyone; null: none. */
  readonly everyone: string | null;
  /** The level of everyone if the flag has none of its own. */
  readonly inherited: string | null;
}

/**
 * `ref` is the change after which no role has access to the flag (`lockout`), or after which no rule lets anyone manage the flag, so perhaps
 * not the owner of the key either (`own_access`).
 */
export interface AccessRisk {
  readonly code: 'lockout' | 'own_access';
  readonly ref: string;
  readonly key: string;
  readonly permit: Permit;
}

export type AccessWarning =
  /** The service does not let the owner of the key read the flag's access. */
  | { readonly code: 'access_refused'; readonly key: string; readonly detail?: string }
  /** The snapshot that the plan is made against does not have the flag's access. */
  | { readonly code: 'access_unread'; readonly key: string }
  /** The organization lacks the paid feature that the levels of roles need. */
  | { readonly code: 'access_unpaid'; readonly key: string }
  /** The owner of the key may not change the flag's access. */
  | { readonly code: 'access_fixed'; readonly key: string }
  /** Terraform manages these rules, and the project lets nobody else change them, so the plan leaves their differences out. */
  | {
      readonly code: 'access_locked';
      readonly key: string;
      readonly subjects: readonly string[];
      readonly setting: string;
    }
  /** Members have levels of their own, which no manifest manages. */
  | { readonly code: 'access_of_members'; readonly key: string; readonly members: number };

/** The role of a change by its id; `everyone` where it is about everyone. */
export function subjectOf(change: RoleChange): string {
  return change.action === 'adjust' ? (change.role?.id ?? EVERYONE) : change.role.id;
}

export const EVERYONE = 'everyone';

/** The subject's level after the change; null for none of its own. */
export function levelAfter(change: RoleChange): string | null {
  if (change.action === 'revoke') return null;
  return change.action === 'adjust' ? change.level : (change.level ?? EDITOR);
}

/** The subject's level before the change; null for none of its own. */
export function levelBefore(change: RoleChange): string | null {
  if (change.action === 'grant') return null;
  return change.action === 'adjust' ? change.before : 'level' in change ? change.level : EDITOR;
}

/** The subject's own level; null if it has none. */
export function levelOf(change: RoleChange, held: HeldAccess): string | null {
  const subject = subjectOf(change);
  if (subject === EVERYONE) return held.everyone;
  return held.roles.find(({ role }) => role.id === subject)?.level ?? null;
}

/** Whether only Terraform may change the rule. */
export function isLocked(change: RoleChange, { locked }: HeldAccess): boolean {
  const subject = subjectOf(change);
  return locked.has(subject === EVERYONE ? null : subject);
}

export const ROLE_ACCESS_LABELS: Labels<RoleChange> = {
  ...OWN_LABELS,
  noun: 'role access',
  plural: 'role access',
  qualifier: ' (role access)',
  // Other pointers are those of moved fields.
  field: (pointer) =>
    pointer === '/role_access/default'
      ? 'access of everyone'
      : pointer.replace(/^\/role_access\/roles\//, 'access of role '),
  identity: ({ role }, detailed) => (detailed && role?.name !== undefined ? [`role ${role.id}`] : []),
  target: (change, quote) => {
    const role = nameSubject(change, quote);
    switch (change.action) {
      case 'grant':
        return ` to ${role}${change.level === undefined ? '' : ` as ${quote(change.level)}`}`;
      case 'adjust':
        return ` for ${role}: ${ownLevel(change.before, quote)} → ${ownLevel(change.level, quote)}`;
      case 'revoke':
        return ` from ${role}`;
    }
  },
  drift: (change, quote) => {
    const role = `role ${nameSubject(change, quote)}`;
    switch (change.action) {
      case 'grant':
        return change.level === undefined
          ? `: ${role} is declared but cannot edit it`
          : `: ${role} is declared as ${quote(change.level)} but has no level`;
      case 'adjust': {
        const [declared, live] = [ownLevel(change.level, quote), ownLevel(change.before, quote)];
        const subject = change.role === undefined ? 'the level of everyone' : role;
        return `: ${subject} is declared as ${declared} but is ${live}`;
      }
      case 'revoke':
        return 'level' in change
          ? `: ${role} is ${quote(change.level)} but is not declared`
          : `: ${role} can edit it but is not declared`;
    }
  },
  need: 'a grant on ',
  // A ref is `role_access:KEY:ROLE-ID`, and a key may contain colons.
  // Rules of today have no id: the flag's stands for it. An id of an unknown wire form may be either.
  answeredId: ({ base }) => (base.wire === 'unknown' ? undefined : base.levels === undefined ? 'entry_id' : 'id'),
};

function nameSubject({ role }: RoleChange, quote: Quote): string {
  return role === undefined ? 'everyone' : quote(role.name ?? role.id);
}

function ownLevel(level: string | null, quote: Quote): string {
  return level === null ? '(inherited)' : quote(level);
}

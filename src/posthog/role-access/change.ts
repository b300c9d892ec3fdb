/** The changes of role access, as a plan and its document hold them. */

import type { Change } from '../../engine/change.ts';
import type { Permit } from '../../engine/safety.ts';

export type RoleChange = GrantRole | RevokeRole;

export interface GrantRole extends Change {
  readonly action: 'grant';
  readonly resource: 'role_access';
  /** The flag's id; absent while the flag itself is still to be created. */
  readonly id?: number;
  readonly role: RoleName;
  readonly base: RoleAccessBase;
}

export interface RevokeRole extends Change {
  readonly action: 'revoke';
  readonly resource: 'role_access';
  readonly id: number;
  readonly role: RoleName;
  readonly entry_id: number;
  readonly base: RoleAccessBase;
}

export interface RoleName {
  readonly id: string;
  readonly name?: string;
}

/** The roles that had access when the plan was made, by id, sorted. */
export interface RoleAccessBase {
  readonly roles: readonly string[];
}

/** `ref` is the revoke after which no role has access to the flag. */
export interface LockoutRisk {
  readonly code: 'lockout';
  readonly ref: string;
  readonly key: string;
  readonly permit: Permit;
}

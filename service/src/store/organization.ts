/** Queries on the organization: its members, their roles, and the paid features that it lacks. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

export interface StoredMember {
  readonly id: string;
  /** The form of answers. */
  readonly user: JsonObject;
  readonly joinedAt: string;
  /** 1, 8 or 15: member, administrator or owner. */
  readonly level: number;
}

export interface StoredMembership {
  readonly id: string;
  readonly roleId: string;
  readonly memberId: string;
  readonly joinedAt: string;
}

export interface OrganizationStore {
  findMember(id: string): StoredMember | undefined;
  /** Finds only members with their own key. */
  findMemberByKey(apiKey: string): StoredMember | undefined;
  /** Sorted by joining. */
  listMembers(): StoredMember[];
  /** Does nothing where the member exists. */
  addMember(member: Omit<StoredMember, 'level'>, apiKey?: string): void;
  setLevel(id: string, level: number): void;
  /** Sorted by joining. */
  listMemberships(roleId: string): StoredMembership[];
  addMembership(membership: StoredMembership): void;
  removeMembership(id: string): void;
  /** The paid features that the organization lacks. */
  missingFeatures(): ReadonlySet<string>;
  loseFeature(name: string): void;
}

const MEMBER = 'id, user, joined_at AS joinedAt, level';
const MEMBERSHIP = 'id, role_id AS roleId, member_id AS memberId, joined_at AS joinedAt';

export function createOrganizationStore({ all, get, run }: SqlDatabase): OrganizationStore {
  const addMember = run(
    `INSERT INTO organization_member (id, user, joined_at, api_key) VALUES ($id, $user, $joinedAt, $apiKey)
     ON CONFLICT DO NOTHING`,
  );
  const setLevel = run('UPDATE organization_member SET level = ? WHERE id = ?');
  const missing = all<{ name: string }>('SELECT name FROM missing_feature');
  return {
    findMember: get<StoredMember>(`SELECT ${MEMBER} FROM organization_member WHERE id = ?`),
    findMemberByKey: get<StoredMember>(`SELECT ${MEMBER} FROM organization_member WHERE api_key = ?`),
    listMembers: all<StoredMember>(`SELECT ${MEMBER} FROM organization_member ORDER BY rowid`),
    addMember: (member, apiKey) => addMember({ ...member, apiKey }),
    setLevel: (id, level) => setLevel(level, id),
    listMemberships: all<StoredMembership>(
      `SELECT ${MEMBERSHIP} FROM role_membership WHERE role_id = ? ORDER BY rowid`,
    ),
    addMembership: run(
      'INSERT INTO role_membership (id, role_id, member_id, joined_at) VALUES ($id, $roleId, $memberId, $joinedAt)',
    ),
    removeMembership: run('DELETE FROM role_membership WHERE id = ?'),
    missingFeatures: () => new Set(missing().map(({ name }) => name)),
    loseFeature: run('INSERT INTO missing_feature (name) VALUES (?) ON CONFLICT DO NOTHING'),
  };
}

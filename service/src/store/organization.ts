/** Queries on the organization: its members, their roles, and the paid features that it lacks. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import { objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
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

export function createOrganizationStore(database: SqlDatabase): OrganizationStore {
  const memberById = database.prepare(`SELECT ${MEMBER} FROM organization_member WHERE id = ?`);
  const memberByKey = database.prepare(`SELECT ${MEMBER} FROM organization_member WHERE api_key = ?`);
  const members = database.prepare(`SELECT ${MEMBER} FROM organization_member ORDER BY rowid`);
  const addMember = database.prepare(
    'INSERT INTO organization_member (id, user, joined_at, api_key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const setLevel = database.prepare('UPDATE organization_member SET level = ? WHERE id = ?');
  const memberships = database.prepare(`SELECT ${MEMBERSHIP} FROM role_membership WHERE role_id = ? ORDER BY rowid`);
  const addMembership = database.prepare(
    'INSERT INTO role_membership (id, role_id, member_id, joined_at) VALUES (?, ?, ?, ?)',
  );
  const removeMembership = database.prepare('DELETE FROM role_membership WHERE id = ?');
  const missing = database.prepare('SELECT name FROM missing_feature');
  const lose = database.prepare('INSERT INTO missing_feature (name) VALUES (?) ON CONFLICT DO NOTHING');
  return {
    findMember: (id) => (memberById.all([id]) as MemberRow[]).map(readMember)[0],
    findMemberByKey: (apiKey) => (memberByKey.all([apiKey]) as MemberRow[]).map(readMember)[0],
    listMembers: () => (members.all([]) as MemberRow[]).map(readMember),
    addMember: ({ id, user, joinedAt }, apiKey) =>
      void addMember.run([id, stringifyJson(user), joinedAt, apiKey ?? null]),
    setLevel: (id, level) => void setLevel.run([level, id]),
    listMemberships: (roleId) => memberships.all([roleId]) as StoredMembership[],
    addMembership: ({ id, roleId, memberId, joinedAt }) => void addMembership.run([id, roleId, memberId, joinedAt]),
    removeMembership: (id) => void removeMembership.run([id]),
    missingFeatures: () => new Set((missing.all([]) as { name: string }[]).map(({ name }) => name)),
    loseFeature: (name) => void lose.run([name]),
  };
}

interface MemberRow extends Omit<StoredMember, 'user'> {
  readonly user: string;
}

function readMember({ id, user, joinedAt, level }: MemberRow): StoredMember {
  const read = parseJson(user);
  return { id, user: objectOrEmpty(read), joinedAt, level };
}

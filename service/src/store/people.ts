/** Queries on the organization, its members and their roles, and on access rules: the level of a role, of a member, or of everyone. */

import type { SqlDatabase } from './database.ts';
import type { JsonObject } from '../../../src/base/json.ts';

/** A rule without role and member is for everyone. */
export interface RuleSubject {
  readonly flagId: number;
  readonly roleId: string | null;
  readonly memberId: string | null;
}

/** A flag with the level that one subject has. */
interface RuledFlag {
  readonly id: number;
  readonly key: string;
  readonly level: string;
}

export interface StoredRule extends RuleSubject {
  readonly level: string;
  /** The program that manages it, `terraform`. */
  readonly managedBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface AccessRuleStore {
  /** Sorted by creation. */
  list(flagId: number): StoredRule[];
  /** The flags of the project, without deleted ones, for which the subject has a rule; sorted by key. */
  listFlags(projectId: string, subject: Omit<RuleSubject, 'flagId'>): RuledFlag[];
  /** Adds the subject's rule, or changes its level. */
  put(subject: RuleSubject, level: string, time: string): StoredRule;
  /** Does nothing where there is no rule. */
  remove(subject: RuleSubject): void;
  /** Notes which program manages the subject's rule. */
  claim(subject: RuleSubject, managedBy: string): void;
  /** Whether only the program that manages a rule of the project may change it. */
  isLocked(projectId: string): boolean;
  setLock(projectId: string, isLocked: boolean): void;
  /** Whether a program manages any rule of the project. */
  hasManaged(projectId: string): boolean;
}

/** A subject without role and member is everyone. */
interface ProjectRuleSubject {
  readonly projectId: string;
  /** `project`, or the kind of the objects. */
  readonly resource: string;
  readonly roleId: string | null;
  readonly memberId: string | null;
}

export interface StoredProjectRule extends ProjectRuleSubject {
  readonly level: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ProjectAccessStore {
  /** The rules of all resources, in the order of creation. */
  list(projectId: string): StoredProjectRule[];
  /** Adds the subject's rule, or changes its level. */
  put(subject: ProjectRuleSubject, level: string, time: string): StoredProjectRule;
  /** Does nothing where there is no rule. */
  remove(subject: ProjectRuleSubject): void;
}

const RULE = `flag_id AS flagId, role_id AS roleId, member_id AS memberId, level, managed_by AS managedBy,
  created_at AS createdAt, updated_at AS updatedAt`;
const PROJECT_RULE = `project_id AS projectId, resource, role_id AS roleId, member_id AS memberId, level,
  created_at AS createdAt, updated_at AS updatedAt`;
const OF_SUBJECT = 'role_id IS $roleId AND member_id IS $memberId';

export function createAccessRuleStore({ all, get, has, run }: SqlDatabase): AccessRuleStore {
  const flags = all<RuledFlag>(
    `SELECT flag.id AS id, flag.key AS key, level FROM access_rule JOIN flag ON flag.id = access_rule.flag_id
     WHERE flag.project_id = $projectId AND NOT flag.deleted AND ${OF_SUBJECT} ORDER BY flag.key`,
  );
  const put = get<StoredRule>(
    `INSERT INTO access_rule (flag_id, role_id, member_id, level, created_at, updated_at)
     VALUES ($flagId, $roleId, $memberId, $level, $time, $time)
     ON CONFLICT (flag_id, ifnull(role_id, ''), ifnull(member_id, ''))
     DO UPDATE SET level = excluded.level, updated_at = excluded.updated_at
     RETURNING ${RULE}`,
  );
  const claim = run(`UPDATE access_rule SET managed_by = $managedBy WHERE flag_id = $flagId AND ${OF_SUBJECT}`);
  const lock = run('INSERT INTO locked_project (project_id) VALUES (?) ON CONFLICT DO NOTHING');
  const unlock = run('DELETE FROM locked_project WHERE project_id = ?');
  return {
    list: all<StoredRule>(`SELECT ${RULE} FROM access_rule WHERE flag_id = ? ORDER BY id`),
    listFlags: (projectId, subject) => flags({ ...subject, projectId }),
    put: (subject, level, time) => put({ ...subject, level, time }) as StoredRule,
    remove: run(`DELETE FROM access_rule WHERE flag_id = $flagId AND ${OF_SUBJECT}`),
    claim: (subject, managedBy) => claim({ ...subject, managedBy }),
    isLocked: has('SELECT project_id FROM locked_project WHERE project_id = ?'),
    setLock: (projectId, isLocked) => (isLocked ? lock : unlock)(projectId),
    hasManaged: has(
      `SELECT 1 AS found FROM access_rule JOIN flag ON flag.id = access_rule.flag_id
       WHERE flag.project_id = ? AND managed_by IS NOT NULL LIMIT 1`,
    ),
  };
}

export function createProjectAccessStore({ all, get, run }: SqlDatabase): ProjectAccessStore {
  const put = get<StoredProjectRule>(
    `INSERT INTO project_access_rule (project_id, resource, role_id, member_id, level, created_at, updated_at)
     VALUES ($projectId, $resource, $roleId, $memberId, $level, $time, $time)
     ON CONFLICT (project_id, resource, ifnull(role_id, ''), ifnull(member_id, ''))
     DO UPDATE SET level = excluded.level, updated_at = excluded.updated_at
     RETURNING ${PROJECT_RULE}`,
  );
  return {
    list: all<StoredProjectRule>(`SELECT ${PROJECT_RULE} FROM project_access_rule WHERE project_id = ? ORDER BY id`),
    put: (subject, level, time) => put({ ...subject, level, time }) as StoredProjectRule,
    remove: run(
      `DELETE FROM project_access_rule WHERE project_id = $projectId AND resource = $resource AND ${OF_SUBJECT}`,
    ),
  };
}

/** The lowest level that can edit flags. */
export const EDITOR_LEVEL = 37;

export interface StoredRole {
  readonly id: string;
  readonly name: string;
  /** 21: can only view. 37: can edit. */
  readonly accessLevel: number;
  readonly createdAt: string;
}

export interface StoredRoleAccess {
  readonly id: number;
  readonly flagId: number;
  readonly roleId: string;
  readonly addedAt: string;
}

export interface RoleStore {
  find(id: string): StoredRole | undefined;
  findByName(name: string): StoredRole[];
  /** Sorted by name. */
  list(): StoredRole[];
  remove(id: string): void;
  /** Adds a role, or renames the one with this id. */
  put(role: StoredRole): void;
  /** The flags that the role has access to. */
  listFlags(roleId: string): { readonly id: number; readonly key: string }[];
}

export interface RoleAccessStore {
  find(flagId: number, id: number): StoredRoleAccess | undefined;
  has(flagId: number, roleId: string): boolean;
  count(flagId: number): number;
  /** Sorted by granting. */
  list(flagId: number, page: { readonly limit: number; readonly offset: number }): StoredRoleAccess[];
  insert(access: Omit<StoredRoleAccess, 'id'>): StoredRoleAccess;
  remove(id: number): void;
}

const ROLE = 'id, name, access_level AS accessLevel, created_at AS createdAt';
const ACCESS = 'id, flag_id AS flagId, role_id AS roleId, created_at AS addedAt';
const MAY_EDIT = "role_id IS NOT NULL AND level IN ('editor', 'manager')";

export function createRoleStore({ all, get, run }: SqlDatabase): RoleStore {
  return {
    find: get<StoredRole>(`SELECT ${ROLE} FROM role WHERE id = ?`),
    findByName: all<StoredRole>(`SELECT ${ROLE} FROM role WHERE name = ? ORDER BY id`),
    list: all<StoredRole>(`SELECT ${ROLE} FROM role ORDER BY name, id`),
    remove: run('DELETE FROM role WHERE id = ?'),
    put: run(
      `INSERT INTO role (id, name, access_level, created_at) VALUES ($id, $name, $accessLevel, $createdAt)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
    ),
    listFlags: all<{ id: number; key: string }>(
      `SELECT flag.id AS id, flag.key AS key FROM access_rule JOIN flag ON flag.id = access_rule.flag_id
       WHERE access_rule.role_id = ? AND ${MAY_EDIT} ORDER BY access_rule.id`,
    ),
  };
}

export function createRoleAccessStore({ all, get, has, run }: SqlDatabase): RoleAccessStore {
  const from = (what: string): string => `SELECT ${what} FROM access_rule WHERE ${MAY_EDIT} AND flag_id = ?`;
  const count = get<{ number: number }>(from('count(*) AS number'));
  const page = all<StoredRoleAccess>(`${from(ACCESS)} ORDER BY id LIMIT ? OFFSET ?`);
  // A rule with a lower level, which only the other profile shows, becomes this entry.
  const insert = get<{ id: number }>(
    `INSERT INTO access_rule (flag_id, role_id, level, created_at, updated_at)
     VALUES ($flagId, $roleId, 'editor', $addedAt, $addedAt)
     ON CONFLICT (flag_id, ifnull(role_id, ''), ifnull(member_id, '')) DO UPDATE SET level = excluded.level
     RETURNING id`,
  );
  return {
    find: get<StoredRoleAccess>(`${from(ACCESS)} AND id = ?`),
    has: has(`${from('1')} AND role_id = ?`),
    count: (flagId) => count(flagId)?.number ?? 0,
    list: (flagId, { limit, offset }) => page(flagId, limit, offset),
    insert: (access) => ({ ...access, ...(insert(access) as { id: number }) }),
    remove: run('DELETE FROM access_rule WHERE id = ?'),
  };
}

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

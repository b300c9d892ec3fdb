/** Queries on roles, and on the role access of 2023: the access rules by which a role may edit a flag. */

import type { SqlDatabase } from './database.ts';

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

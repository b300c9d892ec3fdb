/** Queries on roles and their access to flags. */

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
  /** Adds a role, or renames the one with this id. */
  put(role: StoredRole): void;
  /** The flags that the role has access to. */
  listFlags(roleId: string): { readonly id: number; readonly key: string }[];
}

export interface RoleAccessStore {
  find(flagId: number, id: number): StoredRoleAccess | undefined;
  has(flagId: number, roleId: string): boolean;
  count(flagId: number): number;
  /** In the order of granting. */
  list(flagId: number, page: { readonly limit: number; readonly offset: number }): StoredRoleAccess[];
  insert(access: Omit<StoredRoleAccess, 'id'>): StoredRoleAccess;
  remove(id: number): void;
}

const ROLE = 'id, name, access_level AS accessLevel, created_at AS createdAt';
const ACCESS = 'id, flag_id AS flagId, role_id AS roleId, added_at AS addedAt';

export function createRoleStore(database: SqlDatabase): RoleStore {
  const byId = database.prepare(`SELECT ${ROLE} FROM role WHERE id = ?`);
  const byName = database.prepare(`SELECT ${ROLE} FROM role WHERE name = ? ORDER BY id`);
  const put = database.prepare(
    `INSERT INTO role (id, name, access_level, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
  );
  const flags = database.prepare(
    `SELECT flag.id AS id, flag.key AS key FROM role_access JOIN flag ON flag.id = role_access.flag_id
     WHERE role_access.role_id = ? ORDER BY role_access.id`,
  );
  return {
    find: (id) => byId.get([id]) as StoredRole | undefined,
    findByName: (name) => byName.all([name]) as StoredRole[],
    put: (role) => void put.run([role.id, role.name, role.accessLevel, role.createdAt]),
    listFlags: (roleId) => (flags.all([roleId]) as { id: number; key: string }[]).map(({ id, key }) => ({ id, key })),
  };
}

export function createRoleAccessStore(database: SqlDatabase): RoleAccessStore {
  const byId = database.prepare(`SELECT ${ACCESS} FROM role_access WHERE flag_id = ? AND id = ?`);
  const byRole = database.prepare('SELECT 1 FROM role_access WHERE flag_id = ? AND role_id = ?');
  const count = database.prepare('SELECT count(*) AS number FROM role_access WHERE flag_id = ?');
  const page = database.prepare(`SELECT ${ACCESS} FROM role_access WHERE flag_id = ? ORDER BY id LIMIT ? OFFSET ?`);
  const insert = database.prepare('INSERT INTO role_access (flag_id, role_id, added_at) VALUES (?, ?, ?) RETURNING id');
  const remove = database.prepare('DELETE FROM role_access WHERE id = ?');
  return {
    find: (flagId, id) => byId.get([flagId, id]) as StoredRoleAccess | undefined,
    has: (flagId, roleId) => byRole.get([flagId, roleId]) !== undefined,
    count: (flagId) => (count.get([flagId]) as { number: number }).number,
    list: (flagId, { limit, offset }) => page.all([flagId, limit, offset]) as StoredRoleAccess[],
    insert: (access) => {
      const row = insert.get([access.flagId, access.roleId, access.addedAt]) as { id: number };
      return { ...access, id: row.id };
    },
    remove: (id) => void remove.run([id]),
  };
}

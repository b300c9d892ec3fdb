/** Queries on group types and groups, such as the companies of persons. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

interface StoredGroup {
  readonly typeIndex: number;
  readonly key: string;
  /** The displayed name; the key if no name is known. */
  readonly name: string;
  readonly properties: JsonObject;
}

export interface GroupStore {
  /** Adds a group, or replaces it. */
  put(projectId: string, group: StoredGroup): void;
  find(projectId: string, typeIndex: number, key: string): StoredGroup | undefined;
  list(projectId: string, typeIndex: number): StoredGroup[];
  putType(projectId: string, typeIndex: number, name: string): void;
  /** Names of group types by index. */
  types(projectId: string): Record<string, string>;
}

const GROUP = 'group_type_index AS typeIndex, key, name, properties';

export function createGroupStore(database: SqlDatabase): GroupStore {
  const put = database.prepare(
    'INSERT OR REPLACE INTO group_name (project_id, group_type_index, key, name, properties) VALUES (?, ?, ?, ?, ?)',
  );
  const one = database.prepare(
    `SELECT ${GROUP} FROM group_name WHERE project_id = ? AND group_type_index = ? AND key = ?`,
  );
  const all = database.prepare(
    `SELECT ${GROUP} FROM group_name WHERE project_id = ? AND group_type_index = ? ORDER BY key`,
  );
  const putType = database.prepare('INSERT OR REPLACE INTO group_type VALUES (?, ?, ?)');
  const types = database.prepare(
    'SELECT group_type_index AS typeIndex, name FROM group_type WHERE project_id = ? ORDER BY group_type_index',
  );
  return {
    put: (projectId, { typeIndex, key, name, properties }) =>
      void put.run([projectId, typeIndex, key, name, stringifyJson(properties)]),
    find: (projectId, typeIndex, key) => {
      const row = one.get([projectId, typeIndex, key]);
      return row === undefined ? undefined : parseGroup(row);
    },
    list: (projectId, typeIndex) => all.all([projectId, typeIndex]).map(parseGroup),
    putType: (projectId, typeIndex, name) => void putType.run([projectId, typeIndex, name]),
    types: (projectId) => {
      const rows = types.all([projectId]) as { typeIndex: number; name: string }[];
      return Object.fromEntries(rows.map(({ typeIndex, name }) => [String(typeIndex), name]));
    },
  };
}

function parseGroup(found: unknown): StoredGroup {
  const { typeIndex, key, name, properties } = found as Omit<StoredGroup, 'properties'> & { properties: string };
  return { typeIndex, key, name, properties: parseJson(properties) as JsonObject };
}

/** Queries on early access features, each of which offers one flag to people who enrol. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

export interface StoredFeature {
  readonly id: string;
  readonly projectId: string;
  /** Null once the flag was removed for good. */
  readonly flagId: number | null;
  /** Other members, by their names in the interface. */
  readonly fields: JsonObject;
}

export interface EarlyAccessFeatureStore {
  insert(feature: StoredFeature): void;
  update(feature: Pick<StoredFeature, 'id' | 'fields'>): void;
  remove(id: string): void;
  find(projectId: string, id: string): StoredFeature | undefined;
  /** Sorted by creation. */
  list(projectId: string): StoredFeature[];
  listByFlag(flagId: number): StoredFeature[];
}

const COLUMNS = 'id, project_id AS projectId, flag_id AS flagId, fields';

export function createEarlyAccessFeatureStore(database: SqlDatabase): EarlyAccessFeatureStore {
  const select = (where: string) =>
    database.prepare(`SELECT ${COLUMNS} FROM early_access_feature WHERE ${where} ORDER BY number`);
  const byId = select('project_id = ? AND id = ?');
  const byProject = select('project_id = ?');
  const byFlag = select('flag_id = ?');
  const insert = database.prepare(
    'INSERT INTO early_access_feature (id, project_id, flag_id, fields) VALUES (?, ?, ?, ?)',
  );
  const update = database.prepare('UPDATE early_access_feature SET fields = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM early_access_feature WHERE id = ?');
  return {
    insert: ({ id, projectId, flagId, fields }) => void insert.run([id, projectId, flagId, stringifyJson(fields)]),
    update: ({ id, fields }) => void update.run([stringifyJson(fields), id]),
    remove: (id) => void remove.run([id]),
    find: (projectId, id) => byId.all([projectId, id]).map(parseFeature)[0],
    list: (projectId) => byProject.all([projectId]).map(parseFeature),
    listByFlag: (flagId) => byFlag.all([flagId]).map(parseFeature),
  };
}

function parseFeature(found: unknown): StoredFeature {
  const { fields, ...columns } = found as Omit<StoredFeature, 'fields'> & { readonly fields: string };
  return { ...columns, fields: parseJson(fields) as JsonObject };
}

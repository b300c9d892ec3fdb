/** Queries on early access features, each of which offers one flag to people who enroll. */

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

export function createEarlyAccessFeatureStore({ all, get, run }: SqlDatabase): EarlyAccessFeatureStore {
  const select = (where: string): string =>
    `SELECT ${COLUMNS} FROM early_access_feature WHERE ${where} ORDER BY number`;
  return {
    insert: run(
      'INSERT INTO early_access_feature (id, project_id, flag_id, fields) VALUES ($id, $projectId, $flagId, $fields)',
    ),
    update: run('UPDATE early_access_feature SET fields = $fields WHERE id = $id'),
    remove: run('DELETE FROM early_access_feature WHERE id = ?'),
    find: get<StoredFeature>(select('project_id = ? AND id = ?')),
    list: all<StoredFeature>(select('project_id = ?')),
    listByFlag: all<StoredFeature>(select('flag_id = ?')),
  };
}

/** Queries on objects of which most members are stored as they are answered: kept ones, early access features and scheduled changes. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

interface KeptPlace {
  readonly kind: string;
  /** Null: of the organization. */
  readonly projectId: string | null;
}

export interface KeptObject extends KeptPlace {
  readonly id: string;
  /** The fields by their names in the interface. */
  readonly fields: JsonObject;
}

export interface KeptObjectStore {
  /** An object without `id` gets the next free number. */
  insert(object: Omit<KeptObject, 'id'> & { readonly id: string | undefined }): KeptObject;
  update(object: KeptObject): void;
  remove(object: KeptObject): void;
  find(place: KeptPlace, id: string): KeptObject | undefined;
  /** Sorted by creation. */
  list(place: KeptPlace): KeptObject[];
}

const OBJECT = 'kind, project_id AS projectId, ifnull(id, CAST(number AS TEXT)) AS id, fields';
const ONE = 'kind = $kind AND project_id IS $projectId AND ifnull(id, CAST(number AS TEXT)) = $id';

export function createKeptObjectStore({ all, get, run }: SqlDatabase): KeptObjectStore {
  const one = get<KeptObject>(`SELECT ${OBJECT} FROM kept_object WHERE ${ONE}`);
  const insert = get<KeptObject>(
    `INSERT INTO kept_object (kind, project_id, id, fields) VALUES ($kind, $projectId, $id, $fields) RETURNING ${OBJECT}`,
  );
  return {
    insert: (object) => insert(object) as KeptObject,
    update: run(`UPDATE kept_object SET fields = $fields WHERE ${ONE}`),
    remove: run(`DELETE FROM kept_object WHERE ${ONE}`),
    find: (place, id) => one({ ...place, id }),
    list: all<KeptObject>(
      `SELECT ${OBJECT} FROM kept_object WHERE kind = $kind AND project_id IS $projectId ORDER BY number`,
    ),
  };
}

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

export interface StoredSchedule {
  readonly id: number;
  readonly flagId: number;
  /**
   * The members that do not follow from project and flag, by the names of the interface; `change_request` is the id of the bound one.
   * `failure_count` is not shown.
   */
  readonly fields: JsonObject;
}

export interface ScheduledChangeStore {
  /** Gives a schedule without an id the next free one, which it returns. Throws when the id is taken. */
  insert(projectId: string, schedule: Omit<StoredSchedule, 'id'> & { readonly id?: number }): number;
  update(projectId: string, schedule: Pick<StoredSchedule, 'id' | 'fields'>): void;
  remove(projectId: string, id: number): void;
  /** Sorted by id. */
  list(projectId: string): StoredSchedule[];
  /** Whether a schedule that is still to run carries the change request. */
  isBound(projectId: string, requestId: string): boolean;
}

export function createScheduledChangeStore({ all, get, run }: SqlDatabase): ScheduledChangeStore {
  const insert = get<{ id: number }>(
    `INSERT INTO scheduled_change (id, project_id, flag_id, fields) VALUES ($id, $projectId, $flagId, $fields)
     RETURNING id`,
  );
  const update = run('UPDATE scheduled_change SET fields = $fields WHERE project_id = $projectId AND id = $id');
  const list = all<StoredSchedule>(
    'SELECT id, flag_id AS flagId, fields FROM scheduled_change WHERE project_id = ? ORDER BY id',
  );
  return {
    insert: (projectId, schedule) => (insert({ id: null, ...schedule, projectId }) as { id: number }).id,
    update: (projectId, schedule) => update({ ...schedule, projectId }),
    remove: run('DELETE FROM scheduled_change WHERE project_id = ? AND id = ?'),
    list,
    isBound: (projectId, requestId) =>
      list(projectId).some(({ fields }) => fields['executed_at'] === null && fields['change_request'] === requestId),
  };
}

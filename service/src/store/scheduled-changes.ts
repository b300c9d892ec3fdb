/** Queries on scheduled changes of flags. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

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

export function createScheduledChangeStore(database: SqlDatabase): ScheduledChangeStore {
  const insert = database.prepare('INSERT INTO scheduled_change (id, project_id, flag_id, fields) VALUES (?, ?, ?, ?)');
  const update = database.prepare('UPDATE scheduled_change SET fields = ? WHERE project_id = ? AND id = ?');
  const remove = database.prepare('DELETE FROM scheduled_change WHERE project_id = ? AND id = ?');
  const list = database.prepare(
    'SELECT id, flag_id AS flagId, fields FROM scheduled_change WHERE project_id = ? ORDER BY id',
  );
  const listAll = (projectId: string): StoredSchedule[] =>
    (list.all([projectId]) as { id: number; flagId: number; fields: string }[]).map(({ fields, ...others }) => ({
      ...others,
      fields: parseJson(fields) as JsonObject,
    }));
  return {
    insert: (projectId, { id, flagId, fields }) =>
      Number(insert.run([id ?? null, projectId, flagId, stringifyJson(fields)]).lastInsertRowid),
    update: (projectId, { id, fields }) => void update.run([stringifyJson(fields), projectId, id]),
    remove: (projectId, id) => void remove.run([projectId, id]),
    list: listAll,
    isBound: (projectId, requestId) =>
      listAll(projectId).some(({ fields }) => fields['executed_at'] === null && fields['change_request'] === requestId),
  };
}

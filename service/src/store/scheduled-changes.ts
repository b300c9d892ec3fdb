/** Queries on scheduled changes of flags. */

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

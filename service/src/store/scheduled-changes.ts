/** Queries on the changes of flags that the service is to make later. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

export interface StoredSchedule {
  readonly id: number;
  readonly flagId: number;
  /** The members that do not follow from project and flag, by the names of the interface. */
  readonly fields: JsonObject;
}

export interface ScheduledChangeStore {
  /** Gives a schedule without an id the next free one. Throws when the id is taken. */
  insert(projectId: string, schedule: Omit<StoredSchedule, 'id'> & { readonly id?: number }): void;
  /** Sorted by id. */
  list(projectId: string): StoredSchedule[];
}

export function createScheduledChangeStore(database: SqlDatabase): ScheduledChangeStore {
  const insert = database.prepare('INSERT INTO scheduled_change (id, project_id, flag_id, fields) VALUES (?, ?, ?, ?)');
  const list = database.prepare(
    'SELECT id, flag_id AS flagId, fields FROM scheduled_change WHERE project_id = ? ORDER BY id',
  );
  return {
    insert: (projectId, { id, flagId, fields }) =>
      void insert.run([id ?? null, projectId, flagId, stringifyJson(fields)]),
    list: (projectId) =>
      (list.all([projectId]) as { id: number; flagId: number; fields: string }[]).map(({ fields, ...others }) => ({
        ...others,
        fields: parseJson(fields) as JsonObject,
      })),
  };
}

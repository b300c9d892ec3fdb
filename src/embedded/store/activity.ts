/** The queries on the activity log: entries are added and read, never changed. */

import type { JsonObject } from '../../base/json.ts';
import type { SqlDatabase } from './database.ts';

export interface ActivityStore {
  add(entry: JsonObject, of: { readonly projectId: string; readonly flagId: number }): void;
  /** Newest first; of one flag, or with `flagId` null of the project. */
  list(
    of: { readonly projectId: string; readonly flagId: number | null },
    page: { readonly limit: number; readonly offset: number },
  ): { readonly total: number; readonly entries: JsonObject[] };
}

export function createActivityStore(database: SqlDatabase): ActivityStore {
  const add = database.prepare('INSERT INTO activity (project_id, flag_id, entry) VALUES (?, ?, ?)');
  const queries = (where: string) => ({
    count: database.prepare(`SELECT count(*) AS number FROM activity WHERE ${where}`),
    page: database.prepare(`SELECT entry FROM activity WHERE ${where} ORDER BY number DESC LIMIT ? OFFSET ?`),
  });
  const whole = queries('project_id = ?');
  const single = queries('project_id = ? AND flag_id = ?');
  return {
    add: (entry, of) => void add.run([of.projectId, of.flagId, JSON.stringify(entry)]),
    list: ({ projectId, flagId }, { limit, offset }) => {
      const { count, page } = flagId === null ? whole : single;
      const values = flagId === null ? [projectId] : [projectId, flagId];
      const rows = page.all([...values, limit, offset]) as { entry: string }[];
      return {
        total: (count.get(values) as { number: number }).number,
        entries: rows.map((row) => JSON.parse(row.entry) as JsonObject),
      };
    },
  };
}

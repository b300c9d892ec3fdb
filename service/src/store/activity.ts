/** Queries on the activity log, whose entries are never changed. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

export type ActivityScope = 'FeatureFlag' | 'Person' | 'Cohort';

export interface ActivityStore {
  add(
    entry: JsonObject,
    of: { readonly projectId: string; readonly scope: ActivityScope; readonly itemId: number },
  ): void;
  /** Newest first; of one flag or person, or of the whole project with `itemId` null. */
  list(
    of: { readonly projectId: string; readonly scope: ActivityScope; readonly itemId: number | null },
    page: { readonly limit: number; readonly offset: number },
  ): { readonly total: number; readonly entries: JsonObject[] };
}

export function createActivityStore(database: SqlDatabase): ActivityStore {
  const add = database.prepare('INSERT INTO activity (project_id, scope, item_id, entry) VALUES (?, ?, ?, ?)');
  const queries = (where: string) => ({
    count: database.prepare(`SELECT count(*) AS number FROM activity WHERE ${where}`),
    page: database.prepare(`SELECT entry FROM activity WHERE ${where} ORDER BY number DESC LIMIT ? OFFSET ?`),
  });
  const whole = queries('project_id = ? AND scope = ?');
  const single = queries('project_id = ? AND scope = ? AND item_id = ?');
  return {
    add: (entry, of) => void add.run([of.projectId, of.scope, of.itemId, stringifyJson(entry)]),
    list: ({ projectId, scope, itemId }, { limit, offset }) => {
      const { count, page } = itemId === null ? whole : single;
      const values = itemId === null ? [projectId, scope] : [projectId, scope, itemId];
      const rows = page.all([...values, limit, offset]) as { entry: string }[];
      return {
        total: (count.get(values) as { number: number }).number,
        entries: rows.map((row) => parseJson(row.entry) as JsonObject),
      };
    },
  };
}

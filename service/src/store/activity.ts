/** Queries on the activity log, whose entries are never changed. */

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

export function createActivityStore({ all, get, run }: SqlDatabase): ActivityStore {
  const add = run(
    'INSERT INTO activity (project_id, scope, item_id, entry) VALUES ($projectId, $scope, $itemId, $entry)',
  );
  const queries = (where: string) => ({
    count: get<{ number: number }>(`SELECT count(*) AS number FROM activity WHERE ${where}`),
    page: all<{ entry: JsonObject }>(
      `SELECT entry FROM activity WHERE ${where} ORDER BY number DESC LIMIT $limit OFFSET $offset`,
    ),
  });
  const whole = queries('project_id = $projectId AND scope = $scope');
  const single = queries('project_id = $projectId AND scope = $scope AND item_id = $itemId');
  return {
    add: (entry, of) => add({ ...of, entry }),
    list: (of, page) => {
      const found = of.itemId === null ? whole : single;
      return { total: found.count(of)?.number ?? 0, entries: found.page({ ...of, ...page }).map(({ entry }) => entry) };
    },
  };
}

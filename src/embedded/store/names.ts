/** The names of cohorts and groups, which conditions refer to and the service shows beside them. */

import type { SqlDatabase } from './database.ts';

export interface NameStore {
  putCohort(projectId: string, id: number, name: string | null): void;
  /** `undefined`: there is no such cohort. */
  cohort(projectId: string, id: number): { readonly name: string | null } | undefined;
  putGroup(projectId: string, group: { readonly typeIndex: number; readonly key: string; readonly name: string }): void;
  groupName(projectId: string, typeIndex: number, key: string): string | undefined;
}

export function createNameStore(database: SqlDatabase): NameStore {
  const putCohort = database.prepare(
    `INSERT INTO cohort (project_id, id, name) VALUES (?, ?, ?)
     ON CONFLICT (project_id, id) DO UPDATE SET name = coalesce(excluded.name, name)`,
  );
  const cohort = database.prepare('SELECT name FROM cohort WHERE project_id = ? AND id = ?');
  const putGroup = database.prepare('INSERT OR REPLACE INTO group_name VALUES (?, ?, ?, ?)');
  const group = database.prepare(
    'SELECT name FROM group_name WHERE project_id = ? AND group_type_index = ? AND key = ?',
  );
  return {
    putCohort: (projectId, id, name) => void putCohort.run([projectId, id, name]),
    cohort: (projectId, id) => cohort.get([projectId, id]) as { name: string | null } | undefined,
    putGroup: (projectId, { typeIndex, key, name }) => void putGroup.run([projectId, typeIndex, key, name]),
    groupName: (projectId, typeIndex, key) =>
      (group.get([projectId, typeIndex, key]) as { name: string } | undefined)?.name,
  };
}

/** Remembers the flags of the last declaration, also across restarts. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import type { SqlDatabase } from './database.ts';

export interface DeclaredFlagStore {
  /** Ids of the flags of the last declaration, without those removed for good. */
  ids(projectId: string): number[];
  replace(projectId: string, ids: readonly number[]): void;
}

export function createDeclaredFlagStore(database: SqlDatabase): DeclaredFlagStore {
  const all = database.prepare(
    'SELECT flag_id AS id FROM declared_flag JOIN flag ON flag.id = flag_id WHERE project_id = ? ORDER BY flag_id',
  );
  const clear = database.prepare(
    'DELETE FROM declared_flag WHERE flag_id IN (SELECT id FROM flag WHERE project_id = ?)',
  );
  const insert = database.prepare('INSERT INTO declared_flag SELECT value FROM json_each(?)');
  return {
    ids: (projectId) => (all.all([projectId]) as { id: number }[]).map(({ id }) => id),
    replace: (projectId, ids) => {
      clear.run([projectId]);
      insert.run([stringifyJson(ids)]);
    },
  };
}

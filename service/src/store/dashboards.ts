/** The dashboards of flags, which are not served themselves. */

import type { SqlDatabase } from './database.ts';
import type { StoredFlag } from './flag.ts';
import { versionReader } from './memory.ts';

export interface Dashboards {
  /** The ids of the dashboards of all flags, deleted ones included. */
  all(projectId: string): ReadonlySet<number>;
  /** One more than the largest id. */
  next(projectId: string): number;
  /** Called with each flag that is written. */
  note(flag: Pick<StoredFlag, 'projectId' | 'fields'>): void;
  /** Called when a flag is removed, and when a transaction is rolled back. */
  forget(): void;
}

/** The largest id is kept, so that a new flag does not read all others. */
export function createDashboards(database: SqlDatabase): Dashboards {
  const readVersion = versionReader(database);
  const used = database.prepare(
    `SELECT json_extract(fields, '$.usage_dashboard') AS id FROM flag WHERE project_id = ?1
     UNION SELECT dashboard.value FROM flag, json_each(fields, '$.analytics_dashboards') AS dashboard WHERE project_id = ?1`,
  );
  const all: Dashboards['all'] = (projectId) => {
    const ids = (used.all([projectId]) as { id: unknown }[]).map(({ id }) => id);
    return new Set(ids.filter((id) => typeof id === 'number'));
  };
  const largest = new Map<string, number>();
  let seen = -1;
  return {
    all,
    next: (projectId) => {
      const version = readVersion();
      if (version !== seen) largest.clear();
      seen = version;
      const known = largest.get(projectId) ?? Math.max(0, ...all(projectId));
      largest.set(projectId, known);
      return known + 1;
    },
    note: ({ projectId, fields: { usage_dashboard: own, analytics_dashboards: others } }) => {
      const known = largest.get(projectId);
      if (known === undefined) return;
      const ids = [own, ...(Array.isArray(others) ? (others as unknown[]) : [])];
      largest.set(projectId, Math.max(known, ...ids.filter((id) => typeof id === 'number')));
    },
    forget: () => largest.clear(),
  };
}

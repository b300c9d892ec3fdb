/** Queries on flags. */

import { parseMicroseconds } from '../format/timestamp.ts';
import type { SqlDatabase } from './database.ts';
import { type FlagRow, type StoredFlag, parseFlag, parseFlags } from './flag.ts';
import { createFlagLists, type FlagLists } from './flag-lists.ts';
import type { KeptFlags } from './kept-flags.ts';
import { versionReader } from './memory.ts';

/** A new flag; without `id` it gets the next free one. */
export type NewFlag = Omit<StoredFlag, 'id'> & { readonly id?: number };

export interface FlagStore extends FlagLists {
  /** Includes deleted flags. */
  find(projectId: string, id: number): StoredFlag | undefined;
  /** Includes deleted flags. */
  findByKey(projectId: string, key: string): StoredFlag | undefined;
  /** Whether the project has no flags, deleted ones included. */
  isEmpty(projectId: string): boolean;
  /** Flags that are not deleted and may have conditions on other flags. */
  withDependencies(projectId: string): StoredFlag[];
  /** Flags that are not deleted and may have conditions on cohorts. */
  withCohorts(projectId: string): StoredFlag[];
  readonly dashboards: Pick<Dashboards, 'all' | 'next'>;
  /** Whether the project accepts filters with rules. */
  acceptsRules(projectId: string): boolean;
  openForRules(projectId: string): void;
  /** Whether the project has `property_matching_version` 2. */
  matchesExplicitly(projectId: string): boolean;
  matchExplicitly(projectId: string): void;
  insert(flag: NewFlag): StoredFlag;
  update(flag: StoredFlag): void;
  remove(id: number): void;
}

interface RememberedFlags {
  readonly kept: KeptFlags;
  readonly dashboards: Dashboards;
}

const COLUMNS = 'key, name, active, deleted, archived, version, created_at, created_order, fields, filters';
const VALUES = '$key, $name, $active, $deleted, $archived, $version, $createdAt, $createdOrder, $fields, $filters';

export function createFlagStore(database: SqlDatabase, { kept, dashboards }: RememberedFlags): FlagStore {
  const { all, get, has, run } = database;
  const byId = get<FlagRow>('SELECT * FROM flag WHERE project_id = ? AND id = ?');
  const byKey = get<FlagRow>('SELECT * FROM flag WHERE project_id = ? AND key = ?');
  const exists = has('SELECT 1 FROM flag WHERE project_id = ? LIMIT 1');
  const mentioning = all<FlagRow>(
    'SELECT * FROM flag WHERE project_id = ? AND deleted = 0 AND instr(filters, ?) > 0 ORDER BY id',
  );
  const insert = get<{ id: number }>(
    `INSERT INTO flag (id, project_id, ${COLUMNS}) VALUES ($id, $projectId, ${VALUES}) RETURNING id`,
  );
  const update = run(`UPDATE flag SET (${COLUMNS}) = (${VALUES}) WHERE id = $id`);
  const remove = run('DELETE FROM flag WHERE id = ?');
  return {
    find: (projectId, id) => parseFlag(byId(projectId, id)),
    findByKey: (projectId, key) => parseFlag(byKey(projectId, key)),
    isEmpty: (projectId) => !exists(projectId),
    withDependencies: (projectId) => parseFlags(mentioning(projectId, '"flag_evaluates_to"')),
    withCohorts: (projectId) => parseFlags(mentioning(projectId, '"cohort"')),
    dashboards,
    ...createFlagLists(database, kept),
    acceptsRules: has('SELECT 1 FROM rule_project WHERE project_id = ?'),
    openForRules: run('INSERT INTO rule_project (project_id) VALUES (?) ON CONFLICT DO NOTHING'),
    matchesExplicitly: has('SELECT 1 FROM explicit_project WHERE project_id = ?'),
    matchExplicitly: run('INSERT INTO explicit_project VALUES (?) ON CONFLICT DO NOTHING'),
    insert: (flag) => {
      dashboards.note(flag);
      const row = insert({ id: null, ...flag, createdOrder: parseMicroseconds(flag.createdAt) }) as { id: number };
      return { ...flag, id: row.id };
    },
    update: (flag) => {
      kept.forget(flag.id);
      dashboards.note(flag);
      update({ ...flag, createdOrder: parseMicroseconds(flag.createdAt) });
    },
    remove: (id) => {
      kept.forget(id);
      dashboards.forget();
      remove(id);
    },
  };
}

interface Dashboards {
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
  const used = database.all<{ id: unknown }>(
    `SELECT json_extract(fields, '$.usage_dashboard') AS id FROM flag WHERE project_id = ?1
     UNION SELECT dashboard.value FROM flag, json_each(fields, '$.analytics_dashboards') AS dashboard WHERE project_id = ?1`,
  );
  const all: Dashboards['all'] = (projectId) => {
    const ids = used(projectId).map(({ id }) => id);
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

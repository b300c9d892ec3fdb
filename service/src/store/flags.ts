/** Queries on flags. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { parseMicroseconds } from '../format/timestamp.ts';
import type { SqlDatabase } from './database.ts';
import { type StoredFlag, parseFlag, parseFlags } from './flag.ts';
import type { SqlValue } from './flag-conditions.ts';
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

export function createFlagStore(database: SqlDatabase, { kept, dashboards }: RememberedFlags): FlagStore {
  const byId = database.prepare('SELECT * FROM flag WHERE project_id = ? AND id = ?');
  const byKey = database.prepare('SELECT * FROM flag WHERE project_id = ? AND key = ?');
  const any = database.prepare('SELECT 1 FROM flag WHERE project_id = ? LIMIT 1');
  const dependent = database.prepare(
    `SELECT * FROM flag WHERE project_id = ? AND deleted = 0 AND instr(filters, '"flag_evaluates_to"') > 0 ORDER BY id`,
  );
  const onCohorts = database.prepare(
    `SELECT * FROM flag WHERE project_id = ? AND deleted = 0 AND instr(filters, '"cohort"') > 0 ORDER BY id`,
  );
  const opened = database.prepare('SELECT 1 FROM rule_project WHERE project_id = ?');
  const open = database.prepare('INSERT INTO rule_project (project_id) VALUES (?) ON CONFLICT DO NOTHING');
  const explicit = database.prepare('SELECT 1 FROM explicit_project WHERE project_id = ?');
  const makeExplicit = database.prepare('INSERT INTO explicit_project VALUES (?) ON CONFLICT DO NOTHING');
  const insert = database.prepare(
    `INSERT INTO flag (id, project_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  );
  const update = database.prepare(`UPDATE flag SET (${COLUMNS}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`);
  const remove = database.prepare('DELETE FROM flag WHERE id = ?');
  return {
    find: (projectId, id) => parseFlag(byId.get([projectId, id])),
    findByKey: (projectId, key) => parseFlag(byKey.get([projectId, key])),
    isEmpty: (projectId) => any.get([projectId]) === undefined,
    withDependencies: (projectId) => parseFlags(dependent.all([projectId])),
    withCohorts: (projectId) => parseFlags(onCohorts.all([projectId])),
    dashboards,
    ...createFlagLists(database, kept),
    acceptsRules: (projectId) => opened.get([projectId]) !== undefined,
    openForRules: (projectId) => void open.run([projectId]),
    matchesExplicitly: (projectId) => explicit.get([projectId]) !== undefined,
    matchExplicitly: (projectId) => void makeExplicit.run([projectId]),
    insert: (flag) => {
      dashboards.note(flag);
      const row = insert.get([flag.id ?? null, flag.projectId, ...columnValues(flag)]) as { id: number };
      return { ...flag, id: row.id };
    },
    update: (flag) => {
      kept.forget(flag.id);
      dashboards.note(flag);
      update.run([...columnValues(flag), flag.id]);
    },
    remove: (id) => {
      kept.forget(id);
      dashboards.forget();
      remove.run([id]);
    },
  };
}

function columnValues(flag: NewFlag): SqlValue[] {
  return [
    flag.key,
    flag.name,
    Number(flag.active),
    Number(flag.deleted),
    Number(flag.archived),
    flag.version,
    flag.createdAt,
    parseMicroseconds(flag.createdAt),
    stringifyJson(flag.fields),
    stringifyJson(flag.filters),
  ];
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

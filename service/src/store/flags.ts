/** Queries on flags: single ones, pages by a filter, and those whose parsed form is kept. */

import { parseMicroseconds } from '../format/timestamp.ts';
import type { SqlDatabase, SqlValue } from './database.ts';
import { type FlagRow, type StoredFlag, parseFlag, parseFlags } from './flag.ts';
import { versionReader } from './memory.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';

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

const COLUMNS = 'key, name, active, deleted, archived, version, created_at, created_order, fields, filters';
const VALUES = '$key, $name, $active, $deleted, $archived, $version, $createdAt, $createdOrder, $fields, $filters';

export function createFlagStore(database: SqlDatabase, kept: KeptFlags, dashboards: Dashboards): FlagStore {
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

export interface FlagPage {
  readonly limit: number;
  readonly offset: number;
  /** A field by its name in the interface; default: newest first. */
  readonly order?: { readonly column: string; readonly descending: boolean };
}

interface FlagLists {
  count(projectId: string, filter: FlagSqlFilter): number;
  list(projectId: string, filter: FlagSqlFilter, page: FlagPage): StoredFlag[];
}

/** SQLite treats a negative limit as none. */
export const NO_LIMIT = -1;

/** The values of `order` and their SQL. */
const ORDER_COLUMNS: Readonly<Record<string, string>> = {
  id: 'id',
  key: 'key',
  name: 'name',
  active: 'active',
  archived: 'archived',
  version: 'version',
  created_at: 'created_order',
  updated_at: "json_extract(fields, '$.updated_at')",
  last_called_at: "json_extract(fields, '$.last_called_at')",
  created_by: "json_extract(fields, '$.created_by.id')",
};

function createFlagLists(database: SqlDatabase, kept: KeptFlags): FlagLists {
  const prepared = statementCache(database);

  function select(projectId: string, filter: FlagSqlFilter, page: FlagPage): StoredFlag[] {
    const { where, values } = flagCondition(projectId, filter);
    const ids = prepared(`SELECT id AS number FROM flag WHERE ${where} ORDER BY ${orderBy(page)} LIMIT ? OFFSET ?`);
    return kept.read(() => ids(...values, page.limit, page.offset).map((row) => row.number));
  }

  /** All flags that match, since SQL cannot count them. */
  function listTested(projectId: string, filter: FlagSqlFilter, order: Pick<FlagPage, 'order'>): StoredFlag[] {
    const { tests = [], ...inSql } = filter;
    const all = select(projectId, inSql, { ...order, limit: NO_LIMIT, offset: 0 });
    return all.filter((flag) => tests.every((test) => test(flag)));
  }

  return {
    count: (projectId, filter) => {
      if (filter.tests !== undefined) return listTested(projectId, filter, {}).length;
      const { where, values } = flagCondition(projectId, filter);
      return prepared(`SELECT count(*) AS number FROM flag WHERE ${where}`)(...values)[0]?.number ?? 0;
    },
    list: (projectId, filter, page) => {
      if (filter.tests === undefined) return select(projectId, filter, page);
      return listTested(projectId, filter, page).slice(page.offset, page.offset + page.limit);
    },
  };
}

type NumberStatement = (...values: SqlValue[]) => { readonly number: number }[];

function statementCache({ all }: SqlDatabase): (sql: string) => NumberStatement {
  const statements = new Map<string, NumberStatement>();
  return (sql) => {
    const statement = statements.get(sql) ?? all<{ number: number }>(sql);
    statements.set(sql, statement);
    return statement;
  };
}

function orderBy({ order }: FlagPage): string {
  // The id breaks ties, so that flags with equal times do not move between pages.
  const column = order && Object.hasOwn(ORDER_COLUMNS, order.column) ? ORDER_COLUMNS[order.column] : undefined;
  if (order === undefined || column === undefined) return 'created_order DESC, id DESC';
  const direction = order.descending ? 'DESC' : 'ASC';
  return `${column} ${direction}, id ${direction}`;
}

export interface FlagSqlFilter extends SqlFilter {
  /** Tests that SQL cannot express: a flag must pass each. */
  readonly tests?: readonly FlagTest[];
}

export type FlagTest = (flag: StoredFlag) => boolean;

interface SqlFilter {
  readonly archived?: boolean;
  readonly active?: boolean;
  /** The exact key, ignoring case. */
  readonly key?: string;
  /** Flags with at least one of these tags. */
  readonly tags?: readonly string[];
  readonly excludedTags?: readonly string[];
  readonly excludedKeys?: readonly string[];
  readonly type?: FlagType;
  readonly createdBy?: readonly number[];
  readonly runtime?: string;
  readonly hasContexts?: boolean;
  /** Flags with 2 to 20 variants, which can have an experiment. */
  readonly eligible?: true;
}

export type FlagType = 'boolean' | 'multivariant' | 'experiment' | 'remote_config';

const VARIANTS = `coalesce(json_array_length(filters, '$.multivariate.variants'), 0)`;
const HAS_TAG = `EXISTS (SELECT 1 FROM json_each(fields, '$.tags') AS tag
  WHERE tag.value IN (SELECT value FROM json_each(?)))`;
const CONTEXTS = `coalesce(json_array_length(fields, '$.evaluation_contexts'), 0)`;

const TYPES: Readonly<Record<FlagType, string>> = {
  boolean: `${VARIANTS} = 0`,
  multivariant: `${VARIANTS} > 0`,
  experiment: `coalesce(json_array_length(fields, '$.experiment_set'), 0) > 0`,
  remote_config: `json_extract(fields, '$.is_remote_configuration') = 1`,
};

type Term = readonly [sql: string, ...values: SqlValue[]];

const CONDITIONS: { readonly [Name in keyof SqlFilter]-?: (wanted: NonNullable<SqlFilter[Name]>) => Term } = {
  archived: (wanted) => ['archived = ?', Number(wanted)],
  active: (wanted) => ['active = ?', Number(wanted)],
  key: (wanted) => ['key = ? COLLATE NOCASE', wanted],
  tags: (wanted) => [HAS_TAG, stringifyJson(wanted)],
  excludedTags: (wanted) => [`NOT ${HAS_TAG}`, stringifyJson(wanted)],
  excludedKeys: (wanted) => ['key NOT IN (SELECT value FROM json_each(?))', stringifyJson(wanted)],
  type: (wanted) => [TYPES[wanted]],
  createdBy: (wanted) => [
    `json_extract(fields, '$.created_by.id') IN (SELECT value FROM json_each(?))`,
    stringifyJson(wanted),
  ],
  runtime: (wanted) => [`coalesce(json_extract(fields, '$.evaluation_runtime'), 'all') = ?`, wanted],
  eligible: () => [`${VARIANTS} BETWEEN 2 AND 20`],
  hasContexts: (wanted) => [`${CONTEXTS} ${wanted ? '>' : '='} 0`],
};

/** Deleted flags are never listed. An absent member does not filter. */
function flagCondition(projectId: string, filter: SqlFilter): { where: string; values: SqlValue[] } {
  const terms: Term[] = [['project_id = ?', projectId], ['deleted = 0']];
  for (const name of Object.keys(CONDITIONS) as (keyof SqlFilter)[]) {
    const wanted = filter[name];
    if (wanted !== undefined) terms.push((CONDITIONS[name] as (wanted: unknown) => Term)(wanted));
  }
  return {
    where: terms.map(([sql]) => sql).join(' AND '),
    values: terms.flatMap(([, ...values]) => values),
  };
}

interface KeptFlags {
  /** The flags whose ids `select` finds, in its order. */
  read(select: () => readonly number[]): StoredFlag[];
  /** Called before each write of the flag. */
  forget(id: number): void;
  /** Called when a transaction is rolled back, of which kept flags may be. */
  forgetAll(): void;
}

/** The characters of the stored texts of all kept flags. What is made of them takes about ten times as many bytes. */
const MOST_KEPT = 8_000_000;

/** Flags beyond `most` are parsed each time. */
export function keepFlags(database: SqlDatabase, most: number = MOST_KEPT): KeptFlags {
  const readVersion = versionReader(database);
  const rows = database.all<FlagRow & { readonly size: number }>(
    'SELECT *, length(fields) + length(filters) AS size FROM flag WHERE id IN (SELECT value FROM json_each(?))',
  );
  const kept = new Map<number, { readonly flag: StoredFlag; readonly size: number }>();
  let [seen, room] = [-1, most];
  const forget = (id: number): void => {
    room += kept.get(id)?.size ?? 0;
    kept.delete(id);
  };
  const forgetAll = (): void => {
    kept.clear();
    room = most;
  };
  const load = (ids: readonly number[]): StoredFlag[] => {
    const missing = ids.filter((id) => !kept.has(id));
    const loaded = new Map<number, StoredFlag>();
    for (const row of missing.length === 0 ? [] : rows(stringifyJson(missing))) {
      const flag = parseFlag(row);
      const { size } = row;
      if (flag === undefined) continue;
      loaded.set(flag.id, flag);
      if (size > room) continue;
      kept.set(flag.id, { flag, size });
      room -= size;
    }
    return ids.flatMap((id) => kept.get(id)?.flag ?? loaded.get(id) ?? []);
  };
  const read = (select: () => readonly number[]): StoredFlag[] => {
    const version = readVersion();
    if (version !== seen) forgetAll();
    seen = version;
    const flags = load(select());
    // Another process wrote in between: ids and flags may be of two states.
    return readVersion() === version ? flags : read(select);
  };
  return { read, forget, forgetAll };
}

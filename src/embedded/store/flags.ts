/** Queries on flags. */

import { parseJson, stringifyJson } from '../../base/json-text.ts';
import type { JsonObject } from '../../base/json.ts';
import { parseMicroseconds } from '../format/timestamp.ts';
import type { SqlDatabase } from './database.ts';
import type { StoredFlag } from './flag.ts';
import { flagCondition, type FlagFilter, type SqlValue } from './flag-conditions.ts';

export interface FlagPage {
  readonly limit: number;
  readonly offset: number;
  /** A field by its name in the interface; default: newest first. */
  readonly order?: { readonly column: string; readonly descending: boolean };
}

/** A new flag; without `id` it gets the next free one. */
export type NewFlag = Omit<StoredFlag, 'id'> & { readonly id?: number };

export interface FlagStore {
  /** Includes deleted flags. */
  find(projectId: string, id: number): StoredFlag | undefined;
  /** Includes deleted flags. */
  findByKey(projectId: string, key: string): StoredFlag | undefined;
  count(projectId: string, filter: FlagFilter): number;
  list(projectId: string, filter: FlagFilter, page: FlagPage): StoredFlag[];
  /** Whether the project has no flags, deleted ones included. */
  isEmpty(projectId: string): boolean;
  /** Flags that are not deleted and may have conditions on other flags. */
  withDependencies(projectId: string): StoredFlag[];
  insert(flag: NewFlag): StoredFlag;
  update(flag: StoredFlag): void;
  remove(id: number): void;
}

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

interface FlagRow {
  readonly id: number;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  readonly active: number;
  readonly deleted: number;
  readonly archived: number;
  readonly version: number | null;
  readonly created_at: string;
  readonly fields: string;
  readonly filters: string;
}

/** SQLite treats a negative limit as none. */
export const NO_LIMIT = -1;

const COLUMNS = 'key, name, active, deleted, archived, version, created_at, created_order, fields, filters';

export function createFlagStore(database: SqlDatabase): FlagStore {
  const byId = database.prepare('SELECT * FROM flag WHERE project_id = ? AND id = ?');
  const byKey = database.prepare('SELECT * FROM flag WHERE project_id = ? AND key = ?');
  const any = database.prepare('SELECT 1 FROM flag WHERE project_id = ? LIMIT 1');
  const dependent = database.prepare(
    `SELECT * FROM flag WHERE project_id = ? AND deleted = 0 AND instr(filters, '"flag_evaluates_to"') > 0 ORDER BY id`,
  );
  const insert = database.prepare(
    `INSERT INTO flag (id, project_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  );
  const update = database.prepare(`UPDATE flag SET (${COLUMNS}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?`);
  const remove = database.prepare('DELETE FROM flag WHERE id = ?');
  const prepared = statementCache(database);

  function select(projectId: string, filter: FlagFilter, page: FlagPage): StoredFlag[] {
    const { where, values } = flagCondition(projectId, filter);
    const sql = `SELECT * FROM flag WHERE ${where} ORDER BY ${orderBy(page)} LIMIT ? OFFSET ?`;
    return parseFlags(prepared(sql).all([...values, page.limit, page.offset]));
  }

  /** All flags that match, since SQL cannot count them. */
  function listTested(projectId: string, filter: FlagFilter, order: Pick<FlagPage, 'order'>): StoredFlag[] {
    const { tests = [], ...inSql } = filter;
    const all = select(projectId, inSql, { ...order, limit: NO_LIMIT, offset: 0 });
    return all.filter((flag) => tests.every((test) => test(flag)));
  }

  return {
    find: (projectId, id) => parseFlag(byId.get([projectId, id])),
    findByKey: (projectId, key) => parseFlag(byKey.get([projectId, key])),
    isEmpty: (projectId) => any.get([projectId]) === undefined,
    withDependencies: (projectId) => parseFlags(dependent.all([projectId])),
    count: (projectId, filter) => {
      if (filter.tests !== undefined) return listTested(projectId, filter, {}).length;
      const { where, values } = flagCondition(projectId, filter);
      const row = prepared(`SELECT count(*) AS number FROM flag WHERE ${where}`).get(values) as { number: number };
      return row.number;
    },
    list: (projectId, filter, page) => {
      if (filter.tests === undefined) return select(projectId, filter, page);
      return listTested(projectId, filter, page).slice(page.offset, page.offset + page.limit);
    },
    insert: (flag) => {
      const row = insert.get([flag.id ?? null, flag.projectId, ...columnValues(flag)]) as { id: number };
      return { ...flag, id: row.id };
    },
    update: (flag) => void update.run([...columnValues(flag), flag.id]),
    remove: (id) => void remove.run([id]),
  };
}

function statementCache(database: SqlDatabase): (sql: string) => ReturnType<SqlDatabase['prepare']> {
  const statements = new Map<string, ReturnType<SqlDatabase['prepare']>>();
  return (sql) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
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

function parseFlags(rows: readonly unknown[]): StoredFlag[] {
  return rows.map((row) => parseFlag(row)).filter((flag) => flag !== undefined);
}

function parseFlag(found: unknown): StoredFlag | undefined {
  if (found === undefined) return undefined;
  const row = found as FlagRow;
  return {
    id: row.id,
    projectId: row.project_id,
    key: row.key,
    name: row.name,
    active: row.active === 1,
    deleted: row.deleted === 1,
    archived: row.archived === 1,
    version: row.version,
    createdAt: row.created_at,
    filters: parseJson(row.filters) as JsonObject,
    fields: parseJson(row.fields) as JsonObject,
  };
}

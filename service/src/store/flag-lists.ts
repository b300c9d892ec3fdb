/** Lists and counts flags: by SQL, and by tests where SQL cannot express a filter. */

import type { SqlDatabase, SqlValue } from './database.ts';
import type { StoredFlag } from './flag.ts';
import { flagCondition, type FlagSqlFilter } from './flag-conditions.ts';
import type { KeptFlags } from './kept-flags.ts';

export interface FlagPage {
  readonly limit: number;
  readonly offset: number;
  /** A field by its name in the interface; default: newest first. */
  readonly order?: { readonly column: string; readonly descending: boolean };
}

export interface FlagLists {
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

export function createFlagLists(database: SqlDatabase, kept: KeptFlags): FlagLists {
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

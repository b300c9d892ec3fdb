/** Opens the SQLite file: sets durability and migrates the tables. */

import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'libsql';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { loadLibsql } from './libsql.ts';
import { MIGRATIONS } from './migrations.ts';

/** What queries need of it. */
export interface SqlDatabase {
  /** SQLite reads the statement at its first use: a run uses few of all. */
  prepare(sql: string): Pick<Database.Statement, 'all' | 'get' | 'iterate' | 'run'>;
  exec(sql: string): unknown;
  transaction: Database.Database['transaction'];
  close(): unknown;
}

/** What creates the current tables in an empty database, once this process has migrated one: the steps take more than twice the time. */
let tables: string | undefined;

export function openDatabase(path: string): SqlDatabase {
  const Libsql = loadLibsql();
  let database: Database.Database | undefined;
  try {
    if (path !== ':memory:') makeFile(path);
    database = new Libsql(path, { timeout: 5000 });
    database.exec('PRAGMA journal_mode = WAL');
    // FULL: a commit is on disk before it is acknowledged, so that a power failure loses no acknowledged write.
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA busy_timeout = 5000');
    database.exec('PRAGMA foreign_keys = ON');
    migrate(database, path);
    return preparingLate(database);
  } catch (error) {
    database?.close();
    if (error instanceof FlagwrightError) throw error;
    throw new FlagwrightError('file', `Cannot open the database ${path}: ${String(error)}`, { cause: error });
  }
}

/**
 * Only the owner may read the file, and git ignores it in its own folder, since it holds persons and payloads. SQLite gives its other files
 * the same mode.
 */
function makeFile(path: string): void {
  const made = mkdirSync(dirname(path), { recursive: true });
  if (made !== undefined) writeFileSync(join(made, '.gitignore'), '*\n', { flag: 'wx' });
  closeSync(openSync(path, 'a', 0o600));
}

/** Migrates a new or older file to the current tables in one transaction. */
function migrate(database: Database.Database, path: string): void {
  database
    .transaction(() => {
      const { user_version: version } = database.prepare('PRAGMA user_version').get([]) as { user_version: number };
      if (version > MIGRATIONS.length) {
        throw new FlagwrightError('file', `The database ${path} was written by a later version of flagwright`, {
          remedy: 'Use that version, or move the file away; the service then creates a new one.',
        });
      }
      const isEmpty = version === 0 && tablesOf(database) === '';
      if (isEmpty && tables !== undefined) database.exec(tables);
      else for (const step of MIGRATIONS.slice(version)) database.exec(step);
      if (isEmpty) tables ??= tablesOf(database);
      database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
}

/** What creates the tables and the indexes of a database, in their order. SQLite makes those without a text and its own ones itself. */
function tablesOf(database: Database.Database): string {
  const made = database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').all([]);
  const texts = (made as { readonly sql: string }[]).map(({ sql }) => `${sql};`);
  return texts.filter((text) => !text.startsWith('CREATE TABLE sqlite_')).join('\n');
}

function preparingLate(database: Database.Database): SqlDatabase {
  return {
    prepare: (sql) => {
      let prepared: Database.Statement | undefined;
      const statement = (): Database.Statement => (prepared ??= database.prepare(sql));
      return {
        all: (...values) => statement().all(...values),
        get: (...values) => statement().get(...values),
        iterate: (...values) => statement().iterate(...values),
        run: (...values) => statement().run(...values),
      };
    },
    exec: (sql) => database.exec(sql),
    transaction: (work) => database.transaction(work),
    close: () => database.close(),
  };
}

/** Opens the SQLite file: durability settings and tables. */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { FlaghoistError } from '../../base/errors.ts';

const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE flag (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, also not after a tombstone was removed
    project_id TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    active INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    version INTEGER,
    created_at TEXT NOT NULL,
    created_order INTEGER NOT NULL, -- created_at in microseconds
    fields TEXT NOT NULL,           -- JSON: what else the flag carries, by the names of the interface
    filters TEXT NOT NULL           -- JSON, as stored: what is only shown on reading is not in it
  );
  CREATE UNIQUE INDEX flag_key ON flag (project_id, key); -- a deleted flag occupies its key too
  CREATE INDEX flag_page ON flag (project_id, deleted, created_order DESC, id DESC, archived);
  -- Few flags have conditions on other flags; each disable and delete asks for them.
  CREATE INDEX flag_dependent ON flag (project_id) WHERE instr(filters, '"flag_evaluates_to"') > 0;
  CREATE TABLE role (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    access_level INTEGER NOT NULL,
    created_at TEXT NOT NULL
  );
  CREATE TABLE role_access (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    flag_id INTEGER NOT NULL REFERENCES flag (id) ON DELETE CASCADE,
    role_id TEXT NOT NULL REFERENCES role (id),
    added_at TEXT NOT NULL,
    UNIQUE (flag_id, role_id)
  );
  CREATE TABLE activity (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    flag_id INTEGER NOT NULL, -- no reference: the log outlives the flag
    entry TEXT NOT NULL       -- JSON, as answered
  );
  CREATE INDEX activity_page ON activity (project_id, flag_id, number DESC);
  CREATE TABLE cohort (project_id TEXT NOT NULL, id INTEGER NOT NULL, name TEXT, PRIMARY KEY (project_id, id));
  CREATE TABLE group_name (
    project_id TEXT NOT NULL,
    group_type_index INTEGER NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (project_id, group_type_index, key)
  );
`;

export type SqlDatabase = Database.Database;

export function openDatabase(path: string): SqlDatabase {
  let database: SqlDatabase | undefined;
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    database = new Database(path, { timeout: 5000 });
    database.exec('PRAGMA journal_mode = WAL');
    // FULL: a commit is on the disk before it is answered, so that a power cut loses no acknowledged write.
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA busy_timeout = 5000');
    database.exec('PRAGMA foreign_keys = ON');
    createTables(database, path);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof FlaghoistError) throw error;
    throw new FlaghoistError('file', `The database ${path} cannot be opened: ${String(error)}`, { cause: error });
  }
}

function createTables(database: SqlDatabase, path: string): void {
  database
    .transaction(() => {
      const row = database.prepare('PRAGMA user_version').get([]) as { user_version: number };
      if (row.user_version === SCHEMA_VERSION) return;
      if (row.user_version !== 0) {
        throw new FlaghoistError('file', `The database ${path} is from another version of flaghoist`, {
          remedy: 'Move the file away; the service makes a new one.',
        });
      }
      database.exec(SCHEMA);
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    })
    .immediate();
}

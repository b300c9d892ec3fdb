/** Opens the SQLite file: sets durability and migrates the tables. */

import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'libsql';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { memberOf, setMember, type JsonValue } from '../../../src/base/json.ts';
import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import { loadLibsql } from './libsql.ts';

/**
 * Statements as functions of their values: in their order, or one object with the members that the statement names (`$id`). Objects are stored as
 * JSON, booleans as 0 and 1. SQLite reads a statement at its first use: a run uses few of all.
 */
export interface SqlDatabase {
  /** `JSON_COLUMNS` are parsed. */
  readonly all: <Row>(sql: string) => (...values: SqlValues) => Row[];
  readonly get: <Row>(sql: string) => (...values: SqlValues) => Row | undefined;
  readonly has: (sql: string) => (...values: SqlValues) => boolean;
  readonly run: (sql: string) => (...values: SqlValues) => void;
  exec(sql: string): unknown;
  transaction: Database.Database['transaction'];
  close(): unknown;
}

export type SqlValue = string | number | null;
type SqlValues = readonly SqlValue[] | readonly [named: object];

const JSON_COLUMNS = ['fields', 'filters', 'properties', 'user', 'entry'];

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
  const prepare = (sql: string): (() => Database.Statement) => {
    let prepared: Database.Statement | undefined;
    return () => (prepared ??= database.prepare(sql));
  };
  const all: SqlDatabase['all'] = <Row>(sql: string) => {
    const statement = prepare(sql);
    return (...values) =>
      statement()
        .all(bindings(values))
        .map((row) => parseRow(row) as Row);
  };
  return {
    all,
    get: <Row>(sql: string) => {
      const rows = all<Row>(sql);
      return (...values) => rows(...values)[0];
    },
    has: (sql) => {
      const rows = all(sql);
      return (...values) => rows(...values).length > 0;
    },
    run: (sql) => {
      const statement = prepare(sql);
      return (...values) => void statement().run(bindings(values));
    },
    exec: (sql) => database.exec(sql),
    transaction: (work) => database.transaction(work),
    close: () => database.close(),
  };
}

function bindings(values: SqlValues): readonly SqlValue[] | Readonly<Record<string, SqlValue>> {
  const [named] = values;
  if (typeof named !== 'object' || named === null) return values as readonly SqlValue[];
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name, storable(value as JsonValue | undefined)]),
  );
}

function storable(value: JsonValue | undefined): SqlValue {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value === undefined || value === null ? null : stringifyJson(value);
}

function parseRow(found: unknown): object {
  const row = found as Record<string, JsonValue>;
  for (const name of JSON_COLUMNS) {
    const text = memberOf(row, name);
    if (typeof text === 'string') setMember(row, name, parseJson(text));
  }
  return row;
}

const FLAGS = `
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

/** Persons and events; activity of persons; members of cohorts; properties and types of groups. */
const PERSONS = `
  CREATE TABLE person (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    uuid TEXT NOT NULL,
    created_at TEXT NOT NULL,
    created_order INTEGER NOT NULL, -- created_at in microseconds
    email TEXT,                     -- the property, in lower case
    properties TEXT NOT NULL        -- JSON
  );
  CREATE UNIQUE INDEX person_uuid ON person (project_id, uuid);
  -- Also what a search for a part of an address reads: it finds all it needs in here.
  CREATE INDEX person_page ON person (project_id, created_order DESC, id DESC, email);
  CREATE INDEX person_email ON person (project_id, email, created_order DESC, id DESC);
  CREATE TABLE person_distinct_id (
    project_id TEXT NOT NULL,
    distinct_id TEXT NOT NULL,
    person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, -- the order in which the person got them
    PRIMARY KEY (project_id, distinct_id)
  ) WITHOUT ROWID;
  CREATE INDEX person_distinct_id_person ON person_distinct_id (person_id, number);
  CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    distinct_id TEXT NOT NULL,
    time INTEGER NOT NULL,   -- milliseconds since 1970
    properties TEXT NOT NULL -- JSON
  );
  CREATE INDEX event_name ON event (project_id, name, time);
  CREATE INDEX event_distinct_id ON event (project_id, distinct_id, time);
  CREATE TABLE group_type (
    project_id TEXT NOT NULL,
    group_type_index INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (project_id, group_type_index)
  );
  ALTER TABLE group_name ADD COLUMN properties TEXT NOT NULL DEFAULT '{}'; -- JSON
  ALTER TABLE cohort ADD COLUMN properties TEXT; -- JSON, the filters of a dynamic cohort; NULL: static
  CREATE TABLE cohort_person (
    project_id TEXT NOT NULL,
    cohort_id INTEGER NOT NULL,
    person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, cohort_id, person_id)
  ) WITHOUT ROWID;
  CREATE INDEX cohort_person_person ON cohort_person (person_id);
  DROP INDEX activity_page;
  ALTER TABLE activity RENAME COLUMN flag_id TO item_id;
  ALTER TABLE activity ADD COLUMN scope TEXT NOT NULL DEFAULT 'FeatureFlag';
  CREATE INDEX activity_scope ON activity (project_id, scope, number DESC);
  CREATE INDEX activity_item ON activity (project_id, scope, item_id, number DESC);
`;

/** The flags of the last declaration, so that the next one can remove those that it omits. */
const DECLARED = `
  CREATE TABLE declared_flag (flag_id INTEGER PRIMARY KEY REFERENCES flag (id) ON DELETE CASCADE);
`;

/** Access to a flag as rules with levels, of which the role access of 2023 is a part; and the members of the organization. */
const ACCESS = `
  CREATE TABLE organization_member (id TEXT PRIMARY KEY, user TEXT NOT NULL, joined_at TEXT NOT NULL); -- user: JSON
  CREATE TABLE access_rule (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    flag_id INTEGER NOT NULL REFERENCES flag (id) ON DELETE CASCADE,
    role_id TEXT REFERENCES role (id) ON DELETE CASCADE,
    member_id TEXT REFERENCES organization_member (id) ON DELETE CASCADE,
    level TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  );
  -- Without role and member the rule is for everyone.
  CREATE UNIQUE INDEX access_rule_subject ON access_rule (flag_id, ifnull(role_id, ''), ifnull(member_id, ''));
  INSERT INTO access_rule (id, flag_id, role_id, level, created_at, updated_at)
    SELECT id, flag_id, role_id, 'editor', added_at, added_at FROM role_access;
  DROP TABLE role_access;
  CREATE TABLE role_membership (
    id TEXT PRIMARY KEY,
    role_id TEXT NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    member_id TEXT NOT NULL REFERENCES organization_member (id) ON DELETE CASCADE,
    joined_at TEXT NOT NULL,
    UNIQUE (role_id, member_id)
  );
  CREATE TABLE missing_feature (name TEXT PRIMARY KEY); -- paid features that the organization does not have
`;

/** The scheduled changes of flags. */
const SCHEDULES = `
  CREATE TABLE scheduled_change (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    flag_id INTEGER NOT NULL, -- no reference: a schedule outlives its flag
    fields TEXT NOT NULL      -- JSON, by the names of the interface
  );
  CREATE INDEX scheduled_change_page ON scheduled_change (project_id, id);
`;

/** The written fields of cohorts. Those that a seed or a configuration names have only a name and a definition. */
const COHORTS = `
  ALTER TABLE cohort ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE cohort ADD COLUMN fields TEXT NOT NULL DEFAULT '{}'; -- JSON, by the names of the interface
`;

/** The policies of approvals, and the changes that wait for one. */
const APPROVALS = `
  CREATE TABLE approval_policy (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project_id TEXT, -- NULL: of the organization
    action TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    fields TEXT NOT NULL -- JSON, by the names of the interface
  );
  CREATE TABLE change_request (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL,
    action TEXT NOT NULL,
    resource_id TEXT, -- no reference: a request outlives its flag
    state TEXT NOT NULL,
    fields TEXT NOT NULL -- JSON, by the names of the interface
  );
  CREATE INDEX change_request_page ON change_request (project_id, state, number);
  ALTER TABLE organization_member ADD COLUMN api_key TEXT; -- requests with it act as the member
  CREATE INDEX organization_member_key ON organization_member (api_key);
`;

/** The features that people can enroll in before everybody gets them. */
const EARLY_ACCESS = `
  CREATE TABLE early_access_feature (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL,
    flag_id INTEGER REFERENCES flag (id) ON DELETE SET NULL,
    fields TEXT NOT NULL -- JSON, by the names of the interface
  );
  CREATE INDEX early_access_feature_project ON early_access_feature (project_id, number);
  CREATE INDEX early_access_feature_flag ON early_access_feature (flag_id, number);
`;

/** Access rules that another program manages, and the projects where only it may change them. */
const LOCKS = `
  ALTER TABLE access_rule ADD COLUMN managed_by TEXT;
  CREATE TABLE locked_project (project_id TEXT PRIMARY KEY);
`;

/** Who may use a project, the levels for all objects of a kind, and the levels of members. */
const PROJECT_ACCESS = `
  CREATE TABLE project_access_rule (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id TEXT NOT NULL,
    resource TEXT NOT NULL,
    role_id TEXT REFERENCES role (id) ON DELETE CASCADE,
    member_id TEXT REFERENCES organization_member (id) ON DELETE CASCADE,
    level TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  );
  CREATE UNIQUE INDEX project_access_rule_subject
    ON project_access_rule (project_id, resource, ifnull(role_id, ''), ifnull(member_id, ''));
  ALTER TABLE organization_member ADD COLUMN level INTEGER NOT NULL DEFAULT 1;
`;

/** The projects that accept filters with rules. */
const RULE_PROJECTS = `
  CREATE TABLE rule_project (project_id TEXT PRIMARY KEY);
`;

/** The projects with `property_matching_version` 2. */
const EXPLICIT_PROJECTS = `
  CREATE TABLE explicit_project (project_id TEXT PRIMARY KEY);
`;

/** Objects that the service only keeps. */
const KEPT_OBJECTS = `
  CREATE TABLE kept_object (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    project_id TEXT, -- NULL: of the organization
    id TEXT,         -- NULL: the number
    fields TEXT NOT NULL -- JSON, by the names of the interface
  );
  CREATE INDEX kept_object_page ON kept_object (kind, project_id, number);
  CREATE TABLE hidden_flag (flag_id INTEGER PRIMARY KEY REFERENCES flag (id) ON DELETE CASCADE); -- no longer used
`;

/** Alerts, and their checks, which also are planned ahead. */
const ALERTS = `
  CREATE TABLE alert (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project_id TEXT NOT NULL,
    fields TEXT NOT NULL -- JSON, by the names of the interface
  );
  CREATE INDEX alert_page ON alert (project_id, number);
  CREATE TABLE alert_check (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    alert_id TEXT NOT NULL REFERENCES alert (id) ON DELETE CASCADE,
    time INTEGER NOT NULL, -- microseconds since 1970
    state TEXT NOT NULL,
    value REAL,
    is_planned INTEGER NOT NULL
  );
  CREATE INDEX alert_check_page ON alert_check (alert_id, is_planned, time);
`;

export const MIGRATIONS: readonly string[] = [
  FLAGS,
  PERSONS,
  DECLARED,
  ACCESS,
  SCHEDULES,
  COHORTS,
  APPROVALS,
  EARLY_ACCESS,
  LOCKS,
  PROJECT_ACCESS,
  RULE_PROJECTS,
  KEPT_OBJECTS,
  EXPLICIT_PROJECTS,
  ALERTS,
];

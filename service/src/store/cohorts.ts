/** Queries on cohorts and their members. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

export interface StoredCohort extends NamedCohort {
  /** Kept, but neither listed nor evaluated. */
  readonly deleted: boolean;
  /** Written and computed fields, by the names of the interface; empty if only a seed names the cohort. */
  readonly fields: JsonObject;
}

/** A cohort as a seed or a configuration names it. */
export interface NamedCohort {
  readonly id: number;
  readonly name: string | null;
  /** The tree of AND and OR that decides who is in a dynamic cohort; null for a static cohort, a list of persons. */
  readonly properties: JsonObject | null;
}

export interface CohortStore {
  /** Adds a cohort, or updates the members that are not null. */
  put(projectId: string, cohort: NamedCohort): void;
  /** Adds a cohort of which only the name is known. One that a request wrote stays as it is. */
  register(projectId: string, cohort: Pick<NamedCohort, 'id' | 'name'>): void;
  /** Adds a cohort under the next free id. */
  insert(projectId: string, cohort: Omit<StoredCohort, 'id'>): StoredCohort;
  update(projectId: string, cohort: StoredCohort): void;
  /** Includes deleted cohorts. */
  find(projectId: string, id: number): StoredCohort | undefined;
  /** Cohorts that are not deleted, sorted by id. */
  list(projectId: string): StoredCohort[];
  /** An id that no cohort of any project has. */
  nextId(): number;
  /** Adds a person to a static cohort. */
  addMember(projectId: string, id: number, personId: number): void;
  /** The static cohorts of a person. */
  listIdsByPerson(personId: number): number[];
}

const COLUMNS = 'id, name, properties, deleted, fields';

export function createCohortStore(database: SqlDatabase): CohortStore {
  const byId = database.prepare(`SELECT ${COLUMNS} FROM cohort WHERE project_id = ? AND id = ?`);
  const all = database.prepare(`SELECT ${COLUMNS} FROM cohort WHERE project_id = ? AND deleted = 0 ORDER BY id`);
  const next = database.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM cohort');
  const nextId = (): number => (next.get([]) as { id: number }).id;
  return {
    ...createWrites(database, nextId),
    ...createMembers(database),
    find: (projectId, id) => {
      const row = byId.get([projectId, id]);
      return row === undefined ? undefined : parseCohort(row);
    },
    list: (projectId) => all.all([projectId]).map(parseCohort),
    nextId,
  };
}

function createWrites(
  database: SqlDatabase,
  nextId: () => number,
): Pick<CohortStore, 'put' | 'register' | 'insert' | 'update'> {
  const put = database.prepare(
    `INSERT INTO cohort (project_id, id, name, properties) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, id) DO UPDATE
     SET name = coalesce(excluded.name, name), properties = coalesce(excluded.properties, properties)`,
  );
  const register = database.prepare(
    `INSERT INTO cohort (project_id, id, name) VALUES (?, ?, ?)
     ON CONFLICT (project_id, id) DO UPDATE SET name = excluded.name WHERE fields = '{}'`,
  );
  const insert = database.prepare(
    'INSERT INTO cohort (name, properties, deleted, fields, project_id, id) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = database.prepare(
    'UPDATE cohort SET (name, properties, deleted, fields) = (?, ?, ?, ?) WHERE project_id = ? AND id = ?',
  );
  return {
    put: (projectId, { id, name, properties }) => void put.run([projectId, id, name, formatTree(properties)]),
    register: (projectId, { id, name }) => void register.run([projectId, id, name]),
    insert: (projectId, cohort) => {
      const id = nextId();
      insert.run([...columnValues(cohort), projectId, id]);
      return { ...cohort, id };
    },
    update: (projectId, cohort) => void update.run([...columnValues(cohort), projectId, cohort.id]),
  };
}

function createMembers(database: SqlDatabase): Pick<CohortStore, 'addMember' | 'listIdsByPerson'> {
  const add = database.prepare('INSERT OR IGNORE INTO cohort_person VALUES (?, ?, ?)');
  const listIds = database.prepare('SELECT cohort_id AS id FROM cohort_person WHERE person_id = ? ORDER BY cohort_id');
  return {
    addMember: (projectId, id, personId) => void add.run([projectId, id, personId]),
    listIdsByPerson: (personId) => (listIds.all([personId]) as { id: number }[]).map(({ id }) => id),
  };
}

function columnValues({ name, properties, deleted, fields }: Omit<StoredCohort, 'id'>): (string | number | null)[] {
  return [name, formatTree(properties), Number(deleted), stringifyJson(fields)];
}

function formatTree(properties: JsonObject | null): string | null {
  return properties === null ? null : stringifyJson(properties);
}

interface CohortRow {
  readonly id: number;
  readonly name: string | null;
  readonly properties: string | null;
  readonly deleted: number;
  readonly fields: string;
}

function parseCohort(found: unknown): StoredCohort {
  const { id, name, properties, deleted, fields } = found as CohortRow;
  return {
    id,
    name,
    properties: properties === null ? null : (parseJson(properties) as JsonObject),
    deleted: deleted === 1,
    fields: parseJson(fields) as JsonObject,
  };
}

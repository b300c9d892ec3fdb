/** Queries on cohorts and their members. */

import { parseJson, stringifyJson } from '../../base/json-text.ts';
import type { JsonObject } from '../../base/json.ts';
import type { SqlDatabase } from './database.ts';

export interface StoredCohort {
  readonly id: number;
  readonly name: string | null;
  /** The filters of a dynamic cohort, a tree of AND and OR; null for a static cohort, a list of persons. */
  readonly properties: JsonObject | null;
}

export interface CohortStore {
  /** Adds a cohort, or updates the members that are not null. */
  put(projectId: string, cohort: StoredCohort): void;
  find(projectId: string, id: number): StoredCohort | undefined;
  list(projectId: string): StoredCohort[];
  /** An id that no cohort of any project has. */
  nextId(): number;
  /** Adds a person to a static cohort. */
  addMember(projectId: string, id: number, personId: number): void;
  /** The static cohorts of a person. */
  listIdsByPerson(personId: number): number[];
}

export function createCohortStore(database: SqlDatabase): CohortStore {
  const put = database.prepare(
    `INSERT INTO cohort (project_id, id, name, properties) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, id) DO UPDATE
     SET name = coalesce(excluded.name, name), properties = coalesce(excluded.properties, properties)`,
  );
  const byId = database.prepare('SELECT id, name, properties FROM cohort WHERE project_id = ? AND id = ?');
  const all = database.prepare('SELECT id, name, properties FROM cohort WHERE project_id = ? ORDER BY id');
  const next = database.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM cohort');
  const addMember = database.prepare('INSERT OR IGNORE INTO cohort_person VALUES (?, ?, ?)');
  const listIdsByPerson = database.prepare(
    'SELECT cohort_id AS id FROM cohort_person WHERE person_id = ? ORDER BY cohort_id',
  );
  return {
    put: (projectId, { id, name, properties }) =>
      void put.run([projectId, id, name, properties === null ? null : stringifyJson(properties)]),
    find: (projectId, id) => {
      const row = byId.get([projectId, id]);
      return row === undefined ? undefined : parseCohort(row);
    },
    list: (projectId) => all.all([projectId]).map(parseCohort),
    nextId: () => (next.get([]) as { id: number }).id,
    addMember: (projectId, id, personId) => void addMember.run([projectId, id, personId]),
    listIdsByPerson: (personId) => (listIdsByPerson.all([personId]) as { id: number }[]).map(({ id }) => id),
  };
}

function parseCohort(found: unknown): StoredCohort {
  const { id, name, properties } = found as { id: number; name: string | null; properties: string | null };
  return { id, name, properties: properties === null ? null : (parseJson(properties) as JsonObject) };
}

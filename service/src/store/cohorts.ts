/** Queries on cohorts and their members. */

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

export function createCohortStore({ all, get, run }: SqlDatabase): CohortStore {
  const byId = get<CohortRow>(`SELECT ${COLUMNS} FROM cohort WHERE project_id = ? AND id = ?`);
  const list = all<CohortRow>(`SELECT ${COLUMNS} FROM cohort WHERE project_id = ? AND deleted = 0 ORDER BY id`);
  const next = get<{ id: number }>('SELECT coalesce(max(id), 0) + 1 AS id FROM cohort');
  const nextId = (): number => next()?.id ?? 1;
  const put = run(
    `INSERT INTO cohort (project_id, id, name, properties) VALUES ($projectId, $id, $name, $properties)
     ON CONFLICT (project_id, id) DO UPDATE
     SET name = coalesce(excluded.name, name), properties = coalesce(excluded.properties, properties)`,
  );
  const register = run(
    `INSERT INTO cohort (project_id, id, name) VALUES ($projectId, $id, $name)
     ON CONFLICT (project_id, id) DO UPDATE SET name = excluded.name WHERE fields = '{}'`,
  );
  const insert = run(
    `INSERT INTO cohort (name, properties, deleted, fields, project_id, id)
     VALUES ($name, $properties, $deleted, $fields, $projectId, $id)`,
  );
  const update = run(
    `UPDATE cohort SET (name, properties, deleted, fields) = ($name, $properties, $deleted, $fields)
     WHERE project_id = $projectId AND id = $id`,
  );
  const listIds = all<{ id: number }>(
    'SELECT cohort_id AS id FROM cohort_person WHERE person_id = ? ORDER BY cohort_id',
  );
  return {
    put: (projectId, cohort) => put({ ...cohort, projectId }),
    register: (projectId, cohort) => register({ ...cohort, projectId }),
    insert: (projectId, cohort) => {
      const stored = { ...cohort, id: nextId() };
      insert({ ...stored, projectId });
      return stored;
    },
    update: (projectId, cohort) => update({ ...cohort, projectId }),
    find: (projectId, id) => {
      const row = byId(projectId, id);
      return row && readCohort(row);
    },
    list: (projectId) => list(projectId).map(readCohort),
    nextId,
    addMember: run('INSERT OR IGNORE INTO cohort_person VALUES (?, ?, ?)'),
    listIdsByPerson: (personId) => listIds(personId).map(({ id }) => id),
  };
}

type CohortRow = Omit<StoredCohort, 'deleted'> & { readonly deleted: number };

function readCohort(row: CohortRow): StoredCohort {
  return { ...row, deleted: row.deleted === 1 };
}

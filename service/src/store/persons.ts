/** Queries on single persons, and on pages of them, newest first. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { parseMicroseconds } from '../format/timestamp.ts';
import type { SqlDatabase } from './database.ts';
import type { NewPerson, PersonRecord, StoredPerson } from './person.ts';
import { createPersonScan, type PersonScan } from './person-scan.ts';

export interface PersonStore extends PersonScan, PersonWrites {
  find(projectId: string, id: number): StoredPerson | undefined;
  findByUuid(projectId: string, uuid: string): StoredPerson | undefined;
  findByDistinctId(projectId: string, distinctId: string): StoredPerson | undefined;
  isEmpty(projectId: string): boolean;
  /** Sorted as the person got them. */
  distinctIds(id: number): readonly string[];
  withDistinctIds(records: readonly PersonRecord[]): StoredPerson[];
}

interface PersonWrites {
  /** Throws if the id, the UUID or a distinct id exists already. */
  insert(person: NewPerson): StoredPerson;
  setProperties(id: number, properties: JsonObject): void;
  addDistinctId(person: Pick<PersonRecord, 'id' | 'projectId'>, distinctId: string): void;
  removeDistinctId(projectId: string, distinctId: string): void;
  /** Removes the distinct ids with the person; events stay. */
  remove(id: number): void;
}

export function createPersonStore(database: SqlDatabase): PersonStore {
  const byId = database.prepare('SELECT * FROM person WHERE project_id = ? AND id = ?');
  const byUuid = database.prepare('SELECT * FROM person WHERE project_id = ? AND uuid = ?');
  const byDistinctId = database.prepare(
    `SELECT person.* FROM person_distinct_id JOIN person ON person.id = person_id
     WHERE person_distinct_id.project_id = ? AND distinct_id = ?`,
  );
  const any = database.prepare('SELECT 1 FROM person WHERE project_id = ? LIMIT 1');
  const distinctIds = database.prepare(
    'SELECT distinct_id AS distinctId FROM person_distinct_id WHERE person_id = ? ORDER BY number',
  );
  const listDistinctIds = (id: number): string[] =>
    (distinctIds.all([id]) as { distinctId: string }[]).map(({ distinctId }) => distinctId);
  const complete = (record: PersonRecord): StoredPerson => ({ ...record, distinctIds: listDistinctIds(record.id) });
  const one = (row: unknown): StoredPerson | undefined =>
    row === undefined ? undefined : complete(parsePerson(row as StoredPersonRow));

  return {
    ...createPersonScan(database, (row) => parsePerson(row as StoredPersonRow)),
    ...createWrites(database),
    find: (projectId, id) => one(byId.get([projectId, id])),
    findByUuid: (projectId, uuid) => one(byUuid.get([projectId, uuid])),
    findByDistinctId: (projectId, distinctId) => one(byDistinctId.get([projectId, distinctId])),
    isEmpty: (projectId) => any.get([projectId]) === undefined,
    distinctIds: listDistinctIds,
    withDistinctIds: (records) => records.map(complete),
  };
}

function createWrites(database: SqlDatabase): PersonWrites {
  const insert = database.prepare(
    `INSERT INTO person (id, project_id, uuid, created_at, created_order, email, properties)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  );
  const setProperties = database.prepare('UPDATE person SET (email, properties) = (?, ?) WHERE id = ?');
  const addDistinctId = database.prepare(
    `INSERT INTO person_distinct_id (project_id, distinct_id, person_id, number)
     VALUES (?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM person_distinct_id WHERE person_id = ?))`,
  );
  const removeDistinctId = database.prepare('DELETE FROM person_distinct_id WHERE project_id = ? AND distinct_id = ?');
  const remove = database.prepare('DELETE FROM person WHERE id = ?');
  const add: PersonWrites['addDistinctId'] = ({ id, projectId }, distinctId) =>
    void addDistinctId.run([projectId, distinctId, id, id]);
  return {
    insert: (person) => {
      const { id = null, projectId, uuid, createdAt, properties } = person;
      const values = [id, projectId, uuid, createdAt, parseMicroseconds(createdAt), ...propertyColumns(properties)];
      const row = insert.get(values) as { id: number };
      for (const distinctId of person.distinctIds) add({ id: row.id, projectId }, distinctId);
      return { ...person, id: row.id };
    },
    setProperties: (id, properties) => void setProperties.run([...propertyColumns(properties), id]),
    addDistinctId: add,
    removeDistinctId: (projectId, distinctId) => void removeDistinctId.run([projectId, distinctId]),
    remove: (id) => void remove.run([id]),
  };
}

function propertyColumns(properties: JsonObject): [email: string | null, properties: string] {
  const email = properties['email'];
  return [typeof email === 'string' ? email.toLowerCase() : null, stringifyJson(properties)];
}

interface StoredPersonRow {
  readonly id: number;
  readonly project_id: string;
  readonly uuid: string;
  readonly created_at: string;
  readonly properties: string;
}

function parsePerson(row: StoredPersonRow): PersonRecord {
  return {
    id: row.id,
    projectId: row.project_id,
    uuid: row.uuid,
    createdAt: row.created_at,
    properties: parseJson(row.properties) as JsonObject,
  };
}

/** The service's data behind one value: queries by subject, and transactions. */

import { createAccessRuleStore, type AccessRuleStore } from './access-rules.ts';
import { createActivityStore, type ActivityStore } from './activity.ts';
import { createApprovalStore, type ApprovalStore } from './approvals.ts';
import { createCohortStore, type CohortStore } from './cohorts.ts';
import { createDashboards, createFlagStore, type FlagStore } from './flags.ts';
import { openDatabase, type SqlDatabase } from './database.ts';
import { createEarlyAccessFeatureStore, type EarlyAccessFeatureStore } from './early-access-features.ts';
import { createEventStore, type EventStore } from './events.ts';
import { keepFlags } from './kept-flags.ts';
import { createMemory, forgetting } from './memory.ts';
import { createKeptObjectStore, type KeptObjectStore } from './kept-objects.ts';
import { createOrganizationStore, type OrganizationStore } from './organization.ts';
import { createProjectAccessStore, type ProjectAccessStore } from './project-access.ts';
import { createRoleAccessStore, createRoleStore, type RoleAccessStore, type RoleStore } from './roles.ts';
import { createScheduledChangeStore, type ScheduledChangeStore } from './scheduled-changes.ts';
import { stringifyJson, parseJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { parseMicroseconds } from '../format/timestamp.ts';
import {
  type NewPerson,
  type PersonRecord,
  type StoredPerson,
  createPersonScan,
  type PersonScan,
} from './person-scan.ts';

export interface Store {
  readonly flags: FlagStore;
  readonly declaredFlags: DeclaredFlagStore;
  readonly roles: RoleStore;
  readonly roleAccess: RoleAccessStore;
  readonly accessRules: AccessRuleStore;
  readonly projectAccess: ProjectAccessStore;
  readonly organization: OrganizationStore;
  readonly scheduledChanges: ScheduledChangeStore;
  readonly approvals: ApprovalStore;
  readonly activity: ActivityStore;
  readonly cohorts: CohortStore;
  readonly earlyAccessFeatures: EarlyAccessFeatureStore;
  readonly keptObjects: KeptObjectStore;
  readonly groups: GroupStore;
  readonly persons: PersonStore;
  readonly propertyCounts: PropertyCounts;
  readonly events: EventStore;
  /** The value that `read` returned last under this name, unless flags, cohorts or groups were written since. */
  remember<T>(name: string, read: () => T): T;
  /** The same object until cohorts or groups are written: whoever keeps a text with their names compares it. */
  names(): object;
  /** Runs `work` completely or not at all. It is on disk when this returns. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export function openStore(path: string): Store {
  const database = openDatabase(path);
  const memory = createMemory(database);
  const names = createMemory(database);
  const kept = keepFlags(database);
  const dashboards = createDashboards(database);
  return {
    flags: forgetting(createFlagStore(database, { kept, dashboards }), memory, ['insert', 'update', 'remove']),
    declaredFlags: createDeclaredFlagStore(database),
    roles: createRoleStore(database),
    roleAccess: createRoleAccessStore(database),
    accessRules: createAccessRuleStore(database),
    projectAccess: createProjectAccessStore(database),
    organization: createOrganizationStore(database),
    scheduledChanges: createScheduledChangeStore(database),
    approvals: createApprovalStore(database),
    activity: createActivityStore(database),
    cohorts: forgetting(
      forgetting(createCohortStore(database), memory, ['put', 'register', 'insert', 'update', 'addMember']),
      names,
      ['put', 'register', 'insert', 'update'],
    ),
    earlyAccessFeatures: createEarlyAccessFeatureStore(database),
    keptObjects: createKeptObjectStore(database),
    groups: forgetting(forgetting(createGroupStore(database), memory, ['put', 'putType']), names, ['put', 'putType']),
    persons: createPersonStore(database),
    propertyCounts: createPropertyCounts(database),
    events: createEventStore(database),
    remember: (name, read) => memory.remember(name, read),
    names: () => names.remember('names', () => ({})),
    transaction: (work) => {
      try {
        return database.transaction(work).immediate() as ReturnType<typeof work>;
      } catch (error) {
        // The transaction may not have been committed, so values read within it are dropped.
        memory.forget();
        names.forget();
        kept.forgetAll();
        dashboards.forget();
        throw error;
      }
    },
    close: () => void database.close(),
  };
}

interface DeclaredFlagStore {
  /** Ids of the flags of the last declaration, without those removed for good. */
  ids(projectId: string): number[];
  replace(projectId: string, ids: readonly number[]): void;
}

function createDeclaredFlagStore(database: SqlDatabase): DeclaredFlagStore {
  const all = database.prepare(
    'SELECT flag_id AS id FROM declared_flag JOIN flag ON flag.id = flag_id WHERE project_id = ? ORDER BY flag_id',
  );
  const clear = database.prepare(
    'DELETE FROM declared_flag WHERE flag_id IN (SELECT id FROM flag WHERE project_id = ?)',
  );
  const insert = database.prepare('INSERT INTO declared_flag SELECT value FROM json_each(?)');
  return {
    ids: (projectId) => (all.all([projectId]) as { id: number }[]).map(({ id }) => id),
    replace: (projectId, ids) => {
      clear.run([projectId]);
      insert.run([stringifyJson(ids)]);
    },
  };
}

interface StoredGroup {
  readonly typeIndex: number;
  readonly key: string;
  /** The displayed name; the key if no name is known. */
  readonly name: string;
  readonly properties: JsonObject;
}

interface GroupStore {
  /** Adds a group, or replaces it. */
  put(projectId: string, group: StoredGroup): void;
  find(projectId: string, typeIndex: number, key: string): StoredGroup | undefined;
  list(projectId: string, typeIndex: number): StoredGroup[];
  putType(projectId: string, typeIndex: number, name: string): void;
  /** Names of group types by index. */
  types(projectId: string): Record<string, string>;
}

const GROUP = 'group_type_index AS typeIndex, key, name, properties';

function createGroupStore(database: SqlDatabase): GroupStore {
  const put = database.prepare(
    'INSERT OR REPLACE INTO group_name (project_id, group_type_index, key, name, properties) VALUES (?, ?, ?, ?, ?)',
  );
  const one = database.prepare(
    `SELECT ${GROUP} FROM group_name WHERE project_id = ? AND group_type_index = ? AND key = ?`,
  );
  const all = database.prepare(
    `SELECT ${GROUP} FROM group_name WHERE project_id = ? AND group_type_index = ? ORDER BY key`,
  );
  const putType = database.prepare('INSERT OR REPLACE INTO group_type VALUES (?, ?, ?)');
  const types = database.prepare(
    'SELECT group_type_index AS typeIndex, name FROM group_type WHERE project_id = ? ORDER BY group_type_index',
  );
  return {
    put: (projectId, { typeIndex, key, name, properties }) =>
      void put.run([projectId, typeIndex, key, name, stringifyJson(properties)]),
    find: (projectId, typeIndex, key) => {
      const row = one.get([projectId, typeIndex, key]);
      return row === undefined ? undefined : parseGroup(row);
    },
    list: (projectId, typeIndex) => all.all([projectId, typeIndex]).map(parseGroup),
    putType: (projectId, typeIndex, name) => void putType.run([projectId, typeIndex, name]),
    types: (projectId) => {
      const rows = types.all([projectId]) as { typeIndex: number; name: string }[];
      return Object.fromEntries(rows.map(({ typeIndex, name }) => [String(typeIndex), name]));
    },
  };
}

function parseGroup(found: unknown): StoredGroup {
  const { typeIndex, key, name, properties } = found as Omit<StoredGroup, 'properties'> & { properties: string };
  return { typeIndex, key, name, properties: parseJson(properties) as JsonObject };
}

interface NamedCount {
  readonly name: string;
  readonly count: number;
}

interface PropertyCounts {
  /** All properties of persons, most common first. */
  keys(projectId: string): NamedCount[];
  /** The values of a property that contain a string in any case, most common first, at most `limit`; not null and not empty. */
  values(
    projectId: string,
    wanted: { readonly key: string; readonly part: string; readonly limit: number },
  ): NamedCount[];
}

function createPropertyCounts(database: SqlDatabase): PropertyCounts {
  const keys = database.prepare(
    `SELECT property.key AS name, count(*) AS count FROM person, json_each(person.properties) AS property
     WHERE project_id = ? GROUP BY property.key ORDER BY count DESC, name`,
  );
  // A list or an object is one value, as JSON; so are the strings that look the same.
  const values = database.prepare(
    `WITH found AS (
       SELECT CASE property.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
         ELSE CAST(property.value AS TEXT) END AS name
       FROM person, json_each(person.properties) AS property
       WHERE project_id = ? AND property.key = ? AND property.type <> 'null'
     )
     SELECT name, count(*) AS count FROM found
     WHERE name <> '' AND (instr(lower(name), lower(?)) > 0 OR ? = '')
     GROUP BY name ORDER BY count DESC, name LIMIT ?`,
  );
  return {
    keys: (projectId) => (keys.all([projectId]) as NamedCount[]).map(plain),
    values: (projectId, { key, part, limit }) =>
      (values.all([projectId, key, part, part, limit]) as NamedCount[]).map(plain),
  };
}

function plain({ name, count }: NamedCount): NamedCount {
  return { name, count };
}

interface PersonStore extends PersonScan, PersonWrites {
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

function createPersonStore(database: SqlDatabase): PersonStore {
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

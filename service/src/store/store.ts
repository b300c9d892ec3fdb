/** The service's data behind one value: queries by subject, and transactions. */

import {
  createAccessRuleStore,
  createProjectAccessStore,
  type AccessRuleStore,
  type ProjectAccessStore,
  createOrganizationStore,
  type OrganizationStore,
  createRoleAccessStore,
  createRoleStore,
  type RoleAccessStore,
  type RoleStore,
} from './people.ts';
import { createActivityStore, type ActivityStore, createEventStore, type EventStore } from './events.ts';
import { createAlertStore, type AlertStore } from './alerts.ts';
import { createApprovalStore, type ApprovalStore } from './approvals.ts';
import { createCohortStore, type CohortStore } from './cohorts.ts';
import { createDashboards, createFlagStore, type FlagStore, keepFlags } from './flags.ts';
import { openDatabase, type SqlDatabase } from './database.ts';
import {
  createEarlyAccessFeatureStore,
  type EarlyAccessFeatureStore,
  createKeptObjectStore,
  type KeptObjectStore,
  createScheduledChangeStore,
  type ScheduledChangeStore,
} from './objects.ts';
import { createMemory, forgetting } from './memory.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { parseMicroseconds } from '../format/timestamp.ts';
import {
  type NewPerson,
  type PersonRecord,
  type StoredPerson,
  createPersonScan,
  PERSON,
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
  readonly alerts: AlertStore;
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
    flags: forgetting(createFlagStore(database, kept, dashboards), memory, ['insert', 'update', 'remove']),
    declaredFlags: createDeclaredFlagStore(database),
    roles: createRoleStore(database),
    roleAccess: createRoleAccessStore(database),
    accessRules: createAccessRuleStore(database),
    projectAccess: createProjectAccessStore(database),
    organization: createOrganizationStore(database),
    scheduledChanges: createScheduledChangeStore(database),
    alerts: createAlertStore(database),
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

function createDeclaredFlagStore({ all, run }: SqlDatabase): DeclaredFlagStore {
  const ids = all<{ id: number }>(
    'SELECT flag_id AS id FROM declared_flag JOIN flag ON flag.id = flag_id WHERE project_id = ? ORDER BY flag_id',
  );
  const clear = run('DELETE FROM declared_flag WHERE flag_id IN (SELECT id FROM flag WHERE project_id = ?)');
  const insert = run('INSERT INTO declared_flag SELECT value FROM json_each(?)');
  return {
    ids: (projectId) => ids(projectId).map(({ id }) => id),
    replace: (projectId, declared) => {
      clear(projectId);
      insert(stringifyJson(declared));
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

function createGroupStore({ all, get, run }: SqlDatabase): GroupStore {
  const put = run(
    `INSERT OR REPLACE INTO group_name (project_id, group_type_index, key, name, properties)
     VALUES ($projectId, $typeIndex, $key, $name, $properties)`,
  );
  const types = all<{ typeIndex: number; name: string }>(
    'SELECT group_type_index AS typeIndex, name FROM group_type WHERE project_id = ? ORDER BY group_type_index',
  );
  return {
    put: (projectId, group) => put({ ...group, projectId }),
    find: get<StoredGroup>(`SELECT ${GROUP} FROM group_name WHERE project_id = ? AND group_type_index = ? AND key = ?`),
    list: all<StoredGroup>(
      `SELECT ${GROUP} FROM group_name WHERE project_id = ? AND group_type_index = ? ORDER BY key`,
    ),
    putType: run('INSERT OR REPLACE INTO group_type VALUES (?, ?, ?)'),
    types: (projectId) => Object.fromEntries(types(projectId).map(({ typeIndex, name }) => [String(typeIndex), name])),
  };
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

function createPropertyCounts({ all }: SqlDatabase): PropertyCounts {
  // A list or an object is one value, as JSON; so are the strings that look the same.
  const values = all<NamedCount>(
    `WITH found AS (
       SELECT CASE property.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
         ELSE CAST(property.value AS TEXT) END AS name
       FROM person, json_each(person.properties) AS property
       WHERE project_id = $projectId AND property.key = $key AND property.type <> 'null'
     )
     SELECT name, count(*) AS count FROM found
     WHERE name <> '' AND (instr(lower(name), lower($part)) > 0 OR $part = '')
     GROUP BY name ORDER BY count DESC, name LIMIT $limit`,
  );
  return {
    keys: all<NamedCount>(
      `SELECT property.key AS name, count(*) AS count FROM person, json_each(person.properties) AS property
       WHERE project_id = ? GROUP BY property.key ORDER BY count DESC, name`,
    ),
    values: (projectId, wanted) => values({ ...wanted, projectId }),
  };
}

interface PersonStore extends PersonScan {
  find(projectId: string, id: number): StoredPerson | undefined;
  findByUuid(projectId: string, uuid: string): StoredPerson | undefined;
  findByDistinctId(projectId: string, distinctId: string): StoredPerson | undefined;
  isEmpty(projectId: string): boolean;
  /** Sorted as the person got them. */
  distinctIds(id: number): readonly string[];
  withDistinctIds(records: readonly PersonRecord[]): StoredPerson[];
  /** Throws if the id, the UUID or a distinct id exists already. */
  insert(person: NewPerson): StoredPerson;
  setProperties(id: number, properties: JsonObject): void;
  addDistinctId(person: Pick<PersonRecord, 'id' | 'projectId'>, distinctId: string): void;
  removeDistinctId(projectId: string, distinctId: string): void;
  /** Removes the distinct ids with the person; events stay. */
  remove(id: number): void;
}

function createPersonStore(database: SqlDatabase): PersonStore {
  const { all, get, has, run } = database;
  const byId = get<PersonRecord>(`SELECT ${PERSON} FROM person WHERE project_id = ? AND id = ?`);
  const byUuid = get<PersonRecord>(`SELECT ${PERSON} FROM person WHERE project_id = ? AND uuid = ?`);
  const byDistinctId = get<PersonRecord>(
    `SELECT ${PERSON} FROM person WHERE id =
       (SELECT person_id FROM person_distinct_id WHERE project_id = ? AND distinct_id = ?)`,
  );
  const exists = has('SELECT 1 FROM person WHERE project_id = ? LIMIT 1');
  const named = all<{ distinctId: string }>(
    'SELECT distinct_id AS distinctId FROM person_distinct_id WHERE person_id = ? ORDER BY number',
  );
  const distinctIds = (id: number): string[] => named(id).map(({ distinctId }) => distinctId);
  const complete = (record: PersonRecord): StoredPerson => ({ ...record, distinctIds: distinctIds(record.id) });
  const one = (record: PersonRecord | undefined): StoredPerson | undefined => record && complete(record);

  const insert = get<{ id: number }>(
    `INSERT INTO person (id, project_id, uuid, created_at, created_order, email, properties)
     VALUES ($id, $projectId, $uuid, $createdAt, $createdOrder, $email, $properties) RETURNING id`,
  );
  const setProperties = run('UPDATE person SET (email, properties) = ($email, $properties) WHERE id = $id');
  const addName = run(
    `INSERT INTO person_distinct_id (project_id, distinct_id, person_id, number)
     VALUES ($projectId, $distinctId, $id,
       (SELECT coalesce(max(number), 0) + 1 FROM person_distinct_id WHERE person_id = $id))`,
  );
  const addDistinctId: PersonStore['addDistinctId'] = ({ id, projectId }, distinctId) =>
    addName({ id, projectId, distinctId });

  return {
    ...createPersonScan(database),
    find: (projectId, id) => one(byId(projectId, id)),
    findByUuid: (projectId, uuid) => one(byUuid(projectId, uuid)),
    findByDistinctId: (projectId, distinctId) => one(byDistinctId(projectId, distinctId)),
    isEmpty: (projectId) => !exists(projectId),
    distinctIds,
    withDistinctIds: (records) => records.map(complete),
    insert: (person) => {
      const { createdAt, properties } = person;
      const values = { id: null, ...person, createdOrder: parseMicroseconds(createdAt), email: emailOf(properties) };
      const { id } = insert(values) as { id: number };
      for (const distinctId of person.distinctIds) addDistinctId({ ...person, id }, distinctId);
      return { ...person, id };
    },
    setProperties: (id, properties) => setProperties({ id, properties, email: emailOf(properties) }),
    addDistinctId,
    removeDistinctId: run('DELETE FROM person_distinct_id WHERE project_id = ? AND distinct_id = ?'),
    remove: run('DELETE FROM person WHERE id = ?'),
  };
}

function emailOf({ email }: JsonObject): string | null {
  return typeof email === 'string' ? email.toLowerCase() : null;
}

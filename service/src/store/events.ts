/** Queries on events. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

interface NewEvent {
  readonly projectId: string;
  readonly uuid: string;
  readonly name: string;
  readonly distinctId: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly properties: JsonObject;
}

/** An event as analyses read it. */
export interface EventOccurrence {
  readonly personId: number;
  readonly name: string;
  readonly time: number;
  readonly properties: JsonObject;
}

interface EventRange {
  /** Names of events; absent: any. */
  readonly names?: readonly string[];
  /** Milliseconds since 1970, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly personId?: number;
}

export interface EventStore {
  insert(event: NewEvent): void;
  /** Ordered by person, then by time. Excludes events whose distinct id has no person. */
  occurrences(projectId: string, range: EventRange): EventOccurrence[];
  removeByDistinctIds(projectId: string, distinctIds: readonly string[]): void;
}

export function createEventStore(database: SqlDatabase): EventStore {
  const insert = database.prepare(
    'INSERT INTO event (project_id, uuid, name, distinct_id, time, properties) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const occurrences = database.prepare(
    `SELECT owner.person_id AS personId, event.name AS name, event.time AS time, event.properties AS properties
     FROM event JOIN person_distinct_id AS owner
       ON owner.project_id = event.project_id AND owner.distinct_id = event.distinct_id
     WHERE event.project_id = ?1 AND event.time BETWEEN ?2 AND ?3
       AND (?4 IS NULL OR event.name IN (SELECT value FROM json_each(?4)))
       AND (?5 IS NULL OR owner.person_id = ?5)
     ORDER BY owner.person_id, event.time, event.id`,
  );
  const remove = database.prepare(
    'DELETE FROM event WHERE project_id = ? AND distinct_id IN (SELECT value FROM json_each(?))',
  );
  return {
    insert: ({ projectId, uuid, name, distinctId, time, properties }) =>
      void insert.run([projectId, uuid, name, distinctId, time, stringifyJson(properties)]),
    occurrences: (projectId, { names, from, to, personId }) => {
      const values = [projectId, from, to, names === undefined ? null : stringifyJson(names), personId ?? null];
      const rows = occurrences.all(values) as (Omit<EventOccurrence, 'properties'> & { properties: string })[];
      return rows.map((row) => ({ ...row, properties: parseJson(row.properties) as JsonObject }));
    },
    removeByDistinctIds: (projectId, distinctIds) => void remove.run([projectId, stringifyJson(distinctIds)]),
  };
}

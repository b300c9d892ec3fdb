/** Queries on events, and on the activity log, whose entries are never changed. */

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

export function createEventStore({ all, run }: SqlDatabase): EventStore {
  const occurrences = all<EventOccurrence>(
    `SELECT owner.person_id AS personId, event.name AS name, event.time AS time, event.properties AS properties
     FROM event JOIN person_distinct_id AS owner
       ON owner.project_id = event.project_id AND owner.distinct_id = event.distinct_id
     WHERE event.project_id = $projectId AND event.time BETWEEN $from AND $to
       AND ($names IS NULL OR event.name IN (SELECT value FROM json_each($names)))
       AND ($personId IS NULL OR owner.person_id = $personId)
     ORDER BY owner.person_id, event.time, event.id`,
  );
  const remove = run(
    `DELETE FROM event WHERE project_id = $projectId AND distinct_id IN (SELECT value FROM json_each($distinctIds))`,
  );
  return {
    insert: run(
      `INSERT INTO event (project_id, uuid, name, distinct_id, time, properties)
       VALUES ($projectId, $uuid, $name, $distinctId, $time, $properties)`,
    ),
    occurrences: (projectId, range) => occurrences({ names: null, personId: null, ...range, projectId }),
    removeByDistinctIds: (projectId, distinctIds) => remove({ projectId, distinctIds }),
  };
}

export type ActivityScope = 'FeatureFlag' | 'Person' | 'Cohort';

export interface ActivityStore {
  add(
    entry: JsonObject,
    of: { readonly projectId: string; readonly scope: ActivityScope; readonly itemId: number },
  ): void;
  /** Newest first; of one flag or person, or of the whole project with `itemId` null. */
  list(
    of: { readonly projectId: string; readonly scope: ActivityScope; readonly itemId: number | null },
    page: { readonly limit: number; readonly offset: number },
  ): { readonly total: number; readonly entries: JsonObject[] };
}

export function createActivityStore({ all, get, run }: SqlDatabase): ActivityStore {
  const add = run(
    'INSERT INTO activity (project_id, scope, item_id, entry) VALUES ($projectId, $scope, $itemId, $entry)',
  );
  const queries = (where: string) => ({
    count: get<{ number: number }>(`SELECT count(*) AS number FROM activity WHERE ${where}`),
    page: all<{ entry: JsonObject }>(
      `SELECT entry FROM activity WHERE ${where} ORDER BY number DESC LIMIT $limit OFFSET $offset`,
    ),
  });
  const whole = queries('project_id = $projectId AND scope = $scope');
  const single = queries('project_id = $projectId AND scope = $scope AND item_id = $itemId');
  return {
    add: (entry, of) => add({ ...of, entry }),
    list: (of, page) => {
      const found = of.itemId === null ? whole : single;
      return { total: found.count(of)?.number ?? 0, entries: found.page({ ...of, ...page }).map(({ entry }) => entry) };
    },
  };
}

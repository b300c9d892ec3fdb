/** Queries on objects that the service only keeps: actions, proxy records and settings of projects. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

interface KeptPlace {
  readonly kind: string;
  /** Null: of the organization. */
  readonly projectId: string | null;
}

export interface KeptObject extends KeptPlace {
  readonly id: string;
  /** The fields by their names in the interface. */
  readonly fields: JsonObject;
}

export interface KeptObjectStore {
  /** An object without `id` gets the next free number. */
  insert(object: Omit<KeptObject, 'id'> & { readonly id: string | undefined }): KeptObject;
  update(object: KeptObject): void;
  remove(object: KeptObject): void;
  find(place: KeptPlace, id: string): KeptObject | undefined;
  /** Sorted by creation. */
  list(place: KeptPlace): KeptObject[];
}

const OBJECT = 'kind, project_id AS projectId, ifnull(id, CAST(number AS TEXT)) AS id, fields';
const ONE = 'kind = $kind AND project_id IS $projectId AND ifnull(id, CAST(number AS TEXT)) = $id';

export function createKeptObjectStore({ all, get, run }: SqlDatabase): KeptObjectStore {
  const one = get<KeptObject>(`SELECT ${OBJECT} FROM kept_object WHERE ${ONE}`);
  const insert = get<KeptObject>(
    `INSERT INTO kept_object (kind, project_id, id, fields) VALUES ($kind, $projectId, $id, $fields) RETURNING ${OBJECT}`,
  );
  return {
    insert: (object) => insert(object) as KeptObject,
    update: run(`UPDATE kept_object SET fields = $fields WHERE ${ONE}`),
    remove: run(`DELETE FROM kept_object WHERE ${ONE}`),
    find: (place, id) => one({ ...place, id }),
    list: all<KeptObject>(
      `SELECT ${OBJECT} FROM kept_object WHERE kind = $kind AND project_id IS $projectId ORDER BY number`,
    ),
  };
}

/** Queries on objects that the service only keeps: actions, proxy records and settings of projects. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
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
const ONE = 'kind = ? AND project_id IS ? AND ifnull(id, CAST(number AS TEXT)) = ?';

export function createKeptObjectStore(database: SqlDatabase): KeptObjectStore {
  const insert = database.prepare(
    `INSERT INTO kept_object (kind, project_id, id, fields) VALUES (?, ?, ?, ?) RETURNING ${OBJECT}`,
  );
  const update = database.prepare(`UPDATE kept_object SET fields = ? WHERE ${ONE}`);
  const remove = database.prepare(`DELETE FROM kept_object WHERE ${ONE}`);
  const one = database.prepare(`SELECT ${OBJECT} FROM kept_object WHERE ${ONE}`);
  const all = database.prepare(`SELECT ${OBJECT} FROM kept_object WHERE kind = ? AND project_id IS ? ORDER BY number`);
  return {
    insert: ({ kind, projectId, id, fields }) =>
      parseObject(insert.get([kind, projectId, id ?? null, stringifyJson(fields)])),
    update: ({ kind, projectId, id, fields }) => void update.run([stringifyJson(fields), kind, projectId, id]),
    remove: ({ kind, projectId, id }) => void remove.run([kind, projectId, id]),
    find: ({ kind, projectId }, id) => one.all([kind, projectId, id]).map(parseObject)[0],
    list: ({ kind, projectId }) => all.all([kind, projectId]).map(parseObject),
  };
}

function parseObject(found: unknown): KeptObject {
  const { fields, ...columns } = found as Omit<KeptObject, 'fields'> & { readonly fields: string };
  return { ...columns, fields: parseJson(fields) as JsonObject };
}

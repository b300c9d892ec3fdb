/** A flag as it is stored, and the values that it shows by their names in the interface. */

import type { JsonObject, JsonValue } from '../../base/json.ts';

export interface StoredFlag {
  readonly id: number;
  readonly projectId: string;
  readonly key: string;
  readonly name: string;
  readonly active: boolean;
  readonly deleted: boolean;
  readonly archived: boolean;
  /** Null for rows from before versions were counted. */
  readonly version: number | null;
  readonly createdAt: string;
  readonly filters: JsonObject;
  /** What else the flag carries, by the names of the interface. */
  readonly fields: JsonObject;
}

/** A stored value by its name in the interface; `undefined` where nothing is stored. */
export function storedValue(flag: StoredFlag, name: string): JsonValue | undefined {
  switch (name) {
    case 'id':
    case 'key':
    case 'name':
    case 'active':
    case 'deleted':
    case 'archived':
    case 'version':
    case 'filters':
      return flag[name];
    case 'created_at':
      return flag.createdAt;
    default:
      return Object.hasOwn(flag.fields, name) ? flag.fields[name] : undefined;
  }
}

/** The flag with new values, given by their names in the interface and already checked; `filters` has its own way. */
export function withValues(flag: StoredFlag, values: JsonObject): StoredFlag {
  const { key, name, active, deleted, archived, created_at: createdAt, filters: _filters, ...fields } = values;
  return {
    ...flag,
    key: typeof key === 'string' ? key : flag.key,
    name: typeof name === 'string' ? name : flag.name,
    active: typeof active === 'boolean' ? active : flag.active,
    deleted: typeof deleted === 'boolean' ? deleted : flag.deleted,
    archived: typeof archived === 'boolean' ? archived : flag.archived,
    createdAt: typeof createdAt === 'string' ? createdAt : flag.createdAt,
    fields: { ...flag.fields, ...fields },
  };
}

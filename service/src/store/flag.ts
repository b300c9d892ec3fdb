/** A stored flag, and its values by their names in the interface. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { parseJson } from '../../../src/base/json-text.ts';

export interface StoredFlag {
  readonly id: number;
  readonly projectId: string;
  readonly key: string;
  readonly name: string;
  readonly active: boolean;
  readonly deleted: boolean;
  readonly archived: boolean;
  /** Null for rows older than version counting. */
  readonly version: number | null;
  readonly createdAt: string;
  readonly filters: JsonObject;
  /** Other fields, by their names in the interface. */
  readonly fields: JsonObject;
}

/** The version, as the service counts it: that of an older row is 0. */
export function countedVersion({ version }: StoredFlag): number {
  return version ?? 0;
}

/** A stored value by its name in the interface; `undefined` without a stored value. */
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

/** The flag with new, checked values by their names in the interface; `filters` is set separately. */
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

export function parseFlags(rows: readonly unknown[]): StoredFlag[] {
  return rows.map((row) => parseFlag(row)).filter((flag) => flag !== undefined);
}

export function parseFlag(found: unknown): StoredFlag | undefined {
  if (found === undefined) return undefined;
  const row = found as FlagRow;
  return {
    id: row.id,
    projectId: row.project_id,
    key: row.key,
    name: row.name,
    active: row.active === 1,
    deleted: row.deleted === 1,
    archived: row.archived === 1,
    version: row.version,
    createdAt: row.created_at,
    filters: parseJson(row.filters) as JsonObject,
    fields: parseJson(row.fields) as JsonObject,
  };
}

interface FlagRow {
  readonly id: number;
  readonly project_id: string;
  readonly key: string;
  readonly name: string;
  readonly active: number;
  readonly deleted: number;
  readonly archived: number;
  readonly version: number | null;
  readonly created_at: string;
  readonly fields: string;
  readonly filters: string;
}

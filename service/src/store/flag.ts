/** A stored flag, and its values by their names in the interface. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';

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

export function parseFlags(rows: readonly FlagRow[]): StoredFlag[] {
  return rows.map(parseFlag).filter((flag) => flag !== undefined);
}

export function parseFlag(row: FlagRow | undefined): StoredFlag | undefined {
  if (row === undefined) return undefined;
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
    filters: row.filters,
    fields: row.fields,
  };
}

export type FlagRow = Pick<StoredFlag, 'id' | 'key' | 'name' | 'version' | 'filters' | 'fields'> &
  Readonly<Record<'active' | 'deleted' | 'archived', number>> &
  Readonly<Record<'project_id' | 'created_at', string>>;

/** Turns rows of the table of flags into flags. */

import { parseJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { StoredFlag } from './flag.ts';

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

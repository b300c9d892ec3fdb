/** One flag as a manifest says it: every field that says something, under the manifest's own names. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import type { Flag, RoleAccessEntry } from '../flag.ts';
import { plainRollout, writtenFilters } from './filters.ts';
import type { NameLookup } from '../../names.ts';
import { uncheckedFilters } from './unchecked.ts';

/** Fields of newer services, written under `fields` where they differ from what a new flag gets. */
const FURTHER_FIELDS: Readonly<Record<string, JsonValue>> = {
  archived: false,
  bucketing_identifier: 'distinct_id',
  evaluation_contexts: [],
  evaluation_runtime: 'all',
  evaluation_tags: [],
  has_encrypted_payloads: false,
  is_remote_configuration: false,
};

/** How a flag's filters are written: so that every rule is held against them, or as they stand. */
export type FiltersForm = 'checked' | 'unchecked';

export interface WrittenAs {
  readonly form: FiltersForm;
  /** `undefined` where role access is not exported. */
  readonly roleAccess: readonly RoleAccessEntry[] | undefined;
  readonly names: NameLookup;
}

/** What stands under the flag's key. */
export function writtenFlag(flag: Flag, { form, roleAccess, names }: WrittenAs): JsonObject {
  const filters = form === 'unchecked' ? uncheckedFilters(flag, names) : undefined;
  const members: JsonObject = {
    description: flag.name?.trim() || undefined,
    active: flag.active,
    ...(form === 'checked' ? targeting(flag, names) : {}),
    ensure_experience_continuity: flag.ensure_experience_continuity === true ? true : undefined,
    tags: nonEmpty(flag.tags?.toSorted()),
    rollback_conditions: nonEmpty(flag['rollback_conditions']),
    role_access: nonEmpty(roleAccess && writtenRoles(roleAccess, names)),
    fields: nonEmpty({ ...furtherFields(flag), filters }),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function targeting(flag: Flag, names: NameLookup): JsonObject {
  const filters = writtenFilters(flag, names);
  const rollout = filters === undefined ? undefined : plainRollout(filters);
  return rollout === undefined ? { filters } : { rollout_percentage: rollout };
}

function writtenRoles(entries: readonly RoleAccessEntry[], names: NameLookup): string[] {
  const roles = entries.map(({ role }) => names.role(role.id) ?? role.id);
  return [...new Set(roles)].sort();
}

function furtherFields(flag: Flag): JsonObject {
  const told = Object.entries(FURTHER_FIELDS).filter(([name, usual]) => {
    const value = flag[name];
    return value !== undefined && value !== null && !jsonEquals(value, usual);
  });
  return Object.fromEntries(told.map(([name]) => [name, flag[name] as JsonValue]));
}

function nonEmpty(value: JsonValue | undefined): JsonValue | undefined {
  if (isJsonArray(value)) return value.length > 0 ? value : undefined;
  if (isJsonObject(value)) return definedKeys(value).length > 0 ? value : undefined;
  return undefined;
}

/** One flag as a manifest says it: every field that says something, under the manifest's own names. */

import { isJsonArray, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Flag, RoleAccessEntry } from '../../model/flag.ts';
import { plainRollout, writtenFilters } from './filters.ts';
import type { NameLookup } from './names.ts';

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

/** What stands under the flag's key; `roleAccess` is `undefined` where role access is not exported. */
export function writtenFlag(
  flag: Flag,
  roleAccess: readonly RoleAccessEntry[] | undefined,
  names: NameLookup,
): JsonObject {
  const members: JsonObject = {
    description: flag.name?.trim() || undefined,
    active: flag.active,
    ...targeting(flag, names),
    ensure_experience_continuity: flag.ensure_experience_continuity === true ? true : undefined,
    tags: nonEmpty(flag.tags?.toSorted()),
    rollback_conditions: nonEmpty(flag['rollback_conditions']),
    role_access: nonEmpty(roleAccess && writtenRoles(roleAccess, names)),
    fields: nonEmpty(furtherFields(flag)),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function targeting(flag: Flag, names: NameLookup): JsonObject {
  const filters = writtenFilters(flag, names);
  if (filters === undefined) return {};
  const rollout = plainRollout(filters);
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
  if (isJsonObject(value)) return Object.keys(value).length > 0 ? value : undefined;
  return undefined;
}

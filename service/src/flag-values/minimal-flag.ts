/** Reduces a flag to the fields that an SDK needs to evaluate it. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';

const NEWER_FIELDS: Readonly<Record<string, JsonValue>> = {
  version: null,
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
  evaluation_contexts: [],
};

/** The form since 2023. */
export function oldMinimalFlag(flag: StoredFlag): JsonObject {
  return {
    id: flag.id,
    team_id: parseTeamId(flag.projectId),
    name: flag.name,
    key: flag.key,
    filters: flag.filters,
    deleted: flag.deleted,
    active: flag.active,
    ensure_experience_continuity: storedValue(flag, 'ensure_experience_continuity') ?? false,
  };
}

export function minimalFlag(flag: StoredFlag): JsonObject {
  const newer = Object.entries(NEWER_FIELDS).map(([name, fallback]) => [name, storedValue(flag, name) ?? fallback]);
  return { ...oldMinimalFlag(flag), ...Object.fromEntries(newer) };
}

/** Team ids are numbers; a project with another id has team 0. */
export function parseTeamId(projectId: string): number {
  return /^\d{1,15}$/.test(projectId) ? Number(projectId) : 0;
}

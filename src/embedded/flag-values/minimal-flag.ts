/** A flag cut to what an evaluator elsewhere needs of it. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';

const NEWER_FIELDS: Readonly<Record<string, JsonValue>> = {
  version: null,
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
  evaluation_contexts: [],
};

/** As the service has had it since 2023. */
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

/** Teams are numbered; a project of another name has none. */
function parseTeamId(projectId: string): number {
  return /^\d{1,15}$/.test(projectId) ? Number(projectId) : 0;
}

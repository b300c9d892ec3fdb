/** Definitions of flags: the short form that other answers contain, and all of a project for local evaluation by SDKs of today. */

import { type JsonObject, type JsonValue, isJsonObject } from '../../../src/base/json.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';
import { comparing } from '../../../src/base/compare-strings.ts';
import { cyclicParts, reach, targetsFirst } from '../../../src/base/graph.ts';
import { plainText } from '../../../src/base/json-text.ts';
import type { ServiceContext } from '../handler/call.ts';
import { mapProperties, allProperties, formatOf } from '../filters/conditions.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { cohortIds, listLeaves } from '../filters/cohorts.ts';
import { projectFlags } from '../evaluation/flags.ts';

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

/**
 * `{flags, group_type_mapping, cohorts, …}`; flags sorted by key, with the cohorts that they use. Flags with encrypted payloads,
 * and those with rules instead of conditions, or that depend on such a flag, are left out: an SDK asks the service for them. The
 * same object until something changes.
 */
export function definitions(service: ServiceContext, projectId: string): JsonObject {
  return service.store.remember(`definitions of ${projectId}`, () => buildDefinitions(service, projectId));
}

function buildDefinitions(service: ServiceContext, projectId: string): JsonObject {
  const flags = projectFlags(service, projectId).toSorted(comparing(({ key }) => key));
  const byId = new Map(flags.map((flag) => [String(flag.id), flag]));
  const needed = (flag: StoredFlag): readonly string[] => [
    ...reach([String(flag.id)], (id) => listDependencies(byId.get(id))),
  ];
  const shown = flags.filter(
    (flag) =>
      storedValue(flag, 'has_encrypted_payloads') !== true &&
      needed(flag).every((id) => formatOf(byId.get(id)?.filters ?? {}) === 'conditions'),
  );
  const used = usedCohorts(shown, new Map(service.store.cohorts.list(projectId).map((cohort) => [cohort.id, cohort])));
  return {
    flags: shown.map((flag) => minimalFlag({ ...flag, filters: withPayloadTexts(withChains(flag, byId)) })),
    group_type_mapping: service.store.groups.types(projectId),
    cohorts: used,
    minimal_flag_called_events: false,
    property_matching_version: service.store.flags.matchesExplicitly(projectId) ? 2 : 1,
  };
}

/** The filters of the dynamic cohorts that flags name, directly or through other cohorts, by id. */
export function usedCohorts(flags: readonly StoredFlag[], cohorts: ReadonlyMap<number, StoredCohort>): JsonObject {
  const ids = flags.flatMap(({ filters }) => cohortIds(allProperties(filters)));
  const within = (id: number): number[] => cohortIds(listLeaves(cohorts.get(id)?.properties ?? {}));
  const named = [...new Set([...ids, ...reach(ids, within)])].toSorted((a, b) => a - b);
  const dynamic = named.flatMap((id) => {
    const properties = cohorts.get(id)?.properties ?? null;
    return properties === null ? [] : [[String(id), properties] as const];
  });
  return Object.fromEntries(dynamic);
}

/** SDKs expect payloads as strings of JSON; the documented profile stores them as sent. */
function withPayloadTexts(filters: JsonObject): JsonObject {
  const { payloads } = filters;
  if (!isJsonObject(payloads)) return filters;
  const texts = Object.entries(payloads).map(([key, value = null]) => [key, plainText(value)]);
  return { ...filters, payloads: Object.fromEntries(texts) };
}

type StoredFlags = ReadonlyMap<string, StoredFlag>;

/** Names dependencies by key, each with the flags to evaluate first, in order. */
function withChains({ filters }: StoredFlag, byId: StoredFlags): JsonObject {
  return mapProperties(filters, (property) => {
    if (property['type'] !== 'flag') return property;
    const dependency = byId.get(readFlagId(property));
    const key: JsonValue = dependency?.key ?? property['key'] ?? null;
    return { ...property, key, dependency_chain: dependency === undefined ? [] : buildChain(dependency, byId) };
  });
}

/** The keys of a flag and its dependencies, dependencies first; empty for a missing flag or a cycle. */
function buildChain(flag: StoredFlag, byId: StoredFlags): string[] {
  const listTargets = (id: string): string[] => listDependencies(byId.get(id));
  const graph = new Map([...reach([String(flag.id)], listTargets)].map((id) => [id, listTargets(id)]));
  if (cyclicParts(graph).size > 0) return [];
  const flags = targetsFirst(graph).map((id) => byId.get(id));
  return flags.every((one) => one !== undefined) ? flags.map(({ key }) => key) : [];
}

function listDependencies(flag: StoredFlag | undefined): string[] {
  return allProperties(flag?.filters ?? {})
    .filter(({ type }) => type === 'flag')
    .map(readFlagId);
}

/** The id of the flag that a condition names, as a string. */
function readFlagId({ key = null }: JsonObject): string {
  return plainText(key);
}

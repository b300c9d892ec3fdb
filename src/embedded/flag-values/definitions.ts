/** The flag definitions that an SDK evaluates by itself: today's form, made to need nothing else. */

import { comparing } from '../../base/compare-strings.ts';
import { cyclicParts, reach, targetsFirst } from '../../base/graph.ts';
import { stringifyJson } from '../../base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { mapProperties, allProperties } from '../filters/conditions.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';
import { projectFlags } from '../evaluation/flags.ts';
import { minimalFlag } from './minimal-flag.ts';

/** How values are compared with true and false; 2 does it another way than our evaluation and the service's. */
const PROPERTY_MATCHING_VERSION = 1;

/** `{flags, group_type_mapping, cohorts, …}`; flags sorted by key. Encrypted payloads stay here. */
export function definitions(service: ServiceContext, projectId: string): JsonObject {
  const flags = projectFlags(service, projectId).toSorted(comparing(({ key }) => key));
  const byId = new Map(flags.map((flag) => [String(flag.id), flag]));
  const shown = flags.filter((flag) => storedValue(flag, 'has_encrypted_payloads') !== true);
  const cohorts = service.store.cohorts.list(projectId).filter(({ properties }) => properties !== null);
  return {
    flags: shown.map((flag) => minimalFlag({ ...flag, filters: withPayloadTexts(withChains(flag, byId)) })),
    group_type_mapping: service.store.groups.types(projectId),
    cohorts: Object.fromEntries(cohorts.map(({ id, properties }) => [String(id), properties])),
    minimal_flag_called_events: false,
    property_matching_version: PROPERTY_MATCHING_VERSION,
  };
}

/** SDKs want JSON text; the documented profile stores payloads as they were sent. */
function withPayloadTexts(filters: JsonObject): JsonObject {
  const { payloads } = filters;
  if (!isJsonObject(payloads)) return filters;
  const texts = Object.entries(payloads).map(([key, value = null]) => [
    key,
    typeof value === 'string' ? value : stringifyJson(value),
  ]);
  return { ...filters, payloads: Object.fromEntries(texts) };
}

type Flags = ReadonlyMap<string, StoredFlag>;

/** Dependencies by key, each with the flags to evaluate for it, in their order. */
function withChains({ filters }: StoredFlag, byId: Flags): JsonObject {
  return mapProperties(filters, (property) => {
    if (property['type'] !== 'flag') return property;
    const dependency = byId.get(readFlagId(property));
    const key: JsonValue = dependency?.key ?? property['key'] ?? null;
    return { ...property, key, dependency_chain: dependency === undefined ? [] : buildChain(dependency, byId) };
  });
}

/** The keys of a flag and of all that it depends on, dependencies first; empty where one is missing or they form a cycle. */
function buildChain(flag: StoredFlag, byId: Flags): string[] {
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

/** The id of the flag that a condition names, as text. */
function readFlagId({ key = null }: JsonObject): string {
  return typeof key === 'string' ? key : stringifyJson(key);
}

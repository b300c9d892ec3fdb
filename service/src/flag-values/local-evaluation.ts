/** `local_evaluation`: the flag definitions for local evaluation, in each profile's form. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { allProperties, groupsOf, propertiesOf } from '../filters/conditions.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import type { StoredFlag } from '../store/flag.ts';
import { definitions, usedCohorts, oldMinimalFlag } from './definitions.ts';
import { projectFlags } from '../evaluation/flags.ts';

/** Includes inactive flags, not deleted ones; has no pages. */
export function localEvaluation(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: localDefinitions(service, call) };
}

/** The same object until something changes. The mere presence of `send_cohorts` counts, whatever its value. */
export function localDefinitions(service: ServiceContext, { projectId, query }: Call): JsonObject {
  const { store, rules } = service;
  if (rules.evaluatedFlags === 'minimal') return definitions(service, projectId);
  const hasCohorts = query.has('send_cohorts');
  return store.remember(`old definitions of ${projectId}, ${hasCohorts ? 'with' : 'without'} cohorts`, () =>
    hasCohorts ? oldDefinitionsWithCohorts(service, projectId) : oldDefinitions(service, projectId),
  );
}

/** The form for SDKs that know no cohorts. */
function oldDefinitions(service: ServiceContext, projectId: string): JsonObject {
  const cohorts = findCohorts(service, projectId);
  const flags = projectFlags(service, projectId).map((flag) => ({ ...flag, filters: withoutCohort(flag, cohorts) }));
  return { flags: flags.map(oldMinimalFlag), group_type_mapping: service.store.groups.types(projectId) };
}

function oldDefinitionsWithCohorts(service: ServiceContext, projectId: string): JsonObject {
  const flags = projectFlags(service, projectId);
  return {
    flags: flags.map(oldMinimalFlag),
    group_type_mapping: service.store.groups.types(projectId),
    cohorts: usedCohorts(flags, findCohorts(service, projectId)),
  };
}

type StoredCohorts = ReadonlyMap<number, StoredCohort>;

function findCohorts({ store }: ServiceContext, projectId: string): StoredCohorts {
  return new Map(store.cohorts.list(projectId).map((cohort) => [cohort.id, cohort]));
}

/**
 * Replaces the only cohort of a flag if person properties can express it, with one condition per alternative: SDKs
 * of 2023 know no cohorts. Other flags keep their filters, and their SDK asks the service.
 */
function withoutCohort({ filters }: StoredFlag, cohorts: ReadonlyMap<number, StoredCohort>): JsonObject {
  const ids = new Set(
    allProperties(filters)
      .filter(isCohort)
      .map(({ value }) => Number(value)),
  );
  const [id] = ids;
  const cohort = ids.size === 1 && id !== undefined ? cohorts.get(id) : undefined;
  const alternatives = cohort?.properties ? findAlternatives(cohort.properties) : undefined;
  if (alternatives === undefined || allProperties(filters).some(isNegatedCohort)) return filters;
  return { ...filters, groups: groupsOf(filters).flatMap((group) => expandGroup(group, alternatives)) };
}

function expandGroup(group: JsonObject, alternatives: readonly JsonObject[][]): JsonObject[] {
  const properties = propertiesOf(group);
  if (!properties.some(isCohort)) return [group];
  const others = properties.filter((property) => !isCohort(property));
  return alternatives.map((alternative) => ({ ...group, properties: [...others, ...alternative] }));
}

/** Alternative lists of properties, each to be matched whole; `undefined` for a cohort that they cannot express. */
function findAlternatives(node: JsonObject): JsonObject[][] | undefined {
  const values = node['values'];
  if (!isJsonArray(values)) return isPersonProperty(node) ? [[node]] : undefined;
  const parts = values.map((value) => (isJsonObject(value) ? findAlternatives(value) : undefined));
  if (!parts.every((part) => part !== undefined) || parts.length === 0) return undefined;
  if (node['type'] === 'OR') return parts.flat();
  const isPlain = parts.every((part) => part.length === 1);
  return isPlain ? [parts.flatMap((part) => part[0] ?? [])] : undefined;
}

function isPersonProperty({ type = 'person', negation = false, key }: JsonObject): boolean {
  return type === 'person' && negation !== true && key !== undefined;
}

function isCohort(property: JsonObject): property is JsonObject & { readonly value: JsonValue } {
  return property['type'] === 'cohort';
}

function isNegatedCohort(property: JsonObject): boolean {
  return isCohort(property) && (property['operator'] === 'not_in' || property['negation'] === true);
}

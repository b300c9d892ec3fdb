/** The values of each declared cohort in one project, with aliases instead of ids. */

import { definedKeys, isJsonObject, objectFrom, type JsonObject } from '../../base/json.ts';
import { canonicalCohort, comparableCohort } from './canonical.ts';
import { mapLeaves, readReference } from '../flag/model/cohort-filters.ts';
import type { LiveState } from '../live.ts';
import { lookupNames } from '../flag/model/names.ts';
import type { Project } from '../project.ts';
import type { ComparableValues, ComparableFamily } from '../parity/parity-values.ts';

export const COMPARABLE_COHORTS: ComparableFamily<'cohorts'> = {
  declared: (cohort, project) => (cohort.kind === 'retired' ? undefined : declaredCohortValues(cohort.fields, project)),
  elsewhere: ({ key }) => [key],
  live: liveCohortValues,
};

export function declaredCohortValues(declared: JsonObject, project: Project): ComparableValues {
  const fields = withAliases({ ...emptyFields(declared), ...canonicalCohort(declared) }, project);
  return { fields, isPartial: true };
}

/** A declared field is managed, also where its value means the same as none: that one value stands for all of these. */
function emptyFields(declared: JsonObject): JsonObject {
  return objectFrom(definedKeys(declared).map((field) => [field, field === 'description' ? '' : null] as const));
}

/** The live cohorts to which the project gives an alias, by the configuration or by their names. */
function liveCohortValues(
  { cohorts = [] }: LiveState,
  project: Project,
): readonly (readonly [string, ComparableValues])[] {
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  return Object.entries(project.cohorts).flatMap(([alias, id]): [string, ComparableValues][] => {
    const cohort = byId.get(id);
    if (cohort === undefined || cohort.deleted === true) return [];
    const { deleted: _, is_static: isStatic, ...comparable } = comparableCohort(cohort);
    const fields = { ...withAliases(comparable, project), ...(isStatic === true ? { is_static: true } : {}) };
    return [[alias, { fields, isPartial: false }]];
  });
}

/** An id without an alias stays. */
function withAliases(fields: JsonObject, project: Project): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters) || !isJsonObject(filters['properties'])) return fields;
  const names = lookupNames([], project);
  const properties = mapLeaves(filters['properties'], (leaf) => {
    const reference = leaf['type'] === 'cohort' ? readReference(leaf['value']) : undefined;
    const alias = typeof reference === 'number' ? names.cohort(reference) : undefined;
    return alias === undefined ? leaf : { ...leaf, value: alias };
  });
  return { ...fields, filters: { ...filters, properties } };
}

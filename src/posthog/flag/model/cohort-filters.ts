/** The cohorts that filters name, and the tree of filters in the definition of a cohort. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';

/** The id of a cohort, or, where it is declared without one, its alias. */
export type CohortReference = number | string;

/** A string that is not a number is an alias. */
export function readReference(value: JsonValue | undefined): CohortReference | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value !== 'string' || value === '') return undefined;
  return /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** Maps each leaf of a tree; a node with `values` is a group. */
export function mapLeaves(node: JsonObject, change: (leaf: JsonObject) => JsonObject): JsonObject {
  const { values } = node;
  if (!isJsonArray(values)) return isLeaf(node) ? change(node) : node;
  const mapped = values.map((value): JsonValue => (isJsonObject(value) ? mapLeaves(value, change) : value));
  return { ...node, values: mapped };
}

/** The fields of a cohort with each leaf of its definition changed. */
export function mapDefinition(fields: JsonObject, change: (leaf: JsonObject) => JsonObject): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters) || !isJsonObject(filters['properties'])) return fields;
  return { ...fields, filters: { ...filters, properties: mapLeaves(filters['properties'], change) } };
}

/** The tree of a cohort without a definition may be an empty object. */
function isLeaf(node: JsonObject): boolean {
  return Object.hasOwn(node, 'key') || Object.hasOwn(node, 'value');
}

/** The leaves of the definition in `filters`, in order of appearance. */
export function leavesOf(filters: JsonValue | undefined): JsonObject[] {
  const leaves: JsonObject[] = [];
  const collect = (leaf: JsonObject): JsonObject => {
    leaves.push(leaf);
    return leaf;
  };
  if (isJsonObject(filters) && isJsonObject(filters['properties'])) mapLeaves(filters['properties'], collect);
  return leaves;
}

/** The cohorts that leaves or conditions of type `cohort` name, each once. */
export function cohortsIn(properties: readonly JsonObject[]): readonly CohortReference[] {
  const found = properties.flatMap(({ type, value }) => (type === 'cohort' ? (readReference(value) ?? []) : []));
  return [...new Set(found)];
}

/** The cohort that an alias refers to; `undefined`: itself. */
export type ReferenceOf = (alias: string) => CohortReference | undefined;

/** The fields with ids instead of the aliases that have one. */
export function withCohortIds(fields: JsonObject, idOf: ReferenceOf): JsonObject {
  const { filters } = fields;
  const mapped = mapCohorts(filters, (reference) => (typeof reference === 'string' ? idOf(reference) : undefined));
  return mapped === undefined || mapped === filters ? fields : { ...fields, filters: mapped };
}

/** The definition in `filters` with other references to cohorts; a reference for which `change` has none stays. */
export function mapCohorts<Filters extends JsonValue | undefined>(
  filters: Filters,
  change: (reference: CohortReference) => CohortReference | undefined,
): Filters | JsonObject {
  if (!isJsonObject(filters)) return filters;
  const mapped = mapDefinition({ filters }, (leaf) => {
    const reference = leaf['type'] === 'cohort' ? readReference(leaf['value']) : undefined;
    const other = reference === undefined ? undefined : change(reference);
    return other === undefined ? leaf : { ...leaf, value: other };
  });
  return mapped['filters'] as JsonObject;
}

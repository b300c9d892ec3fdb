/** `filters` in the documented profile: stored as sent, replaced whole, checked for little. */

import { stringifyJson } from '../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { invalid } from '../handler/envelope.ts';
import { allProperties, groupsOf, variantKeys, variantsOf } from './conditions.ts';
import type { FilterRules } from './types.ts';

export const DOCUMENTED_FILTERS: FilterRules = {
  create(sent) {
    if (sent === undefined) return { groups: [] };
    const filters = sent['groups'] === undefined ? { groups: [], ...sent } : sent;
    checkShape(filters);
    // Only a create checks the sum; see "Filters" in docs/service.md.
    checkVariantSum(filters);
    checkReferences(filters);
    checkAggregation(filters);
    return filters;
  },
  update(sent, stored) {
    // Without `groups` the service discards the whole object and still answers 200.
    if (sent?.['groups'] === undefined) return stored;
    checkShape(sent);
    checkReferences(sent);
    checkAggregation(sent);
    return sent;
  },
};

/** Not documented, but conditions of another shape could be neither evaluated nor shown. */
function checkShape(filters: JsonObject): void {
  if (!isListOfObjects(filters['groups'])) throw problem('groups must be a list of objects');
  for (const group of groupsOf(filters)) {
    const properties = group['properties'] ?? [];
    if (!isListOfObjects(properties)) throw problem('properties of a condition must be a list of objects');
  }
  const multivariate = filters['multivariate'] ?? null;
  if (multivariate === null) return;
  const variants = isJsonObject(multivariate) ? (multivariate['variants'] ?? []) : null;
  if (!isListOfObjects(variants)) throw problem('multivariate.variants must be a list of objects');
}

function checkVariantSum(filters: JsonObject): void {
  const variants = variantsOf(filters);
  if (variants.length === 0) return;
  const sum = variants.reduce((total, variant) => total + Number(variant['rollout_percentage'] ?? 0), 0);
  if (!(Math.abs(sum - 100) < 1e-6)) {
    const detail = 'Invalid variant definitions: the rollout percentages of the variants must sum to 100.';
    throw invalid('invalid_input', detail, null);
  }
}

function checkReferences(filters: JsonObject): void {
  const variants = variantKeys(filters);
  for (const { variant = null } of groupsOf(filters)) {
    if (variant !== null && !variants.includes(variant)) {
      throw problem(`a condition names the variant ${stringifyJson(variant)}, which does not exist`);
    }
  }
  const payloads = filters['payloads'];
  const allowed = variants.length > 0 ? variants : ['true'];
  for (const key of isJsonObject(payloads) ? Object.keys(payloads) : []) {
    if (!allowed.includes(key))
      throw problem(`the payload key ${stringifyJson(key)} is not one of ${stringifyJson(allowed)}`);
  }
}

function checkAggregation(filters: JsonObject): void {
  const index = filters['aggregation_group_type_index'] ?? null;
  for (const { type = 'person', group_type_index: typeIndex } of allProperties(filters)) {
    if (index === null && type !== 'person' && type !== 'cohort') {
      throw problem('a flag for persons can only have person and cohort conditions');
    }
    if (index !== null && (type !== 'group' || typeIndex !== index)) {
      throw problem('a flag for groups can only have conditions on properties of that group');
    }
  }
}

function isListOfObjects(value: JsonValue | undefined): boolean {
  return isJsonArray(value) && value.every(isJsonObject);
}

function problem(detail: string): Error {
  return invalid('invalid_input', `Invalid filters: ${detail}.`, 'filters');
}

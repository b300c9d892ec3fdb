/**
 * `filters` in the documented profile: stored as sent, replaced whole, checked as PostHog did in 2023. Where that service
 * failed with a 500, a 400 says why.
 */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonArray, isJsonNumber, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import { checkCohort } from './cohorts.ts';
import { allProperties, groupsOf, propertiesOf, variantKeys, variantsOf } from './conditions.ts';
import type { FilterSettings, FilterRules } from './rules.ts';

export const DOCUMENTED_FILTERS: FilterRules = {
  create(sent, context) {
    if (sent === undefined) return { groups: [] };
    const filters = sent['groups'] === undefined ? { groups: [], ...sent } : sent;
    check(filters, context);
    // Only a create checks the sum; see "Filters" in docs/service.md.
    checkVariantSum(filters);
    return filters;
  },
  update(sent, stored, context) {
    // The service discards an object without `groups` and still answers 200.
    if (sent?.['groups'] === undefined) return stored;
    check(sent, context);
    return sent;
  },
};

/** Checks in the order of the service, which reports the first problem. */
function check(filters: JsonObject, { findCohort }: FilterSettings): void {
  checkShape(filters);
  allProperties(filters).forEach(checkProperty);
  checkAggregation(filters);
  for (const group of groupsOf(filters)) {
    checkForcedVariant(group, variantKeys(filters));
    for (const property of propertiesOf(group)) checkCohort(property, findCohort, 'own');
  }
  checkPayloads(filters);
}

/** The documentation omits this; the service of 2023 failed on most other shapes. */
function checkShape(filters: JsonObject): void {
  if (!isListOfObjects(filters['groups'])) throw invalidFilters('groups must be a list of objects');
  for (const { properties = [] } of groupsOf(filters)) {
    if (!isListOfObjects(properties)) throw invalidFilters('properties of a condition must be a list of objects');
  }
  const multivariate = filters['multivariate'] ?? null;
  if (multivariate === null) return;
  if (!isJsonObject(multivariate) || !isListOfObjects(multivariate['variants'] ?? []))
    throw invalidFilters('multivariate.variants must be a list of objects');
  if (variantsOf(filters).some(({ key }) => key === undefined)) throw invalidFilters('a variant has no key');
}

/** A property without a type was one of events, which flags cannot use. */
function checkProperty({ key = null, type = 'event', value = null, operator = null }: JsonObject): void {
  if (key === null) throw invalidFilters('a property has no key');
  if (value === null && operator !== 'is_set' && operator !== 'is_not_set') {
    throw invalidFilters(`the property ${stringifyJson(key)} has no value`);
  }
  if (typeof type !== 'string') throw invalidFilters(`the property ${stringifyJson(key)} has no valid type`);
}

function checkAggregation(filters: JsonObject): void {
  const index = filters['aggregation_group_type_index'] ?? null;
  for (const { type, group_type_index: typeIndex } of allProperties(filters)) {
    if (index === null && type !== 'person' && type !== 'cohort') {
      throw invalidFilters('a flag for persons can only have person and cohort conditions');
    }
    if (index !== null && (type !== 'group' || typeIndex !== index)) {
      throw invalidFilters('a flag for groups can only have conditions on properties of that group');
    }
  }
}

function checkForcedVariant({ variant = null }: JsonObject, variants: readonly JsonValue[]): void {
  if (variant !== null && variant !== '' && !variants.includes(variant)) {
    throw invalidFilters(`a condition names the variant ${stringifyJson(variant)}, which does not exist`);
  }
}

/** Null is refused, unlike an omitted member. */
function checkPayloads(filters: JsonObject): void {
  const { multivariate, payloads = {} } = filters;
  if (!isJsonObject(payloads)) throw invalidFilters('payloads must be an object');
  const isMultivariate = isJsonObject(multivariate) && Object.keys(multivariate).length > 0;
  const allowed = isMultivariate ? variantKeys(filters) : ['true'];
  for (const key of Object.keys(payloads)) {
    if (!allowed.includes(key))
      throw invalidFilters(`the payload key ${stringifyJson(key)} is not one of ${stringifyJson(allowed)}`);
  }
}

/** The sum must be exactly 100 in floating point. */
function checkVariantSum(filters: JsonObject): void {
  const variants = variantsOf(filters);
  if (variants.length === 0) return;
  const shares = variants.map(({ rollout_percentage: share = null }) =>
    isJsonNumber(share) ? Number(share) : Number.NaN,
  );
  if (shares.reduce((total, share) => total + share, 0) !== 100) {
    const detail = 'Invalid variant definitions: the rollout percentages of the variants must sum to 100.';
    throw invalidInput(detail);
  }
}

function isListOfObjects(value: JsonValue | undefined): boolean {
  return isJsonArray(value) && value.every(isJsonObject);
}

export function invalidFilters(detail: string): Error {
  return invalid('invalid_input', `Invalid filters: ${detail}.`, 'filters');
}

/** Checks `filters` by PostHog's rules across values; reports the first violation. */

import { findPythonFault } from '../../../src/base/pattern/python.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalid } from '../handler/envelope.ts';
import { checkCohort, type FindCohort } from './cohorts.ts';
import { allProperties, groupsOf, propertiesOf, variantKeys, variantsOf } from './conditions.ts';
import { findValueRule, isPatternOperator } from './operators.ts';

/** Expects filters of valid shape, in which each condition has its aggregation. The order is the service's. */
export function checkCrossField(filters: JsonObject): void {
  checkVariants(filters);
  checkPayloadKeys(filters);
  checkForcedVariants(filters);
  for (const group of groupsOf(filters)) {
    const aggregation = group['aggregation_group_type_index'] ?? null;
    for (const property of propertiesOf(group)) checkAggregation(property, aggregation);
  }
  for (const property of allProperties(filters)) checkOperator(property);
}

export interface ReferenceContext {
  readonly findCohort: FindCohort;
  /** Stored patterns are not checked again. */
  readonly knownRegexes: ReadonlySet<JsonValue>;
}

/** Checks the patterns and the cohorts of conditions. */
export function checkReferences(filters: JsonObject, context: ReferenceContext): void {
  for (const property of allProperties(filters)) {
    checkPattern(property, context);
    checkCohort(property, context.findCohort, 'nested');
  }
}

/** Decimals such as 0.01 + 64.04 + 35.95 do not add up exactly in floating point. */
const SUM_TOLERANCE = 1e-9;

function checkVariants(filters: JsonObject): void {
  const keys = variantKeys(filters);
  const sum = variantsOf(filters).reduce((total, variant) => total + Number(variant['rollout_percentage']), 0);
  if (keys.length > 0 && Math.abs(sum - 100) > SUM_TOLERANCE) {
    throw broken('variant_rollout_sum_not_100', `The rollout percentages of the variants sum to ${sum}, not to 100.`);
  }
  if (new Set(keys).size !== keys.length) throw broken('variant_keys_not_unique', 'Two variants have the same key.');
}

function checkForcedVariants(filters: JsonObject): void {
  const keys = variantKeys(filters);
  for (const { variant = null } of groupsOf(filters)) {
    // An empty string forces nothing.
    if (variant !== null && variant !== '' && !keys.includes(variant)) {
      throw broken(
        'group_variant_not_a_variant',
        `A condition names ${stringifyJson(variant)}, which is not a variant.`,
      );
    }
  }
}

function checkPayloadKeys(filters: JsonObject): void {
  const payloads = filters['payloads'];
  const variants = variantKeys(filters);
  for (const key of isJsonObject(payloads) ? Object.keys(payloads) : []) {
    if (variants.length === 0 && key !== 'true') {
      throw broken(
        'payload_key_not_true',
        `A flag without variants has a payload for "true" only, not for ${stringifyJson(key)}.`,
      );
    }
    if (variants.length > 0 && !variants.includes(key)) {
      throw broken('payload_key_not_a_variant', `The payload key ${stringifyJson(key)} is not a variant.`);
    }
  }
}

function checkAggregation(property: JsonObject, index: JsonValue): void {
  const { type } = property;
  if (index === null && type === 'group') {
    throw broken('person_aggregation_property_type', 'A condition for persons cannot use group properties.');
  }
  if (index !== null && type !== 'group') {
    throw broken('group_aggregation_property_type', 'A condition for groups can only use group properties.');
  }
  if (index !== null && property['group_type_index'] !== index) {
    throw broken(
      'group_property_type_index_mismatch',
      'The group type of a property differs from that of its condition.',
    );
  }
}

function checkOperator({ type, operator = null, value = null }: JsonObject): void {
  if (type === 'flag' && operator !== 'flag_evaluates_to') {
    throw broken('flag_property_requires_flag_evaluates_to', 'A condition on a flag requires flag_evaluates_to.');
  }
  if ((operator === 'in' || operator === 'not_in') && type !== 'cohort') {
    throw broken('in_not_in_requires_cohort', `The operator ${operator} is for cohorts only.`);
  }
  const rule = typeof operator === 'string' ? findValueRule(operator) : undefined;
  if (rule !== undefined && !rule.fits(value)) {
    throw invalid(rule.code, `The operator ${stringifyJson(operator)} requires ${rule.expected}.`, 'filters');
  }
}

function checkPattern({ operator = null, value = null }: JsonObject, { knownRegexes }: ReferenceContext): void {
  if (!isPatternOperator(operator) || typeof value !== 'string' || knownRegexes.has(value)) return;
  if (findPythonFault(value) !== undefined) {
    throw invalid('invalid_input', `${stringifyJson(value)} is not a regular expression.`, 'filters');
  }
}

function broken(rule: string, detail: string): Error {
  return invalid(`cross_field.${rule}`, detail, 'filters');
}

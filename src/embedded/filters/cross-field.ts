/** Checks `filters` by PostHog's rules across values; reports the first violation. */

import { stringifyJson } from '../../base/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { invalid } from '../handler/envelope.ts';
import { groupsOf, propertiesOf, variantKeys, variantsOf } from './conditions.ts';
import { findValueRule, isPatternOperator, isRegex } from './operators.ts';

export interface CrossFieldContext {
  readonly cohortExists: (id: number) => boolean;
  readonly isBehavioral: (id: number) => boolean;
  /** Stored patterns are not checked again. */
  readonly knownRegexes: ReadonlySet<JsonValue>;
}

/** Expects filters of valid shape, in which each condition has its aggregation. */
export function checkCrossField(filters: JsonObject, context: CrossFieldContext): void {
  checkVariants(filters);
  checkPayloadKeys(filters);
  for (const group of groupsOf(filters)) {
    for (const property of propertiesOf(group)) {
      checkAggregation(property, group['aggregation_group_type_index'] ?? null);
      checkOperator(property, context);
      checkCohort(property, context);
    }
  }
}

function checkVariants(filters: JsonObject): void {
  const keys = variantKeys(filters);
  const sum = variantsOf(filters).reduce((total, variant) => total + Number(variant['rollout_percentage']), 0);
  if (keys.length > 0 && Math.abs(sum - 100) > 1e-6) {
    throw broken('variant_rollout_sum_not_100', `The rollout percentages of the variants sum to ${sum}, not to 100.`);
  }
  if (new Set(keys).size !== keys.length) throw broken('variant_keys_not_unique', 'Two variants have the same key.');
  for (const { variant = null } of groupsOf(filters)) {
    if (variant !== null && !keys.includes(variant)) {
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
  const type = property['type'] ?? 'person';
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

function checkOperator(property: JsonObject, context: CrossFieldContext): void {
  const { type = 'person', operator = null, value = null } = property;
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
  if (isPatternOperator(operator) && typeof value === 'string' && !context.knownRegexes.has(value) && !isRegex(value)) {
    throw invalid('invalid_input', `${stringifyJson(value)} is not a regular expression.`, 'filters');
  }
}

function checkCohort({ type, value }: JsonObject, context: CrossFieldContext): void {
  if (type !== 'cohort') return;
  const id = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(id) || !context.cohortExists(id)) {
    throw invalid('cohort_does_not_exist', `The cohort ${stringifyJson(value ?? null)} does not exist.`, 'filters');
  }
  if (context.isBehavioral(id)) {
    throw invalid('behavioral_cohort_found', `The cohort ${id} depends on events.`, 'filters');
  }
}

function broken(rule: string, detail: string): Error {
  return invalid(`cross_field.${rule}`, detail, 'filters');
}

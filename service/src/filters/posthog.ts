/** `filters` in the posthog profile: merged, checked by every rule, and normalized. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import {
  canonicalText,
  isJsonObject,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
  memberOf,
  isJsonArray,
  isJsonNumber,
} from '../../../src/base/json.ts';
import { invalid, type Refusal, invalidInput } from '../handler/envelope.ts';
import { pythonJson } from '../format/python-json.ts';
import { allProperties, groupsOf, propertiesOf, variantKeys, variantsOf, formatOf, undecorated } from './conditions.ts';
import { isPatternOperator, OPERATOR_ALIASES, OPERATOR_NAMES, findValueRule } from './operators.ts';
import type { FilterSettings, FilterRules } from './rules.ts';
import { findPythonFault } from '../../../src/base/pattern/python.ts';
import { checkCohort } from './cohorts.ts';

/** The limit in bytes of compact JSON with sorted keys. */
const SIZE_LIMIT = 512 * 1024;
/** Obsolete parts of other products; the service removes them on any save. */
const OUTDATED = ['super_groups', 'holdout_groups'];

export const POSTHOG_FILTERS: FilterRules = {
  create(sent, context) {
    if (sent === undefined) return { groups: context.isRemoteConfiguration ? [EVERYBODY] : [] };
    if (Object.hasOwn(sent, 'version')) throw reservedVersion();
    const filters = accept(sent, context);
    return context.isRemoteConfiguration ? withFullRollout(filters) : filters;
  },
  update(sent, stored, context) {
    // This is refused before the stored format is looked at.
    if (sent !== undefined && Object.hasOwn(sent, 'version')) throw reservedVersion();
    if (formatOf(stored) !== 'conditions') throw unsupportedFormat();
    if (sent === undefined) return withoutEndedSecret(withoutOutdated(stored), context);
    const marked = withMarks(sent, stored, context);
    // Omitted members stay; only an explicit null removes one.
    const isEmpty = Object.keys(sent).length === 0;
    const merged = isEmpty
      ? withoutOutdated({ ...stored, ...marked })
      : accept({ ...stored, ...marked }, context, stored);
    return isEmpty && !context.wasEncrypted ? merged : withoutMarks(merged, stored, context);
  },
};

/** The outdated members of stored filters, which an action on a flag keeps. */
export function outdatedMembers(stored: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => OUTDATED.includes(name)));
}

/** The refusal of a write to a flag whose filters have another format. */
export function unsupportedFormat(): Refusal {
  return invalid('unsupported_config_version', "The format of the flag's filters cannot be updated here.", 'filters');
}

function reservedVersion(): Refusal {
  return invalid('reserved_config_version', 'filters.version is reserved.', 'filters');
}

const EVERYBODY: JsonObject = { properties: [], rollout_percentage: 100, variant: null };

const INDEX: Shape = { kind: 'integer', bits: 32, nullable: true };
const NOTE: Shape = { kind: 'text', nullable: true };
const PERCENTAGE = { kind: 'number', minimum: 0, maximum: 100 } as const;

const PROPERTY: ShapeMembers = {
  key: { kind: 'text', nonBlank: true, fromNumber: true },
  value: { kind: 'anything' },
  type: { kind: 'choice', values: ['person', 'cohort', 'group', 'flag'] },
  operator: { kind: 'choice', values: OPERATOR_NAMES, aliases: OPERATOR_ALIASES, nullable: true },
  group_type_index: INDEX,
  negation: { kind: 'boolean', nullable: true },
  label: NOTE,
  cohort_name: NOTE,
  group_key_names: { kind: 'anything' },
};

const GROUP: ShapeMembers = {
  properties: { kind: 'list', of: { kind: 'object', members: PROPERTY, required: ['key', 'type'] }, nullable: true },
  rollout_percentage: { ...PERCENTAGE, nullable: true },
  variant: { kind: 'text', nullable: true },
  aggregation_group_type_index: INDEX,
  description: NOTE,
  // A string or number of the web interface, which the service does not check.
  sort_key: { kind: 'anything' },
  exposure_frozen: { kind: 'boolean', nullable: true },
  exposure_frozen_cohort: { kind: 'integer', bits: 64, nullable: true },
};

const VARIANT: ShapeMembers = {
  key: { kind: 'text', nonBlank: true, maxLength: 400, pattern: /^[a-zA-Z0-9_\-./]+$/ },
  name: NOTE,
  rollout_percentage: PERCENTAGE,
  description: NOTE,
};

const VARIANTS: Shape = {
  kind: 'list',
  nonEmpty: true,
  of: { kind: 'object', members: VARIANT, required: ['key', 'rollout_percentage'] },
};

const FILTERS: Shape = {
  kind: 'object',
  members: {
    groups: { kind: 'list', of: { kind: 'object', members: GROUP } },
    multivariate: { kind: 'object', members: { variants: VARIANTS }, required: ['variants'], nullable: true },
    aggregation_group_type_index: INDEX,
    payloads: { kind: 'map', nullable: true },
    feature_enrollment: { kind: 'boolean', nullable: true },
    holdout: {
      kind: 'object',
      members: { id: { kind: 'integer', bits: 64 }, exclusion_percentage: PERCENTAGE },
      required: ['id', 'exclusion_percentage'],
      nullable: true,
    },
    early_exit: { kind: 'boolean', nullable: true },
  },
};

/** The checks are in the order of the service, which reports the first problem. `stored` is absent for a new flag. */
function accept(filters: JsonObject, context: FilterSettings, stored?: JsonObject): JsonObject {
  checkSize(filters);
  const shaped = objectOrEmpty(conform(filters, FILTERS, ''));
  if (stored === undefined && groupsOf(shaped).length === 0) {
    throw invalid('invalid_input', 'filters.groups requires at least one condition.', 'filters');
  }
  const normal = undecorated(withPayloadTexts(withAggregation(shaped)));
  const isPersonal = groupsOf(normal).some((group) => group['aggregation_group_type_index'] === null);
  if (isPersonal) context.checkDependencies(normal);
  checkCrossField(normal);
  // Stored patterns are not checked again.
  const known = allProperties(stored ?? {}).filter(({ operator }) => isPatternOperator(operator));
  const patterns = new Set(known.map(({ value = null }) => value));
  for (const property of allProperties(normal)) {
    if (!patterns.has(property['value'] ?? null)) checkPattern(property);
    checkCohort(property, context.findCohort, 'nested');
  }
  checkSize(normal);
  return normal;
}

function checkSize(filters: JsonObject): void {
  if (Buffer.byteLength(canonicalText(filters)) > SIZE_LIMIT) {
    throw invalid('invalid_input', `filters are larger than ${SIZE_LIMIT} bytes.`, 'filters');
  }
}

/** Each condition stores its aggregation; the flag also stores it where all conditions agree. */
function withAggregation(filters: JsonObject): JsonObject {
  const flagLevel = filters['aggregation_group_type_index'] ?? null;
  const groups = groupsOf(filters).map((group): JsonObject => ({
    ...group,
    properties: group['properties'] ?? [],
    aggregation_group_type_index:
      group['aggregation_group_type_index'] === undefined ? flagLevel : group['aggregation_group_type_index'],
  }));
  if (groups.length === 0) return { ...filters, groups };
  const indices = new Set(groups.map((group) => group['aggregation_group_type_index']));
  const [common = null] = indices.size === 1 ? indices : [];
  return { ...filters, groups, aggregation_group_type_index: common };
}

function withPayloadTexts(filters: JsonObject): JsonObject {
  const payloads = filters['payloads'];
  if (!isJsonObject(payloads)) return filters;
  const texts = Object.entries(payloads).map(([key, value = null]): [string, JsonValue] => [
    key,
    payloadText(key, value),
  ]);
  return { ...filters, payloads: Object.fromEntries(texts) };
}

/** A string must be JSON and is kept; any other value is written as JSON. */
function payloadText(key: string, value: JsonValue): string {
  if (typeof value !== 'string') return pythonJson(value);
  try {
    parseJson(value);
    return value;
  } catch {
    const detail = `payloads: the value of ${stringifyJson(key)} is not a string of JSON.`;
    throw invalid('structural.payloads.invalid_payload_json', detail, 'filters');
  }
}

/** A new remote configuration targets everybody: a rollout of 0 or none becomes 100. */
function withFullRollout(filters: JsonObject): JsonObject {
  const groups = groupsOf(filters).map((group) => ({
    ...group,
    rollout_percentage: group['rollout_percentage'] || 100,
  }));
  return { ...filters, groups };
}

function withoutOutdated(filters: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) =>
      OUTDATED.includes(name) || value === undefined ? [] : [[name, value] as const],
    ),
  );
}

/** Expects filters of valid shape, in which each condition has its aggregation. The order is the service's. */
function checkCrossField(filters: JsonObject): void {
  checkVariants(filters);
  checkPayloadKeys(filters);
  checkForcedVariants(filters);
  for (const group of groupsOf(filters)) {
    const aggregation = group['aggregation_group_type_index'] ?? null;
    for (const property of propertiesOf(group)) checkAggregation(property, aggregation);
  }
  for (const property of allProperties(filters)) checkOperator(property);
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

function checkPattern({ operator = null, value = null }: JsonObject): void {
  if (isPatternOperator(operator) && typeof value === 'string' && findPythonFault(value) !== undefined) {
    throw invalid('invalid_input', `${stringifyJson(value)} is not a regular expression.`, 'filters');
  }
}

function broken(rule: string, detail: string): Error {
  return invalid(`cross_field.${rule}`, detail, 'filters');
}

/** The mark that callers without a personal key read instead of a secret. */
export const SECRET_MARK = '"********* (encrypted)"';

/** Puts the mark in place of encrypted payloads that the request does not name. */
function withMarks(sent: JsonObject, stored: JsonObject, { wasEncrypted }: FilterSettings): JsonObject {
  if (!wasEncrypted || Object.hasOwn(sent, 'payloads') || !isJsonObject(stored['payloads'])) return sent;
  return { ...sent, payloads: mapPayloads(stored, () => SECRET_MARK) };
}

/** Resolves the marks in checked filters: to the stored payloads, or to nothing when encryption ends. */
function withoutMarks(filters: JsonObject, stored: JsonObject, context: FilterSettings): JsonObject {
  if (context.isEncrypted) return withSecrets(filters, stored);
  if (!context.wasEncrypted) return filters;
  return { ...filters, payloads: keepPayloads(filters, (_key, value) => value !== SECRET_MARK) };
}

/** The stored filters after a change of other fields; the end of encryption removes the secret. */
function withoutEndedSecret(stored: JsonObject, context: FilterSettings): JsonObject {
  if (context.isEncrypted || !context.wasEncrypted) return stored;
  return { ...stored, payloads: keepPayloads(stored, (key) => key !== 'true') };
}

function withSecrets(filters: JsonObject, stored: JsonObject): JsonObject {
  const secrets = payloadsOf(stored);
  const restored = mapPayloads(filters, (key, value) =>
    value === SECRET_MARK ? (memberOf(secrets, key) ?? value) : value,
  );
  const { true: sent = SECRET_MARK } = payloadsOf(filters);
  if (sent !== SECRET_MARK) return { ...filters, payloads: restored };
  const { true: secret } = secrets;
  if (secret === undefined) throw invalidInput('Encryption requires a payload.');
  return { ...filters, payloads: { ...restored, true: secret } };
}

function mapPayloads(filters: JsonObject, map: (key: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(payloadsOf(filters)).map(([key, value = null]) => [key, map(key, value)]));
}

function keepPayloads(filters: JsonObject, keeps: (key: string, value: JsonValue) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(payloadsOf(filters)).filter(([key, value = null]) => keeps(key, value)));
}

function payloadsOf({ payloads }: JsonObject): JsonObject {
  return objectOrEmpty(payloads);
}

interface Nullable {
  readonly nullable?: true;
}

type Shape =
  | { readonly kind: 'anything' }
  | ({ readonly kind: 'boolean' } & Nullable)
  | ({ readonly kind: 'number'; readonly minimum: number; readonly maximum: number } & Nullable)
  /** A number without a fraction of so many bits. */
  | ({ readonly kind: 'integer'; readonly bits: 32 | 64 } & Nullable)
  | ({
      readonly kind: 'text';
      readonly maxLength?: number;
      readonly pattern?: RegExp;
      readonly nonBlank?: true;
      /** Whether a number becomes a string. */
      readonly fromNumber?: true;
    } & Nullable)
  | ({
      readonly kind: 'choice';
      readonly values: readonly string[];
      readonly aliases?: Readonly<Record<string, string>>;
    } & Nullable)
  | ({ readonly kind: 'list'; readonly of: Shape; readonly nonEmpty?: true } & Nullable)
  | ({ readonly kind: 'map' } & Nullable)
  | ({ readonly kind: 'object'; readonly members: ShapeMembers; readonly required?: readonly string[] } & Nullable);

type ShapeMembers = Readonly<Record<string, Shape>>;

/** Returns the value to store; throws a 400 with a code such as `structural.groups[].variant.invalid`. */
function conform(value: JsonValue, shape: Shape, path: string): JsonValue {
  if (shape.kind === 'anything') return value;
  if (value === null) {
    if (shape.nullable) return null;
    throw problem(path, 'null', 'may not be null');
  }
  switch (shape.kind) {
    case 'boolean':
      if (typeof value !== 'boolean') throw problem(path, 'invalid', 'must be true or false');
      return value;
    case 'number':
      return conformNumber(value, shape, path);
    case 'integer':
      return conformInteger(value, shape, path);
    case 'text':
      return conformText(value, shape, path);
    case 'choice':
      return conformChoice(value, shape, path);
    case 'list':
      return conformList(value, shape, path);
    case 'map':
      if (!isJsonObject(value)) throw problem(path, 'not_a_dict', 'must be an object');
      return value;
    case 'object':
      return conformObject(value, shape, path);
  }
}

type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>;

function conformNumber(value: JsonValue, { minimum, maximum }: ShapeOf<'number'>, path: string): number {
  if (!isJsonNumber(value)) throw problem(path, 'invalid', 'must be a number');
  const number = Number(value);
  if (!Number.isFinite(number)) throw problem(path, 'invalid', 'must be a number');
  if (number < minimum) throw problem(path, 'min_value', `must be at least ${minimum}`);
  if (number > maximum) throw problem(path, 'max_value', `must be at most ${maximum}`);
  return number;
}

function conformInteger(value: JsonValue, { bits }: ShapeOf<'integer'>, path: string): JsonValue {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  if (!isWhole) throw problem(path, 'invalid', 'must be a whole number');
  const limit = 2n ** BigInt(bits - 1);
  if (BigInt(value) < -limit) throw problem(path, 'min_value', `must be at least ${-limit}`);
  if (BigInt(value) >= limit) throw problem(path, 'max_value', `must be at most ${limit - 1n}`);
  return value;
}

function conformText(value: JsonValue, shape: ShapeOf<'text'>, path: string): string {
  const text = shape.fromNumber && isJsonNumber(value) ? String(value) : value;
  if (typeof text !== 'string') throw problem(path, 'invalid', 'must be a string');
  const { maxLength = Infinity, pattern } = shape;
  if (text === '' && shape.nonBlank) throw problem(path, 'blank', 'may not be blank');
  if (pattern !== undefined && !pattern.test(text))
    throw problem(path, 'invalid', 'contains characters that are not allowed');
  if (text.length > maxLength) throw problem(path, 'max_length', `may have at most ${maxLength} characters`);
  if (text.includes('\0')) throw problem(path, 'null_characters_not_allowed', 'may not contain null characters');
  if (/\p{Surrogate}/u.test(text)) throw problem(path, 'surrogate_characters_not_allowed', 'has an unpaired surrogate');
  return text;
}

function conformChoice(value: JsonValue, shape: ShapeOf<'choice'>, path: string): JsonValue {
  if (typeof value === 'string') {
    const meant = shape.aliases && Object.hasOwn(shape.aliases, value) ? (shape.aliases[value] as string) : value;
    if (shape.values.includes(meant)) return meant;
  }
  throw problem(path, 'invalid_choice', `${stringifyJson(value)} is not one of ${shape.values.join(', ')}`);
}

function conformList(value: JsonValue, shape: ShapeOf<'list'>, path: string): JsonValue {
  if (!isJsonArray(value)) throw problem(path, 'not_a_list', 'must be a list');
  if (shape.nonEmpty && value.length === 0) throw problem(path, 'empty', 'may not be empty');
  return value.map((element, index) => conform(element, shape.of, `${path}[${index}]`));
}

/** Members are checked in the order of the shape, as the service does. */
function conformObject(value: JsonValue, shape: ShapeOf<'object'>, path: string): JsonObject {
  if (!isJsonObject(value)) throw problem(path, 'invalid', 'must be an object');
  const inside = path === '' ? '' : `${path}.`;
  const kept = Object.entries(shape.members).flatMap(([name, member]): [string, JsonValue][] => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given !== undefined) return [[name, conform(given, member, `${inside}${name}`)]];
    if (shape.required?.includes(name)) throw problem(`${inside}${name}`, 'required', 'is required');
    return [];
  });
  return Object.fromEntries(kept);
}

function problem(path: string, code: string, text: string): Error {
  const place = path.replace(/\[\d+\]/g, '[]');
  return invalid(`structural.${place}.${code}`, `${path}: ${text}.`, 'filters');
}

/** `filters` in the posthog profile: merged, checked by every rule, and normalised. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import { canonicalText, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { invalid, type Refusal } from '../handler/envelope.ts';
import { pythonJson } from '../format/python-json.ts';
import { allProperties, groupsOf } from './conditions.ts';
import { undecorated } from './decorate.ts';
import { checkCrossField, checkReferences } from './cross-field.ts';
import { withMarks, withoutEndedSecret, withoutMarks } from './encrypted-payloads.ts';
import { formatOf } from './format.ts';
import { isPatternOperator, OPERATOR_ALIASES, OPERATOR_NAMES } from './operators.ts';
import { conform, type ShapeMembers, type Shape } from './shape.ts';
import type { FilterSettings, FilterRules } from './types.ts';

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
  checkReferences(normal, { ...context, knownRegexes: listRegexes(stored ?? {}) });
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

function listRegexes(filters: JsonObject): ReadonlySet<JsonValue> {
  const properties = allProperties(filters).filter(({ operator }) => isPatternOperator(operator));
  return new Set(properties.map(({ value = null }) => value));
}

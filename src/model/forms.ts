/** The normal forms that the tolerance table names: values that mean the same become the same value. */

import { holdsRoundedNumber } from './exact-number.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

export type FormName = 'trimmed' | 'tags' | 'set' | 'instant' | 'operator' | 'property-key' | 'payload' | 'aggregation';

/** Brings a value into the named form. `owner` is the object that holds the value. Every form is idempotent. */
export function toForm(form: FormName, value: JsonValue, owner: JsonObject): JsonValue {
  return FORMS[form](value, owner);
}

const FORMS: { readonly [Name in FormName]: (value: JsonValue, owner: JsonObject) => JsonValue } = {
  trimmed: (value) => (typeof value === 'string' ? value.trim() : value),
  tags: (value) => asSet(value, (tag) => tag.trim().toLowerCase()),
  set: (value) => asSet(value, (member) => member),
  instant,
  operator: (value) => (value === 'min' ? 'gte' : value === 'max' ? 'lte' : value),
  'property-key': propertyKey,
  payload,
  aggregation,
};

function asSet(value: JsonValue, normalise: (member: string) => string): JsonValue {
  if (!isJsonArray(value) || !value.every((member) => typeof member === 'string')) return value;
  return [...new Set(value.map(normalise))].sort();
}

/** A time without an offset is taken as UTC, whatever the time zone of this machine. */
function instant(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const isLocal = /T[\d:.]+$/i.test(value);
  const milliseconds = Date.parse(isLocal ? `${value}Z` : value);
  return Number.isNaN(milliseconds) ? value : new Date(milliseconds).toISOString();
}

/** A dependency's key stays a number where it names an id, since text there names a flag's key. */
function propertyKey(value: JsonValue, property: JsonObject): JsonValue {
  return typeof value === 'number' && property['type'] !== 'flag' ? String(value) : value;
}

/**
 * JSON text becomes its value, except where that would lose something: text that holds a text stays quoted (so that
 * `"on"` and the broken payload `on` stay apart), and a number that a double cannot hold stays text.
 */
function payload(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || holdsRoundedNumber(value)) return value;
  try {
    const parsed = JSON.parse(value) as JsonValue;
    return typeof parsed === 'string' ? JSON.stringify(parsed) : parsed;
  } catch {
    return value;
  }
}

/**
 * The service keeps one aggregation for the flag and one for each condition. A condition that states none takes the
 * flag's; the flag's is the common one of its conditions. A flag-level value that no condition shares is kept, so that
 * a change of it shows; beside it a condition's null means persons and is kept too.
 */
function aggregation(filters: JsonValue): JsonValue {
  if (!isJsonObject(filters)) return filters;
  const groups = filters['groups'];
  if (!isJsonArray(groups) || groups.length === 0 || !groups.every(isJsonObject)) return filters;
  const written = filters[AGGREGATION] ?? null;
  const perCondition = groups.map((group) => (group[AGGREGATION] === undefined ? written : group[AGGREGATION]));
  const common = new Set(perCondition).size === 1 ? (perCondition[0] ?? null) : null;
  const flagLevel = written ?? common;
  return {
    ...filters,
    [AGGREGATION]: flagLevel,
    groups: groups.map((group, index) => withAggregation(group, perCondition[index] ?? null, flagLevel === null)),
  };
}

const AGGREGATION = 'aggregation_group_type_index';

function withAggregation(group: JsonObject, value: JsonValue, nullIsDefault: boolean): JsonObject {
  const { [AGGREGATION]: _written, ...rest } = group;
  return value === null && nullIsDefault ? rest : { ...rest, [AGGREGATION]: value };
}

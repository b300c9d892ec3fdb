/** Checks the filters of a cohort, per profile, and returns them as they are stored. */

import { createHash } from 'node:crypto';
import {
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  memberOf,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { invalid } from '../handler/envelope.ts';
import type { Profile } from '../handler/profile.ts';
import { hasCriteria } from './definition.ts';

interface Sent {
  readonly filters: JsonValue;
  /** Whether the cohort is static after the change. */
  readonly isStatic: boolean;
}

type ReadFilters = (sent: Sent) => JsonValue;

export const COHORT_FILTERS: Readonly<Record<Profile, ReadFilters>> = {
  documented: ({ filters }) => {
    if (isJsonObject(filters) && filters['properties'] !== undefined) return filters;
    throw problem("Filters must be a dictionary with a 'properties' key.");
  },
  posthog: ({ filters, isStatic }) => {
    if (isStatic && !hasCriteria(filters)) return filters;
    if (!isJsonObject(filters) || filters['properties'] === undefined) {
      throw problem("Must contain a 'properties' key with type and values");
    }
    refuseOthers(filters, ['properties'], 'filters');
    return { properties: readNode(filters['properties'], true) };
  },
};

function readNode(node: JsonValue | undefined, isRoot = false): JsonObject {
  if (!isJsonObject(node)) throw problem(`${stringifyJson(node ?? null)} is not a group or a filter.`);
  const { type } = node;
  if (type === 'AND' || type === 'OR') return readGroup(node);
  const leaf = LEAVES.find((one) => one.type === type);
  if (isRoot || leaf === undefined)
    throw problem(`${stringifyJson(type ?? null)} is not a type of a group or a filter.`);
  return readLeaf(node, leaf);
}

function readGroup(group: JsonObject): JsonObject {
  const { type = null, values } = group;
  if (!isJsonArray(values)) throw problem('A group requires a list of values.');
  refuseOthers(group, ['type', 'values'], 'a group');
  return { type, values: values.map((value) => readNode(value)) };
}

interface Leaf {
  readonly type: string;
  readonly members: readonly string[];
  readonly required: readonly string[];
  readonly isCompiled: boolean;
}

/** The members that the service computes in a leaf, and accepts when they are sent back. */
const COMPUTED = ['bytecode', 'bytecode_error', 'conditionHash'];

const PERSON = ['type', 'key', 'operator', 'value', 'negation'];

const LEAVES: readonly Leaf[] = [
  { type: 'person', members: PERSON, required: ['key'], isCompiled: true },
  { type: 'person_metadata', members: PERSON, required: ['key'], isCompiled: false },
  { type: 'cohort', members: ['type', 'key', 'value', 'negation'], required: ['key', 'value'], isCompiled: false },
  {
    type: 'behavioral',
    members: [
      ...PERSON,
      'event_type',
      'time_value',
      'time_interval',
      'operator_value',
      'seq_time_interval',
      'seq_time_value',
      'seq_event',
      'seq_event_type',
      'total_periods',
      'min_periods',
      'event_filters',
      'explicit_datetime',
      'explicit_datetime_to',
    ],
    required: ['key', 'value', 'event_type'],
    isCompiled: true,
  },
];

/** Members that are null are dropped, and `negation` is written out. */
function readLeaf(leaf: JsonObject, { type, members, required, isCompiled }: Leaf): JsonObject {
  refuseOthers(leaf, [...members, ...COMPUTED], `a ${type} filter`);
  const missing = required.filter((name) => (memberOf(leaf, name) ?? null) === null);
  if (type === 'person' || type === 'person_metadata') missing.push(...missingOfPerson(leaf));
  if (missing.length > 0) throw problem(`Missing required keys for ${type} filter: ${missing.join(', ')}`);
  const { negation = false } = leaf;
  if (typeof negation !== 'boolean') throw problem('negation must be true or false.');
  const named = members.filter((name) => (memberOf(leaf, name) ?? null) !== null);
  const stored = objectFrom(named.map((name) => [name, memberOf(leaf, name) as JsonValue]));
  const read: JsonObject = { ...stored, ...(type === 'cohort' && { value: readId(leaf) }), negation };
  return isCompiled ? { ...compile(read), ...read } : read;
}

function missingOfPerson({ operator = null, value = null }: JsonObject): string[] {
  const needsValue = operator !== 'is_set' && operator !== 'is_not_set';
  return [...(needsValue && value === null ? ['value'] : []), ...(operator === null ? ['operator'] : [])];
}

function readId({ key, value = null }: JsonObject): number {
  const id = typeof value === 'string' || isJsonNumber(value) ? Number(String(value)) : Number.NaN;
  if (key !== 'id' || !Number.isSafeInteger(id)) throw problem('A cohort filter requires the key "id" and an id.');
  return id;
}

/** PostHog stores each leaf's compiled form and its hash with it. This one represents the leaf, but cannot be run. */
function compile(leaf: JsonObject): JsonObject {
  const hash = createHash('sha256').update(canonicalText(leaf)).digest('hex').slice(0, 16);
  return { bytecode: ['_H', 1, 32, leaf['value'] ?? null, 32, leaf['key'] ?? null], conditionHash: hash };
}

function refuseOthers(object: JsonObject, known: readonly string[], where: string): void {
  const other = definedKeys(object).find((name) => !known.includes(name));
  if (other !== undefined) throw problem(`${stringifyJson(other)} is not permitted in ${where}.`);
}

function problem(detail: string): Error {
  return invalid('invalid_input', detail, 'filters');
}

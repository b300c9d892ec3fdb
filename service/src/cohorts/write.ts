/** Creates and changes cohorts. A write of a dynamic cohort starts its calculation, which ends right after the answer. */

import {
  definedKeys,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  canonicalText,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  memberOf,
  objectFrom,
} from '../../../src/base/json.ts';
import { buildPropertyFilter } from '../persons/filter.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { invalidInput, invalid } from '../handler/envelope.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { findCohort, serializeCohort } from './read.ts';
import { anything, boolean, list, text } from '../flags/field-types.ts';
import type { Profile } from '../handler/profile.ts';
import { createHash } from 'node:crypto';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { reach } from '../../../src/base/graph.ts';
import { cohortIds, listLeaves } from '../filters/cohorts.ts';
import { allProperties } from '../filters/conditions.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { Store } from '../store/store.ts';
import { compareField, writeEntry, type LoggedActivity } from '../activity/entry.ts';

export function createCohort(service: ServiceContext, call: Call): Answer {
  const { store, rules, now } = service;
  return store.transaction(() => {
    const values = readFields(call.body, SENT[rules.name]);
    const isStatic = values['is_static'] === true;
    const filters = readFilters(service, values, isStatic);
    const hasQuery = (values['query'] ?? null) !== null;
    if (hasQuery && hasCriteria(filters)) {
      throw invalidInput('Cannot set both query and filters at the same time.');
    }
    if (hasQuery && !isStatic) {
      throw invalidInput('Cannot create a dynamic cohort with a query. Set is_static to true.');
    }
    const created = store.cohorts.insert(call.projectId, {
      name: nameIn(values, null),
      properties: isStatic ? null : definitionOf(filters, values['groups']),
      deleted: values['deleted'] === true,
      fields: {
        ...storedValues(values, filters),
        created_by: userOf(service),
        created_at: formatTimestamp(now()),
      },
    });
    const { projectId } = call;
    const entry = buildEntry(created, { projectId, activity: 'created', changes: null });
    if (rules.cohortActivity) writeEntry(service, entry);
    return { status: 201, body: answer(service, call.projectId, created) };
  });
}

/** A PATCH changes fields, soft-deletes and restores. */
export function updateCohort(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  return store.transaction(() => {
    const before = findCohort(service, call);
    const values = readFields(call.body, SENT[rules.name], { partial: true });
    const after = applyValues(service, before, values);
    const isRedefined = values['filters'] !== undefined || (before.properties === null && after.properties !== null);
    if (isRedefined && after.properties !== null) checkBehavior(service, call.projectId, after);
    if (after.deleted && !before.deleted && rules.guards) checkDeletion(service, call.projectId, after);
    checkLoops(service, call.projectId, after);
    store.cohorts.update(call.projectId, after);
    recordUpdate(service, call.projectId, { before, after });
    const body = after.deleted ? serializeCohort(after, rules.name) : answer(service, call.projectId, after);
    return { status: 200, body };
  });
}

function applyValues(service: ServiceContext, before: StoredCohort, values: JsonObject): StoredCohort {
  const isStatic = typeof values['is_static'] === 'boolean' ? values['is_static'] : before.properties === null;
  const given = readFilters(service, values, isStatic);
  const filters = given === undefined ? before.fields['filters'] : given;
  const groups = values['groups'] ?? before.fields['groups'];
  const isStaticChanged = isStatic && given !== undefined && !jsonEquals(given, before.fields['filters'] ?? null);
  if (service.rules.guards && isStaticChanged && (hasCriteria(given) || hasCriteria(before.fields['filters']))) {
    const detail = 'Editing the criteria of a static cohort is not supported yet. Create a new static cohort instead.';
    throw invalidInput(detail);
  }
  const isDefined = given !== undefined || values['groups'] !== undefined || before.properties === null;
  const redefined = isDefined ? definitionOf(filters, groups) : before.properties;
  return {
    ...before,
    name: nameIn(values, before.name),
    properties: isStatic ? null : redefined,
    deleted: typeof values['deleted'] === 'boolean' ? values['deleted'] : before.deleted,
    fields: { ...before.fields, ...storedValues(values, given), is_calculating: false },
  };
}

function readFilters({ rules }: ServiceContext, values: JsonObject, isStatic: boolean): JsonValue | undefined {
  const { filters } = values;
  return filters === undefined ? undefined : COHORT_FILTERS[rules.name](filters, isStatic);
}

/** Members that are columns of their own. */
const OWN_COLUMNS = ['name', 'deleted', 'is_static'];

function storedValues(values: JsonObject, filters: JsonValue | undefined): JsonObject {
  const kept = definedKeys(values).filter((name) => !OWN_COLUMNS.includes(name));
  return {
    ...Object.fromEntries(kept.map((name) => [name, values[name]])),
    ...(filters === undefined ? {} : { filters }),
  };
}

function nameIn({ name }: JsonObject, before: string | null): string | null {
  return name === undefined ? before : typeof name === 'string' ? name : null;
}

/** The answer shows a dynamic cohort before its calculation; every later one shows it afterwards. */
function answer(service: ServiceContext, projectId: string, cohort: StoredCohort): JsonObject {
  if (cohort.properties === null) return serializeCohort(cohort, service.rules.name);
  const { store, now } = service;
  const version = Number(cohort.fields['pending_version'] ?? 0) + 1;
  const fields = { ...cohort.fields, pending_version: version };
  const properties = [{ key: 'id', type: 'cohort' as const, value: cohort.id }];
  const count = store.persons.count(projectId, buildPropertyFilter(service, projectId, properties));
  store.cohorts.update(projectId, {
    ...cohort,
    fields: { ...fields, version, count, last_calculation: formatTimestamp(now()), is_calculating: false },
  });
  return serializeCohort({ ...cohort, fields: { ...fields, is_calculating: true } }, service.rules.name);
}

const SENT_BY_ALL: readonly BodyField[] = [
  { name: 'name', type: text({ maxLength: 400, blank: true }), null: 'store' },
  { name: 'description', type: text({ maxLength: 1000, blank: true }) },
  { name: 'groups', type: list(anything) },
  { name: 'deleted', type: boolean },
  { name: 'filters', type: anything, null: 'store' },
  { name: 'is_static', type: boolean },
];

const SENT: Readonly<Record<Profile, readonly BodyField[]>> = {
  documented: SENT_BY_ALL,
  posthog: [...SENT_BY_ALL, { name: 'query', type: anything, null: 'store' }],
};

/** `isStatic`: whether the cohort is static after the change. */
const COHORT_FILTERS: Readonly<Record<Profile, (filters: JsonValue, isStatic: boolean) => JsonValue>> = {
  documented: (filters) => {
    if (isJsonObject(filters) && filters['properties'] !== undefined) return filters;
    throw problem("Filters must be a dictionary with a 'properties' key.");
  },
  posthog: (filters, isStatic) => {
    const isEmpty = (filters === null || isJsonObject(filters)) && !hasCriteria(filters);
    if (isStatic && isEmpty) return filters;
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
  if (type === 'person' || type === 'person_metadata') {
    const { operator = null, value = null } = leaf;
    if (value === null && operator !== 'is_set' && operator !== 'is_not_set') missing.push('value');
    if (operator === null) missing.push('operator');
  }
  if (missing.length > 0) throw problem(`Missing required keys for ${type} filter: ${missing.join(', ')}`);
  const { negation = false } = leaf;
  if (typeof negation !== 'boolean') throw problem('negation must be true or false.');
  const named = members.filter((name) => (memberOf(leaf, name) ?? null) !== null);
  const stored = objectFrom(named.map((name) => [name, memberOf(leaf, name) as JsonValue]));
  const read: JsonObject = { ...stored, ...(type === 'cohort' && { value: readId(leaf) }), negation };
  return isCompiled ? { ...compile(read), ...read } : read;
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

/** A flag cannot depend on events, neither directly nor through another cohort. */
function checkBehavior({ store }: ServiceContext, projectId: string, after: StoredCohort): void {
  if (activeFlagsUsing(store, projectId, after.id).length === 0) return;
  const refused = (detail: string): Error => invalid('behavioral_cohort_found', detail, 'filters');
  if (dependsOnEvents(after)) {
    throw refused('Behavioral filters cannot be added to cohorts used in feature flags.');
  }
  const childrenOf = (id: number): number[] => namedBy(store.cohorts.find(projectId, id));
  for (const id of reach(namedBy(after), childrenOf)) {
    const cohort = store.cohorts.find(projectId, id);
    if (cohort !== undefined && dependsOnEvents(cohort)) {
      throw refused(`The cohort ${cohort.name ?? id}, which this one names, depends on events.`);
    }
  }
}

/** Every cohort on the way exists, and none leads back. */
function checkLoops({ store }: ServiceContext, projectId: string, after: StoredCohort): void {
  const childrenOf = (id: number): number[] => {
    if (id === after.id) throw invalidInput('Cohorts cannot reference other cohorts in a loop.');
    const cohort = store.cohorts.find(projectId, id);
    if (cohort === undefined) throw invalidInput('Invalid Cohort ID in filter');
    return namedBy(cohort);
  };
  reach(namedBy(after), childrenOf);
}

function checkDeletion({ store }: ServiceContext, projectId: string, after: StoredCohort): void {
  const flags = activeFlagsUsing(store, projectId, after.id).map(({ name, key }) => name || key);
  if (flags.length > 0) {
    throw invalidInput(`This cohort is used in ${flags.length} active feature flag(s): ${flags.join(', ')}.`);
  }
  const cohorts = store.cohorts
    .list(projectId)
    .filter((cohort) => cohort.id !== after.id && namedBy(cohort).includes(after.id))
    .map(({ name }) => name ?? 'Unnamed');
  if (cohorts.length > 0) {
    throw invalidInput(`This cohort is used as criteria in ${cohorts.length} other cohort(s): ${cohorts.join(', ')}.`);
  }
}

function dependsOnEvents({ properties }: StoredCohort): boolean {
  return listLeaves(properties ?? {}).some(({ type }) => type === 'behavioral');
}

/** Active flags whose conditions name the cohort, itself or through another dynamic one. */
function activeFlagsUsing(store: Store, projectId: string, id: number): StoredFlag[] {
  const flags = store.flags.withCohorts(projectId).filter(({ active }) => active);
  const childrenOf = (cohort: number): number[] =>
    cohort === id ? [] : namedBy(store.cohorts.find(projectId, cohort));
  return flags.filter(({ filters }) => reach(cohortIds(allProperties(filters)), childrenOf).has(id));
}

/** The ids of the cohorts that the definition names; a static cohort has none. */
function namedBy(cohort: StoredCohort | undefined): number[] {
  return cohortIds(listLeaves(cohort?.properties ?? {}));
}

/** No entry without changes. */
function recordUpdate(
  service: ServiceContext,
  projectId: string,
  { before, after }: { readonly before: StoredCohort; readonly after: StoredCohort },
): void {
  if (!service.rules.cohortActivity) return;
  const [former, now] = [serializeCohort(before, service.rules.name), serializeCohort(after, service.rules.name)];
  const changes = SENT[service.rules.name].flatMap(({ name: field }) =>
    compareField('Cohort', field, { before: memberOf(former, field) ?? null, after: memberOf(now, field) ?? null }),
  );
  if (changes.length === 0) return;
  const deletion = after.deleted ? 'deleted' : 'restored';
  const activity = before.deleted === after.deleted ? 'updated' : deletion;
  writeEntry(service, buildEntry(after, { projectId, activity, changes }));
}

function buildEntry(
  { id, name }: StoredCohort,
  entry: Pick<LoggedActivity, 'projectId' | 'activity' | 'changes'>,
): LoggedActivity {
  return { scope: 'Cohort', itemId: id, name: name ?? '', ...entry };
}

function definitionOf(filters: JsonValue | undefined, groups: JsonValue | undefined): JsonObject {
  const properties = isJsonObject(filters) ? filters['properties'] : undefined;
  if (isJsonObject(properties)) return properties;
  if (isJsonArray(properties)) return { type: 'AND', values: properties };
  const meant = isJsonArray(groups) ? groups.filter(isJsonObject) : [];
  return meant.length === 0 ? { type: 'AND', values: [] } : { type: 'OR', values: meant.map(readOldGroup) };
}

/** Whether filters say who is in the cohort. */
function hasCriteria(filters: JsonValue | undefined): boolean {
  const { values } = definitionOf(filters, undefined);
  return isJsonArray(values) && values.length > 0;
}

/** A group has properties, all of which must match, or an action or event that the person did. */
function readOldGroup(group: JsonObject): JsonObject {
  const { properties, action_id: action, event_id: event, days, count, count_operator: operator } = group;
  if (isJsonObject(properties)) {
    const values = Object.entries(properties).map(([key, value]) => ({
      key,
      type: 'person',
      operator: 'exact',
      value: value ?? null,
    }));
    return { type: 'AND', values };
  }
  if (isJsonArray(properties)) return { type: 'AND', values: properties };
  const done: JsonObject = {
    type: 'behavioral',
    key: action ?? event ?? null,
    value: count === undefined ? 'performed_event' : 'performed_event_multiple',
    event_type: action === undefined ? 'events' : 'actions',
    time_interval: 'day',
    time_value: days ?? 365,
    ...(count === undefined ? {} : { operator: operator ?? null, operator_value: count }),
  };
  return { type: 'AND', values: [done] };
}

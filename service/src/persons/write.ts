/** Creates, changes and deletes persons. */

import { type JsonObject, jsonEquals, type JsonValue, isJsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { StoredPerson } from '../store/person-scan.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { findPerson, serializePerson, deriveName } from './read.ts';
import { writeEntry, type LoggedActivity } from '../activity/entry.ts';

/** The UUID is also the distinct id, so that a person without events can be found and evaluated. */
export function createPerson(service: ServiceContext, call: Call): Answer {
  const { store, now, randomUuid } = service;
  const properties = readSentProperties(call) ?? {};
  return store.transaction(() => {
    const uuid = randomUuid();
    const { projectId } = call;
    const createdAt = formatTimestamp(now());
    const person = store.persons.insert({ projectId, uuid, createdAt, properties, distinctIds: [uuid] });
    recordExistence(service, person, 'created');
    return { status: 201, body: serializePerson(person) };
  });
}

/** Adds the sent properties; removes none. */
export function updatePerson(service: ServiceContext, call: Call): Answer {
  const sent = readSentProperties(call);
  if (sent === undefined && service.rules.personWrites === 'accepted') throw required(service, 'properties');
  return changeProperties(service, call, {
    change: (properties) => ({ ...properties, ...sent }),
    accepted: { status: 202 },
  });
}

export function updateProperty(service: ServiceContext, call: Call): Answer {
  const key = parameter(service, call, 'key') ?? null;
  const value = parameter(service, call, 'value') ?? null;
  if (key === null) throw required(service, 'key');
  if (typeof key !== 'string' || key === '') throw invalid('invalid_input', 'Not a valid string.', 'key');
  if (value === null) throw required(service, 'value');
  return changeProperties(service, call, {
    change: (properties) => Object.fromEntries([...Object.entries(properties), [key, value]]) as JsonObject,
    accepted: { status: 202 },
  });
}

/** A missing property is not an error. */
export function deleteProperty(service: ServiceContext, call: Call): Answer {
  const unset = parameter(service, call, '$unset') ?? null;
  if (unset === null) throw required(service, '$unset');
  if (typeof unset !== 'string') throw invalid('invalid_input', 'Not a valid string.', '$unset');
  return changeProperties(service, call, {
    change: (properties) => Object.fromEntries(Object.entries(properties).filter(([key]) => key !== unset)),
    accepted: { status: 201, body: { success: true } },
  });
}

export function deletePerson(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const deletesEvents = call.query.has('delete_events') && saysDeleteEvents(rules, call.query.get('delete_events'));
  return store.transaction(() => {
    const person = findPerson(service, call);
    if (deletesEvents) store.events.removeByDistinctIds(call.projectId, person.distinctIds);
    store.persons.remove(person.id);
    recordExistence(service, person, 'deleted');
    return { status: rules.personWrites === 'person' ? 204 : 202 };
  });
}

function saysDeleteEvents({ deleteEvents }: ServiceContext['rules'], value: string | null): boolean {
  if (deleteEvents === 'by-presence' || value === null) return true;
  const text = value.trim().toLowerCase();
  if (['true', 't', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', 'f', '0', 'no', 'off', ''].includes(text)) return false;
  throw invalid('invalid_input', 'Must be a valid boolean.', 'delete_events');
}

/** `accepted`: the answer where the profile does not return the person. */
function changeProperties(
  service: ServiceContext,
  call: Call,
  { change, accepted }: { readonly change: (properties: JsonObject) => JsonObject; readonly accepted: Answer },
): Answer {
  const { store, rules } = service;
  return store.transaction(() => {
    const before = findPerson(service, call);
    const after: StoredPerson = { ...before, properties: change(before.properties) };
    store.persons.setProperties(after.id, after.properties);
    recordProperties(service, before, after);
    return rules.personWrites === 'person' ? { status: 200, body: serializePerson(after) } : accepted;
  });
}

/**
 * The person keeps `main_distinct_id` and its properties. Without `main_distinct_id` it keeps its first distinct id and
 * loses its properties, since their owner is unknown.
 */
export function splitPerson(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const main = readObjectBody(call)['main_distinct_id'] ?? null;
  return store.transaction(() => {
    const person = findPerson(service, call);
    const kept = main ?? person.distinctIds[0];
    if (typeof kept !== 'string' || !person.distinctIds.includes(kept)) {
      // Otherwise the person would have no distinct ids, and no event could reach it.
      throw invalid('invalid_input', "Must be one of the person's distinct ids.", 'main_distinct_id');
    }
    const properties = main === null ? {} : person.properties;
    store.persons.setProperties(person.id, properties);
    for (const distinctId of person.distinctIds.filter((name) => name !== kept)) {
      store.persons.removeDistinctId(call.projectId, distinctId);
      recordExistence(service, addPerson(service, call.projectId, distinctId), 'created');
    }
    const left = { ...person, properties, distinctIds: [kept] };
    const after = { distinct_ids: person.distinctIds };
    const split = { type: 'Person', action: 'split', field: null, before: {}, after };
    recordPerson(service, person, { activity: 'split_person', changes: [split, ...propertyChanges(person, left)] });
    if (rules.personWrites === 'person') return { status: 200, body: serializePerson(left) };
    return { status: 201, body: { success: true } };
  });
}

/** Stores a person without properties. */
export function addPerson(
  { store, now, randomUuid }: ServiceContext,
  projectId: string,
  distinctId: string,
): StoredPerson {
  const createdAt = formatTimestamp(now());
  return store.persons.insert({ projectId, uuid: randomUuid(), createdAt, properties: {}, distinctIds: [distinctId] });
}

function recordPerson(
  service: ServiceContext,
  person: StoredPerson,
  entry: Pick<LoggedActivity, 'activity' | 'changes'>,
): void {
  const { id, projectId } = person;
  writeEntry(service, { scope: 'Person', itemId: id, projectId, name: deriveName(person), ...entry });
}

/** Records creation or deletion with all data, so that a deleted person can still be read here. */
function recordExistence(service: ServiceContext, person: StoredPerson, activity: 'created' | 'deleted'): void {
  const { distinctIds, properties } = person;
  const changes = Object.entries({ distinct_ids: distinctIds, properties }).map(([field, value]): JsonObject => {
    const [before, after] = activity === 'created' ? [null, value] : [value, null];
    return { type: 'Person', action: activity, field, before, after };
  });
  recordPerson(service, person, { activity, changes });
}

/** Records all properties before and after; no entry without changes. */
function recordProperties(service: ServiceContext, before: StoredPerson, after: StoredPerson): void {
  const changes = propertyChanges(before, after);
  if (changes.length === 0) return;
  const isLoss = Object.keys(before.properties).some((key) => !Object.hasOwn(after.properties, key));
  recordPerson(service, after, { activity: isLoss ? 'delete_property' : 'updated', changes });
}

function propertyChanges(before: StoredPerson, after: StoredPerson): readonly JsonObject[] {
  if (jsonEquals(before.properties, after.properties)) return [];
  const change = { action: 'changed', before: before.properties, after: after.properties };
  return [{ type: 'Person', field: 'properties', ...change }];
}

/** The body; an empty object without one. */
export function readObjectBody({ body = {} }: Pick<Call, 'body'>): JsonObject {
  if (body === null) throw invalid('null', 'No data provided', null);
  if (!isJsonObject(body)) throw invalidInput('Invalid data. Expected an object.');
  return body;
}

/** `properties` of the body; `undefined` without them. */
function readSentProperties(call: Call): JsonObject | undefined {
  const { properties } = readObjectBody(call);
  if (properties === undefined) return undefined;
  if (!isJsonObject(properties)) throw invalid('not_a_dict', 'Expected an object of items.', 'properties');
  return properties;
}

/** A value of the body, or where the profile allows it of the query, as a string. */
function parameter({ rules }: ServiceContext, call: Call, name: string): JsonValue | undefined {
  const sent = readObjectBody(call);
  if (Object.hasOwn(sent, name)) return sent[name];
  return rules.personParameters === 'body' ? undefined : (call.query.get(name) ?? undefined);
}

/** The 400 for a missing value. */
function required({ rules }: ServiceContext, name: string): Error {
  const text = 'This field is required.';
  return rules.personRefusals === 'swapped' ? invalid(text, 'required', name) : invalid('required', text, name);
}

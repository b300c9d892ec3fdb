/** Creates, changes and deletes persons. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import type { StoredPerson } from '../store/person.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { parameter, required, readSentProperties } from './body.ts';
import { findPerson } from './find.ts';
import { recordExistence, recordProperties } from './record.ts';
import { serialisePerson } from './serialise.ts';

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
    return { status: 201, body: serialisePerson(person) };
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

interface PropertyChange {
  readonly change: (properties: JsonObject) => JsonObject;
  /** The answer where the profile does not return the person. */
  readonly accepted: Answer;
}

function changeProperties(service: ServiceContext, call: Call, { change, accepted }: PropertyChange): Answer {
  const { store, rules } = service;
  return store.transaction(() => {
    const before = findPerson(service, call);
    const after: StoredPerson = { ...before, properties: change(before.properties) };
    store.persons.setProperties(after.id, after.properties);
    recordProperties(service, before, after);
    return rules.personWrites === 'person' ? { status: 200, body: serialisePerson(after) } : accepted;
  });
}

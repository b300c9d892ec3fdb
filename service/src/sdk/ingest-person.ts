/** Applies an event to persons: creates one, sets properties, or merges two. */

import { isJsonArray, jsonEquals, memberOf, objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredPerson } from '../store/person.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { CapturedEvent } from './event.ts';

export function ingestPerson(service: ServiceContext, projectId: string, event: CapturedEvent): void {
  const { store } = service;
  const found =
    store.persons.findByDistinctId(projectId, event.distinctId) ?? createPerson(service, projectId, event.distinctId);
  const person = merge(service, found, otherId(event));
  const properties = applyProperties(person.properties, event.properties);
  if (!jsonEquals(properties, person.properties)) store.persons.setProperties(person.id, properties);
}

function createPerson({ store, now, randomUuid }: ServiceContext, projectId: string, distinctId: string): StoredPerson {
  const createdAt = formatTimestamp(now());
  return store.persons.insert({ projectId, uuid: randomUuid(), createdAt, properties: {}, distinctIds: [distinctId] });
}

/** The distinct id that the event assigns to the same person. */
function otherId({ name, properties }: CapturedEvent): string | undefined {
  const id = memberOf({ $identify: properties['$anon_distinct_id'], $create_alias: properties['alias'] }, name);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Merges the owner of another distinct id into the person, whose own properties take precedence. */
function merge({ store }: ServiceContext, person: StoredPerson, distinctId: string | undefined): StoredPerson {
  if (distinctId === undefined || person.distinctIds.includes(distinctId)) return person;
  const other = store.persons.findByDistinctId(person.projectId, distinctId);
  const distinctIds = other?.distinctIds ?? [distinctId];
  if (other !== undefined) store.persons.remove(other.id);
  for (const id of distinctIds) store.persons.addDistinctId(person, id);
  const properties = { ...other?.properties, ...person.properties };
  if (other !== undefined) store.persons.setProperties(person.id, properties);
  return { ...person, distinctIds: [...person.distinctIds, ...distinctIds], properties };
}

function applyProperties(before: JsonObject, { $set, $set_once: once, $unset }: JsonObject): JsonObject {
  const after = { ...objectOrEmpty(once), ...before, ...objectOrEmpty($set) };
  const gone = isJsonArray($unset) ? $unset : Object.keys(objectOrEmpty($unset));
  return Object.fromEntries(Object.entries(after).filter(([key]) => !gone.includes(key)));
}

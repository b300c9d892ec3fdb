/** Stores events from SDKs, and creates persons and groups from them as the real service does. */

import {
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  isJsonNumber,
  type JsonValue,
} from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { formatTimestamp, parseMicroseconds, parseTimestamp } from '../format/timestamp.ts';
import type { StoredPerson } from '../store/person-scan.ts';

/** Invalid events are skipped, since SDKs do not read the answer. */
export function capture(service: ServiceContext, call: Call): Answer {
  const sent = listEvents(call.body ?? null);
  service.store.transaction(() => {
    for (const event of sent) ingest(service, call.projectId, event);
  });
  return { status: 200, body: { status: 1 } };
}

function ingest(service: ServiceContext, projectId: string, sent: JsonObject): void {
  const event = readEvent(sent);
  if (event === undefined) return;
  const { name, distinctId, properties } = event;
  if (properties['$process_person_profile'] !== false) ingestPerson(service, projectId, event);
  if (name === '$groupidentify') ingestGroup(service, projectId, properties);
  const uuid = typeof sent['uuid'] === 'string' ? sent['uuid'] : service.randomUuid();
  service.store.events.insert({ projectId, uuid, name, distinctId, time: readTime(service, sent), properties });
}

/** Creates a person, sets properties, or merges two. */
function ingestPerson(service: ServiceContext, projectId: string, event: CapturedEvent): void {
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

/** The maximum of the real service, per project. */
const MOST_TYPES = 5;

/** Stores the group, and its type if it is new. */
function ingestGroup({ store }: ServiceContext, projectId: string, properties: JsonObject): void {
  const { $group_type: type, $group_key: key, $group_set: set } = properties;
  if (typeof type !== 'string' || typeof key !== 'string' || type === '' || key === '') return;
  const types = Object.entries(store.groups.types(projectId));
  const index = types.find(([, name]) => name === type)?.[0];
  const typeIndex = index === undefined ? types.length : Number(index);
  if (typeIndex >= MOST_TYPES) return;
  if (index === undefined) store.groups.putType(projectId, typeIndex, type);
  const before = store.groups.find(projectId, typeIndex, key);
  const after = { ...before?.properties, ...(isJsonObject(set) && set) };
  const name = typeof after['name'] === 'string' ? after['name'] : (before?.name ?? key);
  store.groups.put(projectId, { typeIndex, key, name, properties: after });
}

function readTime({ now }: ServiceContext, { timestamp }: JsonObject): number {
  const time = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined;
  return time === undefined ? now().getTime() : Math.floor(parseMicroseconds(time) / 1000);
}

interface CapturedEvent {
  readonly name: string;
  readonly distinctId: string;
  readonly properties: JsonObject;
}

function listEvents(body: JsonValue): JsonObject[] {
  if (isJsonArray(body)) return body.filter(isJsonObject);
  if (!isJsonObject(body)) return [];
  const list = body['batch'] ?? body['data'];
  return isJsonArray(list) ? list.filter(isJsonObject) : [body];
}

/** `undefined` for an invalid event. */
function readEvent(sent: JsonObject): CapturedEvent | undefined {
  const properties = objectOrEmpty(sent['properties']);
  const id = sent['distinct_id'] ?? properties['distinct_id'] ?? sent['$distinct_id'];
  const distinctId = isJsonNumber(id) ? String(id) : id;
  const name = sent['event'];
  if (typeof name !== 'string' || name === '' || typeof distinctId !== 'string' || distinctId === '') return undefined;
  // Some SDKs send these next to `properties`.
  const beside = ['$set', '$set_once', '$unset'].filter((key) => memberOf(sent, key) !== undefined);
  const set = Object.fromEntries(beside.map((key) => [key, memberOf(sent, key)])) as JsonObject;
  return { name, distinctId, properties: { ...properties, ...set } };
}

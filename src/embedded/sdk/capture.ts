/** Events as SDKs send them, one or many at a time: they are kept, and make persons and groups as the real service does. */

import { isJsonArray, isJsonNumber, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Answer, Call, ServiceContext } from '../call.ts';
import { microsecondsOf, parseTimestamp } from '../timestamp.ts';
import { ingestGroup } from './ingest-group.ts';
import { ingestPerson } from './ingest-person.ts';

/** An event, its parts found wherever an SDK puts them. */
export interface CapturedEvent {
  readonly name: string;
  readonly distinctId: string;
  readonly properties: JsonObject;
}

/** What is no event is passed over; whoever sends it does not look at the answer. */
export function capture(service: ServiceContext, call: Call): Answer {
  const sent = eventsIn(call.body ?? null);
  service.store.transaction(() => {
    for (const event of sent) ingest(service, call.projectId, event);
  });
  return { status: 200, body: { status: 1 } };
}

function eventsIn(body: JsonValue): JsonObject[] {
  if (isJsonArray(body)) return body.filter(isJsonObject);
  if (!isJsonObject(body)) return [];
  const list = body['batch'] ?? body['data'];
  return isJsonArray(list) ? list.filter(isJsonObject) : [body];
}

function ingest(service: ServiceContext, projectId: string, sent: JsonObject): void {
  const event = readEvent(sent);
  if (event === undefined) return;
  const { name, distinctId, properties } = event;
  if (properties['$process_person_profile'] !== false) ingestPerson(service, projectId, event);
  if (name === '$groupidentify') ingestGroup(service, projectId, properties);
  const uuid = typeof sent['uuid'] === 'string' ? sent['uuid'] : service.randomUuid();
  service.store.events.insert({ projectId, uuid, name, distinctId, time: timeOf(service, sent), properties });
}

function readEvent(sent: JsonObject): CapturedEvent | undefined {
  const properties = isJsonObject(sent['properties']) ? sent['properties'] : {};
  const id = sent['distinct_id'] ?? properties['distinct_id'] ?? sent['$distinct_id'];
  const distinctId = isJsonNumber(id) ? String(id) : id;
  const name = sent['event'];
  if (typeof name !== 'string' || name === '' || typeof distinctId !== 'string' || distinctId === '') return undefined;
  // Some SDKs put what they set beside the properties.
  const beside = ['$set', '$set_once', '$unset'].filter((key) => sent[key] !== undefined);
  const set = Object.fromEntries(beside.map((key) => [key, sent[key]])) as JsonObject;
  return { name, distinctId, properties: { ...properties, ...set } };
}

function timeOf({ now }: ServiceContext, { timestamp }: JsonObject): number {
  const time = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined;
  return time === undefined ? now().getTime() : Math.floor(microsecondsOf(time) / 1000);
}

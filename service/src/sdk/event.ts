/** Reads the events in a body, from the different shapes that SDKs send. */

import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';

export interface CapturedEvent {
  readonly name: string;
  readonly distinctId: string;
  readonly properties: JsonObject;
}

export function listEvents(body: JsonValue): JsonObject[] {
  if (isJsonArray(body)) return body.filter(isJsonObject);
  if (!isJsonObject(body)) return [];
  const list = body['batch'] ?? body['data'];
  return isJsonArray(list) ? list.filter(isJsonObject) : [body];
}

/** `undefined` for an invalid event. */
export function readEvent(sent: JsonObject): CapturedEvent | undefined {
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

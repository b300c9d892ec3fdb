/** Reads the bodies that SDKs send, which may be compressed or in a form, and stores their events. */

import { gunzipSync } from 'node:zlib';
import { parseJson } from '../../../src/base/json-text.ts';
import {
  type JsonValue,
  isJsonArray,
  objectOrEmpty,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  isJsonNumber,
} from '../../../src/base/json.ts';
import { malformed, Refusal } from '../handler/envelope.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { addPerson } from '../persons/write.ts';
import { parseMicroseconds, parseTimestamp } from '../format/timestamp.ts';
import type { StoredPerson } from '../store/person-scan.ts';

interface SdkBody {
  readonly body: Buffer;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
}

const LARGEST = 20 * 1024 * 1024;

/** An empty body is an empty object. Throws a 400 for anything else. */
export function parseSdkBody(
  { body, contentType = '', contentEncoding = '' }: SdkBody,
  query: URLSearchParams,
): JsonValue {
  // An SDK in a browser names its compression; in Node the same SDK may not, so that only the body tells.
  const isCompressed =
    contentEncoding === 'gzip' ||
    query.get('compression')?.startsWith('gzip') === true ||
    (body[0] === 0x1f && body[1] === 0x8b);
  const text = (isCompressed ? unzip(body) : body).toString('utf8').trim();
  if (text === '') return {};
  // A form never starts like this; curl labels every body a form by default.
  const isJson = /^[[{]/.test(text);
  const isForm = contentType.startsWith('application/x-www-form-urlencoded') || text.startsWith('data=');
  return parse(isForm && !isJson ? readForm(text) : text);
}

function unzip(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: LARGEST });
  } catch {
    throw malformed('The body is not valid gzip, or is too large.');
  }
}

function readForm(text: string): string {
  const data = new URLSearchParams(text).get('data') ?? '';
  // An unescaped plus sign of base64 is read as a space.
  return /^[[{]/.test(data) ? data : Buffer.from(data.replaceAll(' ', '+'), 'base64').toString('utf8');
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw malformed(`JSON parse error - ${(error as Error).message}`);
  }
}

/**
 * The project of a token: `phc_7` or `7` for project 7. A service with one project accepts any token. Throws a 401 for
 * a missing or unknown token.
 */
export function findProjectByToken(token: string | undefined, projectIds: readonly string[]): string {
  const [only] = projectIds;
  const named = projectIds.find((id) => token === id || token === `phc_${id}`);
  const projectId = named ?? (token !== undefined && projectIds.length === 1 ? only : undefined);
  if (projectId !== undefined) return projectId;
  throw wrongToken();
}

/** A service with a list of keys accepts no other tokens, so that a web page cannot read its flags. */
export function wrongToken(): Refusal {
  const facts = { status: 401, type: 'authentication_error', code: 'invalid_api_key' } as const;
  return new Refusal('The project token is missing or not valid.', facts);
}

/** SDKs send the token in the query, in the body, or in the events of the body. */
export function findToken(query: URLSearchParams, body: JsonValue | undefined): string | undefined {
  const first = isJsonArray(body) ? body[0] : body;
  const members = objectOrEmpty(first);
  const properties = objectOrEmpty(members['properties']);
  const candidates = [query.get('token'), members['token'], members['api_key'], members['$token'], properties['token']];
  return candidates.find((candidate): candidate is string => typeof candidate === 'string' && candidate !== '');
}

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
    store.persons.findByDistinctId(projectId, event.distinctId) ?? addPerson(service, projectId, event.distinctId);
  const person = merge(service, found, otherId(event));
  const properties = applyProperties(person.properties, event.properties);
  if (!jsonEquals(properties, person.properties)) store.persons.setProperties(person.id, properties);
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

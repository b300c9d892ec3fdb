/**
 * Reads the question of an analysis: events, dates, interval and filters. Values in the body precede those in the
 * query.
 */

import { parseJson } from '../../../src/base/json-text.ts';
import { isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { parseDate } from '../../../src/evaluation/values/dates.ts';
import { matchesProperty } from '../../../src/evaluation/match-property.ts';
import type { Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import type { EvaluatedProperty } from '../evaluation/context.ts';
import { readObjectBody } from '../persons/write.ts';
import { checkProperties, buildPropertyFilter } from '../persons/filter.ts';
import type { EventOccurrence } from '../store/events.ts';

/** The events that count; a null `name` means any event. */
export interface Entity {
  readonly name: string | null;
  readonly properties: readonly EvaluatedProperty[];
}

export interface TimeRange {
  /** Milliseconds since 1970, both inclusive. */
  readonly from: number;
  readonly to: number;
}

export interface AnalysisQuestion {
  /** A parameter as sent: a string from the query, any JSON value from the body. */
  readonly parameter: (name: string) => JsonValue | undefined;
  readonly range: TimeRange;
  /** The entities in order; one of any event if the question has none. */
  readonly entities: readonly Entity[];
  readonly now: Date;
  /** Whether the filters on persons admit the person. */
  readonly admits: (personId: number) => boolean;
}

const DAY_MS = 86_400_000;
const ANY_EVENT: Entity = { name: null, properties: [] };

export function readQuestion(service: ServiceContext, call: Call): AnalysisQuestion {
  const body = readObjectBody(call);
  const parameter = (name: string): JsonValue | undefined => memberOf(body, name) ?? call.query.get(name) ?? undefined;
  const now = service.now();
  const filters = readFilters(readJson(parameter('properties'), 'properties'));
  const entities = readEntities(readJson(parameter('events'), 'events'), parameter('entity_id'));
  return {
    parameter,
    now,
    range: readRange(parameter, now),
    entities: entities.map((entity) => ({ ...entity, properties: [...entity.properties, ...filters.ofEvents] })),
    admits: createAdmission(service, call.projectId, filters.ofPersons),
  };
}

export function wholeNumber(question: AnalysisQuestion, name: string, fallback: number): number {
  const value = question.parameter(name) ?? fallback;
  const number = typeof value === 'string' && /^-?\d{1,6}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw invalid('invalid_input', 'A valid integer is required.', name);
}

/** An entity as a name, an object `{"id": "signed up"}`, or the object as a string of JSON. */
export function readEntity(value: JsonValue | undefined, name: string): Entity {
  const parsed = typeof value === 'string' && value.startsWith('{') ? readJson(value, name) : (value ?? '');
  if (isJsonObject(parsed)) {
    const { id = null, properties = [] } = parsed;
    if (isJsonObject(id)) throw invalid('invalid_input', 'The name of an event is a string.', name);
    return { ...readEntity(id, name), properties: readEventProperties(properties) };
  }
  if (typeof parsed !== 'string') throw invalid('invalid_input', 'An event is a name or an object with an id.', name);
  return parsed === '' ? ANY_EVENT : { name: parsed, properties: [] };
}

export function matchesEntity({ name, properties }: Entity, occurrence: EventOccurrence, now: Date): boolean {
  const clock = { generation: 'rust-2026', now, timeZone: 'UTC' } as const;
  const isNamed = name === null || name === occurrence.name;
  return isNamed && properties.every((property) => matchesProperty(property, occurrence.properties, clock) === true);
}

/** A date: ISO 8601, or a relative date such as `-7d`. */
export function readMoment(value: JsonValue | undefined, name: string, now: Date): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const moment = typeof value === 'string' ? parseDate(value, { now, timeZone: 'UTC' }) : undefined;
  if (moment === undefined) throw invalid('invalid_input', 'Not a date such as 2026-01-31 or -7d.', name);
  return moment;
}

/** Default: the last seven days. `all` starts at 1970. An end without a time means the end of that day. */
function readRange(parameter: AnalysisQuestion['parameter'], now: Date): TimeRange {
  const from = parameter('date_from');
  const to = parameter('date_to');
  const isDay = typeof to === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(to);
  return {
    from: from === 'all' ? 0 : (readMoment(from, 'date_from', now) ?? now.getTime() - 7 * DAY_MS),
    to: (readMoment(to, 'date_to', now) ?? now.getTime()) + (isDay ? DAY_MS - 1 : 0),
  };
}

function readEntities(events: JsonValue | undefined, entityId: JsonValue | undefined): Entity[] {
  if (entityId !== undefined) return [readEntity(entityId, 'entity_id')];
  const list = isJsonArray(events) ? events : events === undefined ? [] : [events];
  const placed = list.map((event) => ({ place: readOrder(event), entity: readEntity(event, 'events') }));
  const entities = placed.toSorted((a, b) => a.place - b.place).map(({ entity }) => entity);
  return entities.length === 0 ? [ANY_EVENT] : entities;
}

function readOrder(event: JsonValue): number {
  const order = isJsonObject(event) ? (event['order'] ?? 0) : 0;
  const number = typeof order === 'string' ? Number(order) : order;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw invalid('invalid_input', 'The order of an event is a number.', 'events');
}

interface AnalysisFilters {
  readonly ofPersons: readonly EvaluatedProperty[];
  readonly ofEvents: readonly EvaluatedProperty[];
}

/** A list of filters, on events unless they have a type; or an object of person properties and their values. */
function readFilters(value: JsonValue | undefined): AnalysisFilters {
  if (isJsonObject(value) && value['key'] === undefined) {
    const exact = Object.entries(value).map(([key, wanted = null]) => ({ key, value: wanted, type: 'person' }));
    return { ofPersons: checkProperties(exact), ofEvents: [] };
  }
  const list = value === undefined ? [] : readObjects(value);
  const isOfEvent = ({ type = 'event' }: JsonObject): boolean => type === 'event';
  return {
    ofPersons: checkProperties(list.filter((filter) => !isOfEvent(filter))),
    ofEvents: readEventProperties(list.filter(isOfEvent)),
  };
}

function readEventProperties(value: JsonValue): EvaluatedProperty[] {
  return checkProperties(readObjects(value).map((filter) => ({ ...filter, type: 'person' })));
}

/** A list of filters, or one filter. */
function readObjects(value: JsonValue): JsonObject[] {
  const list = isJsonArray(value) ? value : [value];
  if (list.every(isJsonObject)) return [...list];
  throw invalid('invalid_input', 'Invalid properties: each filter must be an object.', 'properties');
}

function createAdmission(
  service: ServiceContext,
  projectId: string,
  properties: readonly EvaluatedProperty[],
): AnalysisQuestion['admits'] {
  if (properties.length === 0) return () => true;
  const batches = service.store.persons.batches(projectId, buildPropertyFilter(service, projectId, properties));
  const admitted = new Set([...batches].flat().map(({ id }) => id));
  return (personId) => admitted.has(personId);
}

/** A string is parsed as JSON, as parameters of a query are. */
function readJson(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'string' || value === '') return value === '' ? undefined : value;
  try {
    return parseJson(value);
  } catch {
    throw invalid('invalid_input', 'The parameter is not JSON.', name);
  }
}

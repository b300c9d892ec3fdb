/** The analyses of persons: those who completed steps of a funnel, followed a path, did an event often, came back, stayed away, or changed. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import {
  readEntity,
  matchesEntity,
  readQuestion,
  wholeNumber,
  type Entity,
  type AnalysisQuestion,
  readMoment,
  type TimeRange,
} from './question.ts';
import { jsonEquals, objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import { findPerson, serializePerson } from '../persons/read.ts';
import type { EventOccurrence } from '../store/events.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { linkTo, readPage } from '../handler/lists.ts';
import { readObjectBody } from '../persons/write.ts';

const DAY_MS = 86_400_000;
const DEFAULT_WINDOW_DAYS = 14;
const CORRELATED = 'funnel_correlation_person_entity';

/**
 * `funnel_step` n: persons who reached step n (1 is the first); -n: persons who reached the step before n but not n.
 */
export function funnel(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const step = wholeNumber(question, 'funnel_step', 1);
  const steps = question.entities.length;
  if (step === 0 || step === -1 || Math.abs(step) > steps) {
    throw invalid('invalid_input', `The funnel has ${steps} steps; drop-off starts at the second.`, 'funnel_step');
  }
  const isMeant = (reached: number): boolean => (step > 0 ? reached >= step : reached === -step - 1);
  return answerPeople(service, call, findPersons(service, call, { question, isMeant }));
}

/** Counts the persons who also did the entity, among those who completed the funnel (or began and did not complete it). */
export function funnelCorrelation(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const converted = question.parameter('funnel_correlation_person_converted');
  if (![undefined, null, true, false, 'true', 'false', ''].includes(converted as string)) {
    throw invalid('invalid_input', 'Must be a valid boolean.', 'funnel_correlation_person_converted');
  }
  const hasConverted = converted !== false && converted !== 'false';
  const steps = question.entities.length;
  const isMeant = (reached: number): boolean => (hasConverted ? reached === steps : reached > 0 && reached < steps);
  const reached = new Set(findPersons(service, call, { question, isMeant }));
  const entity = readEntity(question.parameter(CORRELATED), CORRELATED);
  const { range, now } = question;
  const didEntity = readHistories(service, call, { question, entities: [entity], range }).filter(({ occurrences }) =>
    occurrences.some((occurrence) => matchesEntity(entity, occurrence, now)),
  );
  const ids = didEntity.map(({ personId }) => personId).filter((id) => reached.has(id));
  return answerPeople(service, call, ids);
}

function findPersons(
  service: ServiceContext,
  call: Call,
  { question, isMeant }: { readonly question: AnalysisQuestion; readonly isMeant: (reached: number) => boolean },
): number[] {
  const { entities, range } = question;
  const windowMs = wholeNumber(question, 'funnel_window_days', DEFAULT_WINDOW_DAYS) * DAY_MS;
  return readHistories(service, call, { question, entities, range })
    .filter((history) => isMeant(furthestStep(history, { steps: entities, windowMs, now: question.now })))
    .map(({ personId }) => personId);
}

/** The highest number of consecutive steps that the person completed within the window after the first. */
function furthestStep(
  { occurrences }: PersonHistory,
  { steps, windowMs, now }: { readonly steps: readonly Entity[]; readonly windowMs: number; readonly now: Date },
): number {
  let furthest = 0;
  for (const [index, first] of occurrences.entries()) {
    let reached = 0;
    for (const occurrence of occurrences.slice(index)) {
      const step = steps[reached];
      if (step === undefined || occurrence.time > first.time + windowMs) break;
      if (matchesEntity(step, occurrence, now)) reached += 1;
      else if (reached === 0) break;
    }
    furthest = Math.max(furthest, reached);
    if (furthest === steps.length) break;
  }
  return furthest;
}

/**
 * `path_start_key` and `path_end_key` are event names. With one of them: persons who did it; with none: persons who did
 * any event.
 */
export function path(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const start = readEventName(question, 'path_start_key');
  const end = readEventName(question, 'path_end_key');
  const isMeant = ({ occurrences }: PersonHistory): boolean =>
    start !== undefined && end !== undefined
      ? occurrences.some(({ name }, index) => name === start && occurrences[index + 1]?.name === end)
      : occurrences.some(({ name }) => name === (start ?? end ?? name));
  const entities = [{ name: null, properties: [] }];
  const histories = readHistories(service, call, { question, entities, range: question.range });
  const ids = histories.filter(isMeant).map(({ personId }) => personId);
  return answerPeople(service, call, ids);
}

/** The real service prefixes steps with their number: `2_signed up`. */
function readEventName(question: AnalysisQuestion, name: string): string | undefined {
  const value = question.parameter(name) ?? '';
  if (typeof value !== 'string') throw invalid('invalid_input', 'The name of an event is a string.', name);
  return value === '' ? undefined : value.replace(/^\d+_/, '');
}

/** Persons who did one of the events in the range. */
export function trends(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const ids = listActive(service, call, question).map(({ personId }) => personId);
  return answerPeople(service, call, ids);
}

/** Persons who did an event in exactly `stickiness_days` of the intervals, or in any without that number. */
export function stickiness(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const interval = readInterval(question.parameter('interval'), 'interval');
  const days = wholeNumber(question, 'stickiness_days', 0);
  const isSticky = ({ occurrences }: PersonHistory): boolean =>
    days === 0 || new Set(occurrences.map(({ time }) => intervalIndex(time, interval))).size === days;
  const ids = listActive(service, call, question)
    .filter(isSticky)
    .map(({ personId }) => personId);
  return answerPeopleBriefly(service, call, ids);
}

/** Histories with only the events of the question. */
function listActive(service: ServiceContext, call: Call, question: AnalysisQuestion): PersonHistory[] {
  const { entities, range, now } = question;
  return readHistories(service, call, { question, entities, range }).flatMap(({ personId, occurrences }) => {
    const counted = occurrences.filter((occurrence) =>
      entities.some((entity) => matchesEntity(entity, occurrence, now)),
    );
    return counted.length === 0 ? [] : [{ personId, occurrences: counted }];
  });
}

interface Point {
  readonly timestamp: string;
  readonly properties: JsonObject;
  /** The number of events from this point to the next. */
  relevant_event_count: number;
}

/** One point for the first event and for each later event that changes the properties. */
export function propertiesTimeline(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const person = findPerson(service, call);
  const { range, now, entities } = question;
  const occurrences = service.store.events
    .occurrences(call.projectId, { ...range, from: 0, personId: person.id })
    .filter((occurrence) => entities.some((entity) => matchesEntity(entity, occurrence, now)));
  const points = buildPoints(occurrences, range.from);
  return {
    status: 200,
    body: {
      points: points.map((point) => ({ ...point })),
      crossed_over: points.length > 1,
      effective_date_from: formatTimestamp(new Date(range.from)),
      effective_date_to: formatTimestamp(new Date(range.to)),
    },
  };
}

/** Events before the range only determine the properties at its start. */
function buildPoints(occurrences: readonly EventOccurrence[], from: number): Point[] {
  const points: Point[] = [];
  let properties: JsonObject = {};
  for (const occurrence of occurrences) {
    properties = { ...properties, ...objectOrEmpty(occurrence.properties['$set']) };
    if (occurrence.time < from) continue;
    const last = points.at(-1);
    if (last !== undefined && jsonEquals(last.properties, properties)) last.relevant_event_count += 1;
    else points.push({ timestamp: formatTimestamp(new Date(occurrence.time)), properties, relevant_event_count: 1 });
  }
  return points;
}

/** A person's activity in an interval and around it. */
interface Presence {
  readonly isNow: boolean;
  readonly wasBefore: boolean;
  /** The person's first event is in the interval. */
  readonly isFirst: boolean;
}

const STAGES: Readonly<Record<string, (presence: Presence) => boolean>> = {
  new: ({ isNow, isFirst }) => isNow && isFirst,
  returning: ({ isNow, wasBefore }) => isNow && wasBefore,
  resurrecting: ({ isNow, wasBefore, isFirst }) => isNow && !wasBefore && !isFirst,
  dormant: ({ isNow, wasBefore }) => !isNow && wasBefore,
};

export function lifecycle(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const type = question.parameter('lifecycle_type');
  const target = readMoment(question.parameter('target_date'), 'target_date', question.now);
  const stage = typeof type === 'string' && Object.hasOwn(STAGES, type) ? STAGES[type] : undefined;
  if (target === undefined || stage === undefined) {
    // The real service does not use the error envelope here either.
    const detail = `target_date and lifecycle_type (${Object.keys(STAGES).join(', ')}) need to be set`;
    return { status: 400, body: { message: 'Missing required parameters', detail } };
  }
  const interval = readInterval(question.parameter('interval'), 'interval');
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const ids = listActive(service, call, { ...question, range })
    .filter((history) => stage(findPresence(history, { target, interval })))
    .map(({ personId }) => personId);
  return answerPeopleBriefly(service, call, ids);
}

function findPresence(
  { occurrences }: PersonHistory,
  { target, interval }: { readonly target: number; readonly interval: Interval },
): Presence {
  const piece = intervalIndex(target, interval);
  const pieces = occurrences.map(({ time }) => intervalIndex(time, interval));
  return { isNow: pieces.includes(piece), wasBefore: pieces.includes(piece - 1), isFirst: pieces[0] === piece };
}

const DEFAULT_INTERVALS = 11;

interface Retention {
  readonly target: Entity;
  readonly returning: Entity;
  readonly interval: Interval;
  readonly now: Date;
  /** The interval of the target event, and the last interval considered. */
  readonly first: number;
  readonly last: number;
}

/**
 * The last of `total_intervals` contains `date_to`; `selected_interval` (0 is the earliest) is the interval of the
 * target event. `appearances` has a 1 for each interval from there on in which the person came back.
 */
export function retention(service: ServiceContext, call: Call): Answer {
  const question = readQuestion(service, call);
  const asked = readRetention(question);
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const histories = readHistories(service, call, { question, entities: [asked.target, asked.returning], range });
  const appearances = new Map(
    histories
      .filter((history) => listIntervals(history, asked.target, asked).has(asked.first))
      .map((history) => [history.personId, listAppearances(history, asked)]),
  );
  const { people, next } = selectPeople(service, call, [...appearances.keys()]);
  const result = people.map((person) => ({ person, appearances: appearances.get(Number(person['id'])) }));
  return { status: 200, body: { result, next, missing_persons: 0 } };
}

function readRetention(question: AnalysisQuestion): Retention {
  const { parameter, range, now } = question;
  const interval = readInterval(parameter('period'), 'period');
  const intervals = Math.max(1, wholeNumber(question, 'total_intervals', DEFAULT_INTERVALS));
  const selected = wholeNumber(question, 'selected_interval', 0);
  if (selected < 0 || selected >= intervals) {
    throw invalid('invalid_input', `There are ${intervals} intervals; the earliest is 0.`, 'selected_interval');
  }
  const last = intervalIndex(range.to, interval);
  return {
    target: readEntity(parameter('target_entity'), 'target_entity'),
    returning: readEntity(parameter('returning_entity'), 'returning_entity'),
    interval,
    now,
    first: last - intervals + 1 + selected,
    last,
  };
}

function listAppearances(history: PersonHistory, asked: Retention): number[] {
  const returned = listIntervals(history, asked.returning, asked);
  const later = Array.from({ length: asked.last - asked.first }, (_, index) => asked.first + 1 + index);
  return [1, ...later.map((piece) => Number(returned.has(piece)))];
}

function listIntervals(
  { occurrences }: PersonHistory,
  entity: Entity,
  { interval, now }: { readonly interval: Interval; readonly now: Date },
): Set<number> {
  const counted = occurrences.filter((occurrence) => matchesEntity(entity, occurrence, now));
  return new Set(counted.map(({ time }) => intervalIndex(time, interval)));
}

interface PersonHistory {
  readonly personId: number;
  /** Ordered by time; never empty. */
  readonly occurrences: readonly EventOccurrence[];
}

/** Includes persons that the question admits, and only events with the names of the entities. */
function readHistories(
  { store }: ServiceContext,
  { projectId }: Call,
  { question, entities, range }: { question: AnalysisQuestion; entities: readonly Entity[]; range: TimeRange },
): PersonHistory[] {
  const names = entities.map(({ name }) => name);
  const named = names.filter((name) => name !== null);
  const limits = named.length === names.length ? { ...range, names: named } : range;
  const byPerson = new Map<number, EventOccurrence[]>();
  for (const occurrence of store.events.occurrences(projectId, limits)) {
    const known = byPerson.get(occurrence.personId);
    if (known === undefined) byPerson.set(occurrence.personId, [occurrence]);
    else known.push(occurrence);
  }
  return [...byPerson]
    .filter(([personId]) => question.admits(personId))
    .map(([personId, occurrences]) => ({ personId, occurrences }));
}

/** `{results: [{people, count}], next, initial, missing_persons, is_cached, last_refresh}`. */
function answerPeople(service: ServiceContext, call: Call, personIds: readonly number[]): Answer {
  const { people, next } = selectPeople(service, call, personIds);
  const body = {
    results: [{ people, count: people.length }],
    next,
    initial: linkTo(call, { offset: null }),
    missing_persons: 0,
    is_cached: false,
    last_refresh: formatTimestamp(service.now()),
  };
  return { status: 200, body };
}

/** `{results: [{people, count}], next}`. */
function answerPeopleBriefly(service: ServiceContext, call: Call, personIds: readonly number[]): Answer {
  const { people, next } = selectPeople(service, call, personIds);
  return { status: 200, body: { results: [{ people, count: people.length }], next } };
}

interface PeoplePage {
  readonly people: readonly JsonObject[];
  readonly next: string | null;
}

/** Highest id first. */
function selectPeople({ store }: ServiceContext, call: Call, personIds: readonly number[]): PeoplePage {
  const { limit, offset } = readPage(call.query, readObjectBody(call));
  const ids = personIds.toSorted((a, b) => b - a).slice(offset, offset + limit);
  const persons = ids.map((id) => store.persons.find(call.projectId, id)).filter((person) => person !== undefined);
  const hasMore = offset + limit < personIds.length;
  return {
    people: persons.map(serializePerson),
    next: hasMore ? linkTo(call, { limit, offset: offset + limit }) : null,
  };
}

export type Interval = 'hour' | 'day' | 'week' | 'month';

const HOUR_MS = 3_600_000;
/** 1 January 1970 was a Thursday. */
const FIRST_MONDAY = 4;

/** Ignores case; default `day`. */
export function readInterval(value: unknown, name: string): Interval {
  const text = typeof value === 'string' ? value.toLowerCase() : 'day';
  if (text === 'hour' || text === 'day' || text === 'week' || text === 'month') return text;
  throw invalid('invalid_choice', `"${text}" is not a valid choice.`, name);
}

/** The number of the interval that contains a time; consecutive intervals have consecutive numbers. */
export function intervalIndex(time: number, interval: Interval): number {
  switch (interval) {
    case 'hour':
      return Math.floor(time / HOUR_MS);
    case 'day':
      return Math.floor(time / (24 * HOUR_MS));
    case 'week':
      return Math.floor((Math.floor(time / (24 * HOUR_MS)) - FIRST_MONDAY) / 7);
    case 'month': {
      const date = new Date(time);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    }
  }
}

/** `properties_timeline`: the history of a person's properties, from the events that set them. */

import { jsonEquals, objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { findPerson } from '../persons/find.ts';
import type { EventOccurrence } from '../store/events.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { matchesEntity, readQuestion } from './question.ts';

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
    properties = { ...properties, ...propertiesSetBy(occurrence) };
    if (occurrence.time < from) continue;
    const last = points.at(-1);
    if (last !== undefined && jsonEquals(last.properties, properties)) last.relevant_event_count += 1;
    else points.push({ timestamp: formatTimestamp(new Date(occurrence.time)), properties, relevant_event_count: 1 });
  }
  return points;
}

function propertiesSetBy({ properties }: EventOccurrence): JsonObject {
  const set = properties['$set'];
  return objectOrEmpty(set);
}

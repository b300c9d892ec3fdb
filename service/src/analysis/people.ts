/** Builds the answers of analyses: a page of persons and links to other pages. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { linkTo, readPage } from '../handler/paging.ts';
import { readObjectBody } from '../persons/body.ts';
import { serialisePerson } from '../persons/serialise.ts';
import { formatTimestamp } from '../format/timestamp.ts';

/** `{results: [{people, count}], next, initial, missing_persons, is_cached, last_refresh}`. */
export function answerPeople(service: ServiceContext, call: Call, personIds: readonly number[]): Answer {
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
export function answerPeopleBriefly(service: ServiceContext, call: Call, personIds: readonly number[]): Answer {
  const { people, next } = selectPeople(service, call, personIds);
  return { status: 200, body: { results: [{ people, count: people.length }], next } };
}

interface PeoplePage {
  readonly people: readonly JsonObject[];
  readonly next: string | null;
}

/** Highest id first. */
export function selectPeople({ store }: ServiceContext, call: Call, personIds: readonly number[]): PeoplePage {
  const { limit, offset } = readPage(call.query, readObjectBody(call));
  const ids = personIds.toSorted((a, b) => b - a).slice(offset, offset + limit);
  const persons = ids.map((id) => store.persons.find(call.projectId, id)).filter((person) => person !== undefined);
  const hasMore = offset + limit < personIds.length;
  return {
    people: persons.map(serialisePerson),
    next: hasMore ? linkTo(call, { limit, offset: offset + limit }) : null,
  };
}

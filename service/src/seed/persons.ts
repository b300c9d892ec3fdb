/** Loads the persons, events and members of static cohorts of a seed. */

import { defined } from '../../../src/base/optional.ts';
import type { ServiceContext } from '../handler/call.ts';
import { parseMicroseconds, parseTimestamp } from '../format/timestamp.ts';
import { seedProblem, type SeedDocument, type SeedPerson } from './document.ts';

/** The target of a seed. */
export interface SeedTarget {
  readonly service: ServiceContext;
  readonly projectId: string;
  /** The creation time of entries without one. */
  readonly time: string;
}

export function loadPersons(target: SeedTarget, document: SeedDocument): void {
  // Persons with an id first, so that others do not take their ids.
  const persons = document.persons.map((person, index) => ({ person, pointer: `/persons/${index}` }));
  for (const isGiven of [true, false]) {
    for (const { person, pointer } of persons) {
      if ((person.id !== undefined) === isGiven) loadPerson(target, person, pointer);
    }
  }
  loadEvents(target, document);
  loadMembers(target, document);
}

function loadPerson({ service, projectId, time }: SeedTarget, person: SeedPerson, pointer: string): void {
  const { id, uuid = service.randomUuid(), distinct_ids: distinctIds, properties = {}, created_at: given } = person;
  const createdAt = given === undefined ? time : readTime(given, `${pointer}/created_at`);
  const taken = distinctIds.find((name) => service.store.persons.findByDistinctId(projectId, name) !== undefined);
  if (taken !== undefined) {
    throw seedProblem(`${pointer}/distinct_ids`, `${JSON.stringify(taken)} belongs to another person`);
  }
  try {
    service.store.persons.insert({
      ...defined({ id }),
      projectId,
      uuid: uuid.toLowerCase(),
      createdAt,
      properties,
      distinctIds: [...new Set(distinctIds)],
    });
  } catch (error) {
    throw seedProblem(pointer, `its id or UUID is already used (${String(error)})`);
  }
}

/** Creates persons for events whose person the seed does not list. */
function loadEvents({ service, projectId, time }: SeedTarget, document: SeedDocument): void {
  const { store, randomUuid } = service;
  for (const [index, event] of document.events.entries()) {
    const { event: name, distinct_id: distinctId, timestamp, uuid = randomUuid(), properties = {} } = event;
    const moment = Math.floor(parseMicroseconds(readTime(timestamp, `/events/${index}/timestamp`)) / 1000);
    if (store.persons.findByDistinctId(projectId, distinctId) === undefined) {
      const person = { projectId, uuid: randomUuid(), createdAt: time, properties: {} };
      store.persons.insert({ ...person, distinctIds: [distinctId] });
    }
    store.events.insert({ projectId, uuid, name, distinctId, time: moment, properties });
  }
}

function loadMembers({ service, projectId }: SeedTarget, document: SeedDocument): void {
  for (const [index, { id, persons = [] }] of document.cohorts.entries()) {
    for (const [position, distinctId] of persons.entries()) {
      const person = service.store.persons.findByDistinctId(projectId, distinctId);
      if (person === undefined) {
        const pointer = `/cohorts/${index}/persons/${position}`;
        throw seedProblem(pointer, `no person has the distinct id ${JSON.stringify(distinctId)}`);
      }
      service.store.cohorts.addMember(projectId, id, person.id);
    }
  }
}

function readTime(text: string, pointer: string): string {
  const time = parseTimestamp(text);
  if (time === undefined) throw seedProblem(pointer, `${JSON.stringify(text)} is not a date and time`);
  return time;
}

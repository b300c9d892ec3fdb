/** Splits a person that was merged by mistake: each distinct id but one gets a separate person. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import type { StoredPerson } from '../store/person.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { readObjectBody } from './body.ts';
import { findPerson } from './find.ts';
import { propertyChanges, recordExistence, recordPerson } from './record.ts';
import { serialisePerson } from './serialise.ts';

/**
 * The person keeps `main_distinct_id` and its properties. Without `main_distinct_id` it keeps its first distinct id and
 * loses its properties, since their owner is unknown.
 */
export function splitPerson(service: ServiceContext, call: Call): Answer {
  const { store, rules } = service;
  const main = readObjectBody(call)['main_distinct_id'] ?? null;
  return store.transaction(() => {
    const person = findPerson(service, call);
    const kept = main ?? person.distinctIds[0];
    if (typeof kept !== 'string' || !person.distinctIds.includes(kept)) {
      // Otherwise the person would have no distinct ids, and no event could reach it.
      throw invalid('invalid_input', "Must be one of the person's distinct ids.", 'main_distinct_id');
    }
    const properties = main === null ? {} : person.properties;
    store.persons.setProperties(person.id, properties);
    const others = person.distinctIds.filter((distinctId) => distinctId !== kept);
    for (const distinctId of others) separate(service, person, distinctId);
    const left = { ...person, properties, distinctIds: [kept] };
    const split = {
      type: 'Person',
      action: 'split',
      field: null,
      before: {},
      after: { distinct_ids: person.distinctIds },
    };
    recordPerson(service, person, { activity: 'split_person', changes: [split, ...propertyChanges(person, left)] });
    if (rules.personWrites === 'person') return { status: 200, body: serialisePerson(left) };
    return { status: 201, body: { success: true } };
  });
}

function separate(service: ServiceContext, { projectId }: StoredPerson, distinctId: string): void {
  const { store, now, randomUuid } = service;
  store.persons.removeDistinctId(projectId, distinctId);
  const person = store.persons.insert({
    projectId,
    uuid: randomUuid(),
    createdAt: formatTimestamp(now()),
    properties: {},
    distinctIds: [distinctId],
  });
  recordExistence(service, person, 'created');
}

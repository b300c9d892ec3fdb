/** Serialises a person, the same in both profiles. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { StoredPerson } from '../store/person.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function serialisePerson(person: StoredPerson): JsonObject {
  const { id, uuid, distinctIds, properties, createdAt } = person;
  return { id, name: deriveName(person), distinct_ids: distinctIds, properties, created_at: createdAt, uuid };
}

/** Derived: the email address, else a distinct id that is not a UUID, else the id. */
export function deriveName({ id, properties, distinctIds }: StoredPerson): string {
  const email = properties['email'];
  if (typeof email === 'string' && email !== '') return email;
  return distinctIds.find((distinctId) => !UUID.test(distinctId)) ?? String(id);
}

/** Finds the person that a path names by id or UUID, or throws the refusal. */

import type { Call, ServiceContext } from '../handler/call.ts';
import { invalidInput, notFound } from '../handler/envelope.ts';
import type { StoredPerson } from '../store/person.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function findPerson(
  { store, rules }: ServiceContext,
  { projectId, params: { id: name = '' } }: Call,
): StoredPerson {
  const isId = /^\d{1,15}$/.test(name);
  if (rules.personIds === 'checked' && !isId && !UUID.test(name)) {
    const detail = `"${name}" is neither the id nor the UUID of a person; to find a distinct id use persons/?distinct_id=…`;
    throw invalidInput(detail);
  }
  const person = isId
    ? store.persons.find(projectId, Number(name))
    : store.persons.findByUuid(projectId, name.toLowerCase());
  if (person === undefined) throw notFound();
  return person;
}

/** What the activity log tells of persons. */

import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { writeEntry } from '../activity/entry.ts';
import type { ServiceContext } from '../call.ts';
import type { StoredPerson } from '../store/person.ts';
import { nameOf } from './serialise.ts';

export type PersonActivity = 'created' | 'updated' | 'delete_property' | 'split_person' | 'deleted';

export function recordPerson(
  service: ServiceContext,
  person: StoredPerson,
  { activity, changes = null }: { readonly activity: PersonActivity; readonly changes?: JsonValue },
): void {
  const { id, projectId } = person;
  writeEntry(service, { scope: 'Person', itemId: id, projectId, name: nameOf(person), activity, changes });
}

/** The whole properties before and after; no entry where none changed. */
export function recordProperties(service: ServiceContext, before: StoredPerson, after: StoredPerson): void {
  if (jsonEquals(before.properties, after.properties)) return;
  const isLoss = Object.keys(before.properties).some((key) => !Object.hasOwn(after.properties, key));
  const change = { action: 'changed', before: before.properties, after: after.properties };
  recordPerson(service, after, {
    activity: isLoss ? 'delete_property' : 'updated',
    changes: [{ type: 'Person', field: 'properties', ...change }],
  });
}

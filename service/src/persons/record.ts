/** Records changes of persons in the activity. */

import { jsonEquals, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { writeEntry } from '../activity/entry.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredPerson } from '../store/person.ts';
import { deriveName } from './serialise.ts';

export type PersonActivity = 'created' | 'updated' | 'delete_property' | 'split_person' | 'deleted';

export function recordPerson(
  service: ServiceContext,
  person: StoredPerson,
  { activity, changes = null }: { readonly activity: PersonActivity; readonly changes?: JsonValue },
): void {
  const { id, projectId } = person;
  writeEntry(service, { scope: 'Person', itemId: id, projectId, name: deriveName(person), activity, changes });
}

/** Records creation or deletion with all data, so that a deleted person can still be read here. */
export function recordExistence(service: ServiceContext, person: StoredPerson, activity: 'created' | 'deleted'): void {
  const { distinctIds, properties } = person;
  const changes = Object.entries({ distinct_ids: distinctIds, properties }).map(([field, value]): JsonObject => {
    const [before, after] = activity === 'created' ? [null, value] : [value, null];
    return { type: 'Person', action: activity, field, before, after };
  });
  recordPerson(service, person, { activity, changes });
}

/** Records all properties before and after; no entry without changes. */
export function recordProperties(service: ServiceContext, before: StoredPerson, after: StoredPerson): void {
  const changes = propertyChanges(before, after);
  if (changes.length === 0) return;
  const isLoss = Object.keys(before.properties).some((key) => !Object.hasOwn(after.properties, key));
  recordPerson(service, after, { activity: isLoss ? 'delete_property' : 'updated', changes });
}

export function propertyChanges(before: StoredPerson, after: StoredPerson): readonly JsonObject[] {
  if (jsonEquals(before.properties, after.properties)) return [];
  const change = { action: 'changed', before: before.properties, after: after.properties };
  return [{ type: 'Person', field: 'properties', ...change }];
}

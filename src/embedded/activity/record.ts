/** Writes the activity log, in the transaction of the change that it tells of. */

import { jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ServiceContext } from '../call.ts';
import { writableNames } from '../flags/write-fields.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';
import { timestampOf } from '../timestamp.ts';
import { EMBEDDED_USER } from '../user.ts';

/** A creation tells the name only, not the values. */
export function recordCreation(service: ServiceContext, flag: StoredFlag): void {
  record(service, flag, { activity: 'created', changes: null });
}

/** Every field that changed, with its whole value before and after; no entry where none did. */
export function recordUpdate(service: ServiceContext, before: StoredFlag, after: StoredFlag): void {
  const changes = loggedFields(service).flatMap((field) => changeOf(field, before, after));
  if (changes.length > 0) record(service, after, { activity: 'updated', changes });
}

/** `created_at` is not logged; the version is where the profile counts it among the fields. */
function loggedFields({ rules }: ServiceContext): string[] {
  const names = writableNames(rules.name).filter((name) => name !== 'created_at');
  return rules.activityVersion ? [...names, 'version'] : names;
}

function changeOf(field: string, flagBefore: StoredFlag, flagAfter: StoredFlag): JsonObject[] {
  const before = storedValue(flagBefore, field) ?? null;
  const after = storedValue(flagAfter, field) ?? null;
  if (jsonEquals(before, after)) return [];
  const action = before === null ? 'created' : after === null ? 'deleted' : 'changed';
  return [{ type: 'FeatureFlag', action, field, before, after }];
}

function record(
  { store, now, randomUuid }: ServiceContext,
  flag: StoredFlag,
  { activity, changes }: { readonly activity: string; readonly changes: JsonValue },
): void {
  const entry: JsonObject = {
    id: randomUuid(),
    user: { first_name: EMBEDDED_USER['first_name'], email: EMBEDDED_USER['email'] },
    activity,
    scope: 'FeatureFlag',
    item_id: String(flag.id),
    detail: { id: null, name: flag.key, short_id: null, type: null, trigger: null, changes },
    created_at: timestampOf(now()),
  };
  store.activity.add(entry, { projectId: flag.projectId, flagId: flag.id });
}

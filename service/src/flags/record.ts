/** Records changes of flags in the activity. */

import { isJsonArray, isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { ServiceContext } from '../handler/call.ts';
import { formatOf } from '../filters/conditions.ts';
import { defaultOf } from './serialize.ts';
import { writableNames } from './fields.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';
import { compareField, writeEntry, type LoggedActivity } from '../activity/entry.ts';

/** A creation records the name, not the values: no changes today, null in 2023. */
export function recordCreation(service: ServiceContext, flag: StoredFlag): void {
  writeEntry(service, buildEntry(flag, 'created', service.rules.activityVersion ? [] : null));
}

/** Records every changed field with its whole value before and after; no entry without changes. */
export function recordUpdate(service: ServiceContext, before: StoredFlag, after: StoredFlag): void {
  const changes = loggedFields(service).flatMap((field) =>
    compareField('FeatureFlag', field, {
      before: recordedValue(service, before, field),
      after: recordedValue(service, after, field),
    }),
  );
  const isUpdate = service.rules.activityNames === 'updated' || before.deleted === after.deleted;
  const activity = isUpdate ? 'updated' : after.deleted ? 'deleted' : 'restored';
  if (changes.length > 0) writeEntry(service, buildEntry(after, activity, changes));
}

/** A deletion of several flags records no changes. */
export function recordDeletion(service: ServiceContext, flag: StoredFlag): void {
  writeEntry(service, buildEntry(flag, 'deleted', []));
}

/**
 * `created_at` is not recorded, nor are tags, which the service stores after the entry; the version is, where the profile counts
 * it as a field.
 */
function loggedFields({ rules }: ServiceContext): string[] {
  const names = writableNames(rules.name).filter((name) => !UNRECORDED.includes(name));
  return rules.activityVersion ? [...names, 'version'] : names;
}

const UNRECORDED: readonly string[] = ['created_at', 'tags'];

/** A field without a stored value has the one that answers show. Evaluation contexts have no order. */
function recordedValue({ rules }: ServiceContext, flag: StoredFlag, field: string): JsonValue {
  const stored = storedValue(flag, field);
  const value = stored === undefined ? defaultOf(rules.name, field) : stored;
  const isEmpty = value === '' || (isJsonObject(value) && Object.keys(value).length === 0);
  if (rules.activityEmpty === 'null' && isEmpty && formatOf(flag.filters) === 'conditions') return null;
  return field === 'evaluation_contexts' && isJsonArray(value) ? value.map(String).toSorted() : value;
}

function buildEntry({ id, projectId, key }: StoredFlag, activity: string, changes: JsonValue): LoggedActivity {
  return { scope: 'FeatureFlag', itemId: id, projectId, name: key, activity, changes };
}

/** Records changes of cohorts in the activity, which had none in 2023. */

import { jsonEquals, memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { writeEntry, type LoggedActivity } from '../activity/entry.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import { serialiseCohort } from './serialise.ts';

export function recordCreation(service: ServiceContext, projectId: string, cohort: StoredCohort): void {
  if (!service.rules.cohortActivity) return;
  writeEntry(service, buildEntry(cohort, { projectId, activity: 'created', changes: null }));
}

const RECORDED = ['name', 'description', 'groups', 'deleted', 'filters', 'is_static', 'query'];

/** No entry without changes. */
export function recordUpdate(
  service: ServiceContext,
  projectId: string,
  { before, after }: { readonly before: StoredCohort; readonly after: StoredCohort },
): void {
  if (!service.rules.cohortActivity) return;
  const [former, now] = [before, after].map((cohort) => serialiseCohort(cohort, service.rules.name));
  const changes = RECORDED.flatMap((field) =>
    compareField(field, memberOf(former ?? {}, field) ?? null, memberOf(now ?? {}, field) ?? null),
  );
  if (changes.length === 0) return;
  const deletion = after.deleted ? 'deleted' : 'restored';
  const activity = before.deleted === after.deleted ? 'updated' : deletion;
  writeEntry(service, buildEntry(after, { projectId, activity, changes }));
}

function compareField(field: string, before: JsonValue, after: JsonValue): JsonObject[] {
  if (jsonEquals(before, after)) return [];
  const action = before === null ? 'created' : after === null ? 'deleted' : 'changed';
  return [{ type: 'Cohort', action, field, before, after }];
}

function buildEntry(
  { id, name }: StoredCohort,
  entry: Pick<LoggedActivity, 'projectId' | 'activity' | 'changes'>,
): LoggedActivity {
  return { scope: 'Cohort', itemId: id, name: name ?? '', ...entry };
}

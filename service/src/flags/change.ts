/** Writes changed fields of a flag, with every check and side effect of an update. */

import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import { outdatedMembers } from '../filters/posthog.ts';
import { FILTER_RULES } from '../filters/rules.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type ServiceContext, userOf } from '../handler/call.ts';
import { countedVersion, withValues, type StoredFlag } from '../store/flag.ts';
import { checkFlag, filterContext, checkGuards } from './check.ts';
import { checkKey, claimKey, keyAfterDelete, keyAfterUndelete } from './keys.ts';
import { recordUpdate } from './record.ts';
import { formatOf } from '../filters/conditions.ts';

export interface StoredFlagChange {
  readonly before: StoredFlag;
  /** Checked values by their names in the interface. */
  readonly values: JsonObject;
  /** Whether outdated members of `filters`, which any other update removes, are kept: an action changes nothing else. */
  readonly keepsOutdated?: boolean;
}

/** Runs in the transaction of the caller, and returns the stored flag. */
export function changeFlag(service: ServiceContext, change: StoredFlagChange): StoredFlag {
  const after = draftChange(service, change);
  storeChange(service, change.before, after);
  return after;
}

/** The flag after the change, with every check of an update but that of its key. */
function draftChange(service: ServiceContext, change: StoredFlagChange): StoredFlag {
  const { before, values } = change;
  if (typeof values['key'] === 'string' && values['key'] !== before.key) checkKey(service, values['key']);
  const dashboards = values['analytics_dashboards'];
  const draft = withValues(before, {
    ...values,
    ...modification(service),
    // Enabling a flag resolves its rollback.
    ...(values['active'] === true && { performed_rollback: false }),
    // Dashboards are only ever added.
    ...(isJsonArray(dashboards) && {
      analytics_dashboards: [...new Set([...arrayOrEmpty(before.fields['analytics_dashboards']), ...dashboards])],
    }),
  });
  checkFlag(service, draft);
  const after = withKeyOfItsState(service, before, withFilters(service, draft, change));
  if (service.rules.guards) checkGuards(service, before, after);
  return after;
}

/** Stores a change that is already checked, and records it. */
export function storeChange(service: ServiceContext, before: StoredFlag, after: StoredFlag): void {
  claimKey(service, after.projectId, { key: after.key, id: after.id });
  service.store.flags.update(after);
  recordUpdate(service, before, after);
}

/** The fields that name who changed a flag last, and when. */
export function modification(service: ServiceContext): JsonObject {
  return { last_modified_by: userOf(service), updated_at: formatTimestamp(service.now()) };
}

function withFilters(
  service: ServiceContext,
  draft: StoredFlag,
  { before, values, keepsOutdated = false }: StoredFlagChange,
): StoredFlag {
  const sent = isJsonObject(values['filters']) ? values['filters'] : undefined;
  const context = filterContext(service, draft, before);
  const filters = FILTER_RULES[service.rules.name].update(sent, before.filters, context);
  const kept = keepsOutdated ? outdatedMembers(before.filters) : {};
  return { ...draft, filters: { ...filters, ...kept }, version: countedVersion(draft) + 1 };
}

/** Deletion may change the key, and restoration changes it back. */
function withKeyOfItsState(service: ServiceContext, before: StoredFlag, after: StoredFlag): StoredFlag {
  if (after.deleted && !before.deleted) return { ...after, key: keyAfterDelete(service, after) };
  if (!after.deleted && before.deleted) return { ...after, key: keyAfterUndelete(service, after) };
  return after;
}

/** Throws where the write would be refused. A flag with rules is checked when the write is made. */
export function draftOf(service: ServiceContext, before: StoredFlag, values: JsonObject): () => StoredFlag {
  return () =>
    formatOf(before.filters) === 'conditions' ? draftChange(service, { before, values }) : withValues(before, values);
}

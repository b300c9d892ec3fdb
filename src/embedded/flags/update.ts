/** Updates a flag: a PATCH changes fields, soft-deletes and restores. */

import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import { recordUpdate } from './record.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { withValues, type StoredFlag } from '../store/flag.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { EMBEDDED_USER } from '../handler/user.ts';
import { checkFlag, filterContext } from './check.ts';
import { checkDependencies } from './dependencies.ts';
import { FILTER_RULES } from '../filters/rules.ts';
import { findEditableFlag } from './find.ts';
import { checkGuards } from './guards.ts';
import { checkKey, claimKey, keyAfterDelete, keyAfterUndelete } from './keys.ts';
import { applyLock } from './lock.ts';
import { serialise } from './serialise.ts';
import { readWrite } from './write-fields.ts';

export function updateFlag(service: ServiceContext, call: Call): Answer {
  return update(service, call, { partial: true });
}

/** PUT: required fields must be present; omitted ones stay. */
export function replaceFlag(service: ServiceContext, call: Call): Answer {
  return update(service, call, { partial: false });
}

function update(service: ServiceContext, call: Call, { partial }: { readonly partial: boolean }): Answer {
  const { rules, store } = service;
  return store.transaction(() => {
    const before = findEditableFlag(service, call);
    const sent = readWrite(call.body, { profile: rules.name, partial });
    const values = rules.optimisticLock ? applyLock(before, call.body, sent) : sent;
    if (typeof values['key'] === 'string' && values['key'] !== before.key) checkKey(service, values['key']);
    const draft = withValues(before, { ...values, ...sideEffects(service, before, values) });
    checkFlag(service, draft);
    const after = withKeyOfItsState(service, before, withFilters(service, { before, draft }, values));
    if (rules.guards) {
      if (values['filters'] !== undefined) checkDependencies(service, after);
      checkGuards(service, before, after);
    }
    claimKey(service, call.projectId, { key: after.key, id: after.id });
    store.flags.update(after);
    recordUpdate(service, before, after);
    return { status: 200, body: serialise(service, after) };
  });
}

/** The values that every update writes in addition to those sent. */
function sideEffects({ now }: ServiceContext, before: StoredFlag, values: JsonObject): JsonObject {
  return {
    last_modified_by: EMBEDDED_USER,
    updated_at: formatTimestamp(now()),
    // Enabling a flag resolves its rollback.
    ...(values['active'] === true && { performed_rollback: false }),
    ...(isJsonArray(values['analytics_dashboards']) && {
      // Dashboards are only ever added.
      analytics_dashboards: union(before.fields['analytics_dashboards'], values['analytics_dashboards']),
    }),
  };
}

function withFilters(
  service: ServiceContext,
  { before, draft }: { readonly before: StoredFlag; readonly draft: StoredFlag },
  values: JsonObject,
): StoredFlag {
  const sent = isJsonObject(values['filters']) ? values['filters'] : undefined;
  const context = filterContext(service, draft, before);
  const filters = FILTER_RULES[service.rules.name].update(sent, before.filters, context);
  return { ...draft, filters, version: (draft.version ?? 0) + 1 };
}

/** Deletion may change the key, and restoration changes it back. */
function withKeyOfItsState(service: ServiceContext, before: StoredFlag, after: StoredFlag): StoredFlag {
  if (after.deleted && !before.deleted) return { ...after, key: keyAfterDelete(service, after) };
  if (!after.deleted && before.deleted) return { ...after, key: keyAfterUndelete(service, after) };
  return after;
}

function union(stored: JsonObject[string], added: readonly unknown[]): JsonObject[string] {
  return [...new Set([...(isJsonArray(stored) ? stored : []), ...added])] as JsonObject[string];
}

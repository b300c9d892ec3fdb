/** Creates a flag. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { recordCreation } from './record.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { withValues, type StoredFlag } from '../store/flag.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { EMBEDDED_USER } from '../handler/user.ts';
import { checkFlag, filterContext } from './check.ts';
import { FILTER_RULES, NO_FILTERS } from '../filters/rules.ts';
import { checkKey, claimKey } from './keys.ts';
import { serialise } from './serialise.ts';
import { flagBody, readWrite } from './write-fields.ts';

/** The id of a flag before it is stored; no flag can depend on it. */
const NO_ID = 0;

export function createFlag(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    const values = readWrite(flagBody(call, true), { profile: service.rules.name, partial: false });
    return { status: 201, body: serialise(service, addFlag(service, call.projectId, values)) };
  });
}

/** Adds a flag with checked values, with every check of a create. Runs in the transaction of the caller. */
export function addFlag(service: ServiceContext, projectId: string, values: JsonObject): StoredFlag {
  const draft = withValues(blankFlag(service, projectId), values);
  checkKey(service, draft.key);
  checkFlag(service, draft);
  const filters = isJsonObject(values['filters']) ? values['filters'] : undefined;
  const flag = { ...draft, filters: FILTER_RULES[service.rules.name].create(filters, filterContext(service, draft)) };
  checkRoom(service, projectId);
  claimKey(service, projectId, { key: flag.key, id: null });
  const { id: _noId, ...newFlag } = flag;
  const created = service.store.flags.insert(newFlag);
  recordCreation(service, created);
  return created;
}

function blankFlag({ now, rules, store }: ServiceContext, projectId: string): StoredFlag {
  const time = formatTimestamp(now());
  const fields: JsonObject = {
    ...(rules.usageDashboard && { usage_dashboard: Math.max(0, ...store.flags.dashboards(projectId)) + 1 }),
    created_by: EMBEDDED_USER,
    last_modified_by: EMBEDDED_USER,
    updated_at: time,
  };
  return {
    id: NO_ID,
    projectId,
    key: '',
    name: '',
    active: true,
    deleted: false,
    archived: false,
    version: 1,
    createdAt: time,
    filters: NO_FILTERS,
    fields,
  };
}

function checkRoom({ store, rules }: ServiceContext, projectId: string): void {
  if (rules.flagLimit !== null && store.flags.count(projectId, {}) >= rules.flagLimit) {
    throw invalid('invalid_input', `The project already has ${rules.flagLimit} feature flags, the maximum.`, null);
  }
}

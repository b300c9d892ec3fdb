/** Creates a flag. */

import { isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import { gate, refuseGoverned } from '../approvals/gate.ts';
import { recordCreation } from './record.ts';
import { type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import { withValues, type StoredFlag } from '../store/flag.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { readRules, writesRules } from './update.ts';
import { checkFlag, filterContext } from './check.ts';
import { FILTER_RULES, NO_FILTERS } from '../filters/rules.ts';
import { checkFree, checkKey, claimKey } from './keys.ts';
import { serialize } from './serialize.ts';
import { flagBody, readWrite } from './fields.ts';

/** The id of a flag before it is stored; no flag can depend on it. */
const NO_ID = 0;

/** The values of a flag that nothing else sets. */
export const NEW_FLAG: Pick<StoredFlag, 'name' | 'active' | 'deleted' | 'archived' | 'version' | 'filters'> = {
  name: '',
  active: true,
  deleted: false,
  archived: false,
  version: 1,
  filters: NO_FILTERS,
};

export function createFlag(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    const values = readWrite(flagBody(call, { isNew: true }), { profile: service.rules.name, partial: false });
    if (writesRules(service, call.projectId, values['filters'])) {
      return { status: 201, body: serialize(service, addFlagWithRules(service, call, values)) };
    }
    const draft = (): StoredFlag => {
      const checked = draftFlag(service, call.projectId, values);
      // The real service checks the key before it asks for an approval.
      checkFree(service, checked);
      return checked;
    };
    const asked = gate(service, { projectId: call.projectId, values, draft });
    return asked ?? { status: 201, body: serialize(service, addFlag(service, call.projectId, values)) };
  });
}

/** Adds the flag disabled: enabling it takes another write. */
function addFlagWithRules(service: ServiceContext, { projectId, text }: Call, values: JsonObject): StoredFlag {
  if (values['active'] === true) throw invalid('unsupported', 'A flag with rules is created disabled.', 'active');
  refuseGoverned(service, projectId);
  const draft = withValues(blankFlag(service, projectId), { ...values, active: false });
  checkKey(service, draft.key);
  return insertFlag(service, { ...draft, filters: readRules(service, { sent: values['filters'], stored: {}, text }) });
}

/** Adds a flag after every check of a create; the shape of `values` was checked. Runs in the transaction of the caller. */
export function addFlag(service: ServiceContext, projectId: string, values: JsonObject): StoredFlag {
  return insertFlag(service, draftFlag(service, projectId, values));
}

function insertFlag(service: ServiceContext, flag: StoredFlag): StoredFlag {
  if (service.rules.flagLimit !== null && service.store.flags.count(flag.projectId, {}) >= service.rules.flagLimit) {
    throw invalidInput(`The project already has ${service.rules.flagLimit} feature flags, the maximum.`);
  }
  claimKey(service, flag.projectId, { key: flag.key, id: null });
  const { id: _noId, ...newFlag } = flag;
  const created = service.store.flags.insert(newFlag);
  recordCreation(service, created);
  return created;
}

/** Makes the new flag, after every check of its values. */
export function draftFlag(service: ServiceContext, projectId: string, values: JsonObject): StoredFlag {
  const draft = withValues(blankFlag(service, projectId), values);
  checkKey(service, draft.key);
  checkFlag(service, draft);
  const filters = isJsonObject(values['filters']) ? values['filters'] : undefined;
  return { ...draft, filters: FILTER_RULES[service.rules.name].create(filters, filterContext(service, draft)) };
}

function blankFlag(service: ServiceContext, projectId: string): StoredFlag {
  const { now, rules, store } = service;
  const time = formatTimestamp(now());
  const fields: JsonObject = {
    ...(rules.usageDashboard && { usage_dashboard: store.flags.dashboards.next(projectId) }),
    created_by: userOf(service),
    last_modified_by: userOf(service),
    updated_at: time,
  };
  return { id: NO_ID, projectId, key: '', ...NEW_FLAG, createdAt: time, fields };
}

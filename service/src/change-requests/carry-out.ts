/** Makes an approved change: the write as it was sent, in the name of its requester. */

import { isJsonObject, objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import { isOutdated } from '../approvals/refresh.ts';
import { formatOf } from '../filters/format.ts';
import { changeFlag } from '../flags/change.ts';
import { changeFlagWithRules } from '../flags/change-rules.ts';
import { addFlag } from '../flags/create.ts';
import type { ServiceContext } from '../handler/call.ts';
import { conflict } from '../handler/envelope.ts';
import type { StoredRequest } from '../store/approvals.ts';
import type { StoredFlag } from '../store/flag.ts';

/** Runs in the transaction of the caller. Throws a refusal where the change cannot be made any more. */
export function carryOut(given: ServiceContext, request: StoredRequest): StoredFlag {
  const service: ServiceContext = { ...given, user: objectOrEmpty(request.fields['created_by']) };
  return request.resourceId === null ? create(service, request) : update(service, request, Number(request.resourceId));
}

/** A live flag with the key, which somebody else has created since, counts as the requested one. */
function create(service: ServiceContext, request: StoredRequest): StoredFlag {
  const values = requestedValues(request);
  const { key } = values;
  const holder = typeof key === 'string' ? service.store.flags.findByKey(request.projectId, key) : undefined;
  return holder?.deleted === false ? holder : addFlag(service, request.projectId, values);
}

function update(service: ServiceContext, request: StoredRequest, id: number): StoredFlag {
  const before = service.store.flags.find(request.projectId, id);
  if (before === undefined || isOutdated(service, request)) {
    throw conflict('The flag has changed since the request was opened.');
  }
  const values = requestedValues(request);
  const intent = objectOrEmpty(request.fields['intent']);
  if (formatOf(before.filters) !== 'conditions') {
    const { version = null } = objectOrEmpty(intent['preconditions']);
    return changeFlagWithRules(service, { before, values, body: { ...values, version } });
  }
  const keepsOutdated = intent['skip_opportunistic_filter_cleanup'] === true;
  return changeFlag(service, { before, values, keepsOutdated });
}

/** With the payloads that the request leaves out of what it shows. */
function requestedValues({ fields }: StoredRequest): JsonObject {
  const values = objectOrEmpty(objectOrEmpty(fields['intent'])['full_request_data']);
  const { filters } = values;
  const secrets = fields['secrets'];
  if (!isJsonObject(filters) || !isJsonObject(secrets)) return values;
  return { ...values, filters: { ...filters, payloads: { ...objectOrEmpty(filters['payloads']), ...secrets } } };
}

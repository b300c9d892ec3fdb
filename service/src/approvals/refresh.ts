/** Brings open change requests up to date, as the service does every hour: some expire, and those of changed flags are marked. */

import { objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import { formatTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredRequest } from '../store/approvals.ts';
import { countedVersion } from '../store/flag.ts';

export function refreshRequests(service: ServiceContext, projectId: string): void {
  const { approvals } = service.store;
  const now = service.now();
  for (const request of approvals.openRequests(projectId)) {
    const { fields } = request;
    if (isExpired(fields, now)) approvals.updateRequest({ ...request, state: 'expired' });
    else if (fields['validation_status'] !== 'stale' && isOutdated(service, request)) {
      approvals.updateRequest({ ...request, fields: { ...fields, ...markedAt(now) } });
    }
  }
}

function isExpired({ expires_at: at }: JsonObject, now: Date): boolean {
  return typeof at === 'string' && parseMicroseconds(at) <= now.getTime() * 1000;
}

function markedAt(now: Date): JsonObject {
  const validation_errors = { staleness: 'The flag has changed since the request was opened.' };
  return { validation_status: 'stale', validation_errors, validated_at: formatTimestamp(now) };
}

/** Whether its flag is gone or has another version. A request for a creation never is. */
export function isOutdated({ store }: ServiceContext, { projectId, resourceId, fields }: StoredRequest): boolean {
  if (resourceId === null) return false;
  const flag = store.flags.find(projectId, Number(resourceId));
  const { version } = objectOrEmpty(objectOrEmpty(fields['intent'])['preconditions']);
  return flag === undefined || flag.deleted || countedVersion(flag) !== version;
}

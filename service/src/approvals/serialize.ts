/** Serializes change requests and approval policies. */

import type { JsonObject } from '../../../src/base/json.ts';
import { type ServiceContext, userOf } from '../handler/call.ts';
import type { StoredPolicy, StoredRequest } from '../store/approvals.ts';
import { canApprove, isRequester, mayCancel, votesOf } from './people.ts';

/** The kind of resource that every request of the service is about. */
export const RESOURCE_TYPE = 'feature_flag';

/** The form for its page. The answer that opens a request is the same for any caller. */
export function serializeRequest(request: StoredRequest, service?: ServiceContext): JsonObject {
  const { id, action, resourceId, state, fields } = request;
  const { secrets: _, ...shown } = fields;
  return {
    id,
    action_key: action,
    action_version: 1,
    resource_type: RESOURCE_TYPE,
    resource_id: resourceId,
    state,
    ...shown,
    ...(service === undefined ? NOBODY : aboutCaller(service, request)),
  };
}

const NOBODY = { can_approve: false, can_cancel: false, is_requester: false, user_decision: null };

function aboutCaller(service: ServiceContext, request: StoredRequest): JsonObject {
  return {
    can_approve: canApprove(service, request.fields).allowed,
    can_cancel: mayCancel(service, request),
    is_requester: isRequester(service, request.fields),
    user_decision: ownVote(service, request)?.['decision'] ?? null,
  };
}

export function ownVote(service: ServiceContext, { fields }: StoredRequest): JsonObject | undefined {
  const { id } = userOf(service);
  return votesOf(fields).find(({ created_by: voter }) => (voter as JsonObject)['id'] === id);
}

export function serializePolicy({ id, action, isEnabled, fields }: StoredPolicy): JsonObject {
  return { id, action_key: action, ...fields, enabled: isEnabled };
}

/** Serializes change requests and approval policies: who may decide about a request, and which requests have expired. */

import { type JsonObject, arrayOrEmpty, objectOrEmpty } from '../../../src/base/json.ts';
import { type ServiceContext, userOf, EMBEDDED_USER } from '../handler/call.ts';
import type { StoredPolicy, StoredRequest } from '../store/approvals.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { formatTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import { countedVersion } from '../store/flag.ts';

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
    can_approve: service !== undefined && canApprove(service, fields).allowed,
    can_cancel: service !== undefined && mayCancel(service, request),
    is_requester: service !== undefined && isRequester(service, fields),
    user_decision: (service && ownVote(service, request)?.['decision']) ?? null,
  };
}

export function ownVote(service: ServiceContext, { fields }: StoredRequest): JsonObject | undefined {
  const { id } = userOf(service);
  return votesOf(fields).find(({ created_by: voter }) => (voter as JsonObject)['id'] === id);
}

export function serializePolicy({ id, action, isEnabled, fields }: StoredPolicy): JsonObject {
  return { id, action_key: action, ...fields, enabled: isEnabled };
}

/** Whether the policy does not concern the caller, by level in the organization or by role. */
export function isExempt(service: ServiceContext, { fields }: StoredPolicy): boolean {
  const levels = arrayOrEmpty(fields['bypass_org_membership_levels']).map(Number);
  const isOwner = userOf(service)['id'] === EMBEDDED_USER['id'];
  return levels.includes(isOwner ? OWNER : MEMBER) || hasRole(service, fields['bypass_roles']);
}

const [OWNER, MEMBER] = [15, 1];

type ApprovalVerdict = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

/** Whether the caller may vote on the request now. */
export function mayVote(service: ServiceContext, { state, fields }: StoredRequest): ApprovalVerdict {
  if (state !== 'pending') return { allowed: false, why: 'Only a pending change request can be approved or rejected.' };
  return canApprove(service, fields);
}

/** Whether the caller is one who decides about the request, as its policy said when it was opened. */
function canApprove(service: ServiceContext, fields: JsonObject): ApprovalVerdict {
  const policy = objectOrEmpty(fields['policy_snapshot']);
  if (isRequester(service, fields) && policy['allow_self_approve'] !== true) {
    return { allowed: false, why: 'You cannot decide about your own change request.' };
  }
  if (isApprover(service, policy)) return { allowed: true };
  return { allowed: false, why: 'You are not an approver of this change request.' };
}

/** Whether the caller may withdraw the request: the requester, as long as nobody approved it, or once it is outdated. */
export function mayCancel(service: ServiceContext, { state, fields }: StoredRequest): boolean {
  const isFresh = votesOf(fields).every(({ decision }) => decision !== 'approved');
  return state === 'pending' && isRequester(service, fields) && (isFresh || fields['validation_status'] === 'stale');
}

function isRequester(service: ServiceContext, fields: JsonObject): boolean {
  return objectOrEmpty(fields['created_by'])['id'] === userOf(service)['id'];
}

/** `config`: with `users` and `roles`. */
export function isApprover(service: ServiceContext, { users, roles }: JsonObject): boolean {
  const { id = null } = userOf(service);
  return arrayOrEmpty(users).includes(id) || hasRole(service, roles);
}

export function votesOf(fields: JsonObject): readonly JsonObject[] {
  return arrayOrEmpty(fields['approvals']).map(objectOrEmpty);
}

function hasRole(service: ServiceContext, roles: JsonObject[string] | undefined): boolean {
  const { organization } = service.store;
  const { id } = userOf(service);
  return arrayOrEmpty(roles).some((roleId) =>
    organization
      .listMemberships(plainText(roleId))
      .some(({ memberId }) => organization.findMember(memberId)?.user['id'] === id),
  );
}

export function refreshRequests(service: ServiceContext, projectId: string): void {
  const { approvals } = service.store;
  const now = service.now();
  for (const request of approvals.openRequests(projectId)) {
    const { fields } = request;
    const { expires_at: end } = fields;
    if (typeof end === 'string' && parseMicroseconds(end) <= now.getTime() * 1000)
      approvals.updateRequest({ ...request, state: 'expired' });
    else if (fields['validation_status'] !== 'stale' && isOutdated(service, request)) {
      const validation_errors = { staleness: 'The flag has changed since the request was opened.' };
      const stale = { validation_status: 'stale', validation_errors, validated_at: formatTimestamp(now) };
      approvals.updateRequest({ ...request, fields: { ...fields, ...stale } });
    }
  }
}

/** Whether its flag is gone or has another version. A request for a creation never is. */
export function isOutdated({ store }: ServiceContext, { projectId, resourceId, fields }: StoredRequest): boolean {
  if (resourceId === null) return false;
  const flag = store.flags.find(projectId, Number(resourceId));
  const { version } = objectOrEmpty(objectOrEmpty(fields['intent'])['preconditions']);
  return flag === undefined || flag.deleted || countedVersion(flag) !== version;
}

/** Decides who may approve, withdraw or do without an approval. */

import { plainText } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import { type ServiceContext, EMBEDDED_USER, userOf } from '../handler/call.ts';
import type { StoredPolicy, StoredRequest } from '../store/approvals.ts';

/** Whether the policy does not concern the caller, by level in the organization or by role. */
export function isExempt(service: ServiceContext, { fields }: StoredPolicy): boolean {
  const levels = arrayOrEmpty(fields['bypass_org_membership_levels']).map(Number);
  return levels.includes(levelOf(userOf(service))) || hasRole(service, fields['bypass_roles']);
}

const [OWNER, MEMBER] = [15, 1];

function levelOf({ id }: JsonObject): number {
  return id === EMBEDDED_USER['id'] ? OWNER : MEMBER;
}

export type ApprovalVerdict = { readonly allowed: true } | { readonly allowed: false; readonly why: string };

/** Whether the caller may vote on the request now. */
export function mayVote(service: ServiceContext, { state, fields }: StoredRequest): ApprovalVerdict {
  if (state !== 'pending') return { allowed: false, why: 'Only a pending change request can be approved or rejected.' };
  return canApprove(service, fields);
}

/** Whether the caller is one who decides about the request, as its policy said when it was opened. */
export function canApprove(service: ServiceContext, fields: JsonObject): ApprovalVerdict {
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

export function isRequester(service: ServiceContext, fields: JsonObject): boolean {
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

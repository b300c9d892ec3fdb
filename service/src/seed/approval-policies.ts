/** Loads the approval policies of a seed. */

import { readDuration, TWO_WEEKS } from '../approvals/duration.ts';
import { newPolicy } from '../change-requests/policies.ts';
import { Refusal } from '../handler/envelope.ts';
import { findMember, findRole } from './access.ts';
import { seedProblem, type SeedApprovalPolicy, type SeedDocument } from './document.ts';
import type { SeedTarget } from './persons.ts';

export function loadApprovalPolicies(target: SeedTarget, { approvalPolicies }: SeedDocument): void {
  const { approvals } = target.service.store;
  for (const [index, policy] of approvalPolicies.entries()) {
    const pointer = `/approval_policies/${index}`;
    const projectId = policy.organization === true ? null : target.projectId;
    const isTaken = approvals
      .policies(target.projectId)
      .some((one) => one.action === policy.action_key && one.projectId === projectId);
    if (isTaken) throw seedProblem(pointer, 'there is a policy for this action already');
    const { action_key, allow_self_approve = false, conditions = {}, enabled = true } = policy;
    const values = {
      action_key,
      conditions,
      approver_config: approversOf(target, policy, pointer),
      allow_self_approve,
      bypass_roles: rolesOf(target, policy.exempt_roles, `${pointer}/exempt_roles`),
      expires_after: readExpiry(policy, pointer),
      enabled,
    };
    approvals.putPolicy(newPolicy(target.service, projectId, values));
  }
}

/** The approvers: everybody if neither members nor roles are named. */
function approversOf(
  target: SeedTarget,
  { quorum = 1, approvers, approver_roles: roles }: SeedApprovalPolicy,
  pointer: string,
): { quorum: number; users: number[]; roles: string[] } {
  const { organization } = target.service.store;
  const named = approvers?.map((name, place) => findMember(target, name, `${pointer}/approvers/${place}`));
  const members = named ?? (roles === undefined ? organization.listMembers() : []);
  const users = members.map(({ user }) => Number(user['id']));
  return { quorum, users, roles: rolesOf(target, roles, `${pointer}/approver_roles`) };
}

function rolesOf(target: SeedTarget, names: readonly string[] = [], pointer = ''): string[] {
  return names.map((name, place) => findRole(target, name, `${pointer}/${place}`).id);
}

function readExpiry({ expires_after: after = TWO_WEEKS }: SeedApprovalPolicy, pointer: string): string {
  try {
    return readDuration(after, 'expires_after');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw seedProblem(`${pointer}/expires_after`, 'it is not a duration such as 14 00:00:00');
  }
}

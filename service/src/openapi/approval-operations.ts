/** Describes the operations on change requests and approval policies, which only today's service has. */

import type { OperationDescription } from './operation-description.ts';

const DECIDED = { 200: 'Decision', 400: 'BadRequest' };

export const APPROVAL_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  change_requests_list: {
    summary: 'Writes that wait or waited for an approval, newest first.',
    query: ['limit', 'offset', 'state', 'action_key', 'requester', 'resource_type', 'resource_id'],
    answers: { 200: 'ChangeRequestPage' },
  },
  change_requests_get: { summary: 'One change request.', answers: { 200: 'ChangeRequest' } },
  change_requests_approve: {
    summary: 'Approves a change request; the last approval makes the change.',
    body: 'Reason',
    isBodyOptional: true,
    answers: DECIDED,
  },
  change_requests_reject: {
    summary: 'Rejects a change request.',
    body: 'Reason',
    isBodyOptional: true,
    answers: DECIDED,
  },
  change_requests_cancel: {
    summary: 'Withdraws a change request.',
    body: 'Reason',
    isBodyOptional: true,
    answers: DECIDED,
  },
  approval_policies_list: {
    summary: 'The approval policies of the project, newest first.',
    query: ['limit', 'offset', 'action_key', 'enabled'],
    answers: { 200: 'ApprovalPolicyPage' },
  },
  approval_policies_create: {
    summary: 'Creates an approval policy.',
    body: 'ApprovalPolicyWrite',
    answers: { 201: 'ApprovalPolicy' },
  },
  approval_policies_get: { summary: 'One approval policy.', answers: { 200: 'ApprovalPolicy' } },
  approval_policies_update: {
    summary: 'Changes an approval policy.',
    body: 'ApprovalPolicyChange',
    isBodyOptional: true,
    answers: { 200: 'ApprovalPolicy' },
  },
  approval_policies_replace: {
    summary: 'Changes an approval policy; the required fields are required.',
    body: 'ApprovalPolicyWrite',
    answers: { 200: 'ApprovalPolicy' },
  },
  approval_policies_delete: { summary: 'Deletes an approval policy.', answers: { 204: null } },
};

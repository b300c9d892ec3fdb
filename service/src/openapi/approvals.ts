/** Describes approval policies and change requests, which only today's service has. */

import type { JsonObject } from '../../../src/base/json.ts';
import { GATED_ACTIONS } from '../store/approvals.ts';
import {
  type OperationDescription,
  BOOLEAN,
  DATE_TIME,
  INTEGER,
  listOf,
  nullable,
  objectOf,
  OBJECT,
  pageOf,
  ref,
  SENT_BOOLEAN,
  SENT_INTEGER,
  SENT_TEXT,
  TEXT,
  UUID,
} from './schema.ts';

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

const ACTION: JsonObject = { enum: [...GATED_ACTIONS] };
const USER = nullable(ref('User'));
const APPROVERS: JsonObject = {
  type: 'object',
  required: ['quorum'],
  properties: { quorum: { type: 'number', minimum: 1 }, users: listOf(INTEGER), roles: listOf(TEXT) },
};

/** The fields that a request may write in a policy. */
const WRITTEN: Readonly<Record<string, JsonObject>> = {
  action_key: ACTION,
  conditions: OBJECT,
  approver_config: APPROVERS,
  allow_self_approve: SENT_BOOLEAN,
  bypass_org_membership_levels: listOf(SENT_INTEGER),
  bypass_roles: listOf(SENT_TEXT),
  expires_after: {
    anyOf: [
      { type: 'integer', minimum: 0, maximum: 999_999_999 },
      { ...TEXT, pattern: '^(\\d{1,6} )?((\\d{1,6}:)?\\d{1,6}:)?\\d{1,9}$' },
    ],
  },
  enabled: SENT_BOOLEAN,
};

export const APPROVAL_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  ChangeRequest: objectOf({
    id: UUID,
    action_key: ACTION,
    action_version: INTEGER,
    resource_type: { const: 'feature_flag' },
    resource_id: nullable(TEXT),
    intent: OBJECT,
    intent_display: OBJECT,
    policy_snapshot: OBJECT,
    validation_status: { enum: ['valid', 'invalid', 'stale'] },
    validation_errors: nullable(OBJECT),
    validated_at: nullable(DATE_TIME),
    state: { enum: ['pending', 'approved', 'applied', 'rejected', 'expired', 'failed'] },
    created_by: USER,
    applied_by: USER,
    created_at: DATE_TIME,
    updated_at: DATE_TIME,
    expires_at: DATE_TIME,
    applied_at: nullable(DATE_TIME),
    apply_error: TEXT,
    result_data: nullable(OBJECT),
    approvals: listOf(ref('Vote')),
    can_approve: BOOLEAN,
    can_cancel: BOOLEAN,
    is_requester: BOOLEAN,
    user_decision: nullable({ enum: ['approved', 'rejected'] }),
  }),
  ChangeRequestPage: pageOf('ChangeRequest'),
  Vote: objectOf({
    id: UUID,
    created_by: USER,
    decision: { enum: ['approved', 'rejected'] },
    reason: TEXT,
    created_at: DATE_TIME,
  }),
  Reason: { type: 'object', properties: { reason: TEXT } },
  Decision: objectOf(
    {
      status: { enum: ['approved', 'applied', 'failed', 'rejected', 'canceled'] },
      message: TEXT,
      change_request: ref('ChangeRequest'),
      result: OBJECT,
    },
    { optional: ['result'] },
  ),
  ApprovalAsked: objectOf({
    code: { enum: ['approval_required', 'change_request_pending'] },
    status: { const: 'approval_required' },
    detail: TEXT,
    message: TEXT,
    resource_type: { const: 'feature_flag' },
    resource_id: nullable(TEXT),
    change_request_id: UUID,
    change_request: ref('ChangeRequest'),
    required_approvers: OBJECT,
  }),
  PolicyConflict: objectOf({
    code: { const: 'policy_conflict' },
    error: TEXT,
    conflicting_policies: listOf(objectOf({ id: UUID, name: TEXT, action_key: ACTION }, { optional: ['action_key'] })),
    guidance: TEXT,
  }),
  WriteConflict: { anyOf: [ref('Error'), ref('ApprovalAsked')] },
  WriteRefusal: { anyOf: [ref('Error'), ref('PolicyConflict')] },
  ApprovalPolicy: objectOf({
    id: UUID,
    action_key: ACTION,
    conditions: OBJECT,
    approver_config: APPROVERS,
    allow_self_approve: BOOLEAN,
    bypass_org_membership_levels: listOf(INTEGER),
    bypass_roles: listOf(TEXT),
    expires_after: TEXT,
    enabled: BOOLEAN,
    created_by: USER,
    created_at: DATE_TIME,
    updated_at: DATE_TIME,
  }),
  ApprovalPolicyPage: pageOf('ApprovalPolicy'),
  ApprovalPolicyChange: { type: 'object', properties: WRITTEN },
  ApprovalPolicyWrite: objectOf(WRITTEN, {
    isOpen: true,
    optional: Object.keys(WRITTEN).filter((name) => name !== 'action_key' && name !== 'approver_config'),
  }),
};

/**
 * Describes the objects that only today's service has: alerts, approvals, early access features, and those that it only keeps.
 * The schemas of bodies name the fields of the tables that read them.
 */

import type { JsonObject } from '../../../src/base/json.ts';
import { ALERT_FIELDS, REQUIRED_ALERT_FIELDS } from '../alerts/write.ts';
import { STAGES } from '../early-access/features.ts';
import type { BodyField } from '../flags/fields.ts';
import { ACTION_FIELDS } from '../kept-objects/actions.ts';
import { SETTING_FIELDS } from '../kept-objects/project-settings.ts';
import type { AlertState } from '../store/alerts.ts';
import { GATED_ACTIONS } from '../store/approvals.ts';
import {
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  GATED,
  INTEGER,
  listOf,
  nullable,
  OBJECT,
  objectOf,
  openObjectOf,
  type Operations,
  optional,
  pageOf,
  ref,
  type Schemas,
  SENT_BOOLEAN,
  SENT_INTEGER,
  SENT_TEXT,
  TEXT,
  UUID,
} from './schema.ts';

const DECIDED = { 200: 'Decision', 400: 'BadRequest' };

export const OBJECT_OPERATIONS: Operations = {
  alerts_list: {
    summary: 'The alerts of the project, newest first.',
    query: ['limit', 'offset', 'insight', 'insight_id', 'created_by', 'search'],
    answers: 'AlertPage',
  },
  alerts_create: { summary: 'Creates an alert.', body: 'AlertCreate', answers: { 201: 'Alert' } },
  alerts_get: {
    summary: 'One alert with its newest checks.',
    query: ['checks_limit', 'checks_offset', 'checks_date_from', 'checks_date_to'],
    answers: 'Alert',
  },
  alerts_update: {
    summary: 'Changes an alert; another threshold, condition or `enabled` sets its state without a check.',
    body: 'AlertWrite?',
    answers: 'Alert',
  },
  alerts_delete: { summary: 'Deletes an alert with its checks, for good.', answers: { 204: null } },
  change_requests_list: {
    summary: 'Writes that wait or waited for an approval, newest first.',
    query: ['limit', 'offset', 'state', 'action_key', 'requester', 'resource_type', 'resource_id'],
    answers: 'ChangeRequestPage',
  },
  change_requests_get: { summary: 'One change request.', answers: 'ChangeRequest' },
  change_requests_approve: {
    summary: 'Approves a change request; the last approval makes the change.',
    body: 'Reason?',
    answers: DECIDED,
  },
  change_requests_reject: { summary: 'Rejects a change request.', body: 'Reason?', answers: DECIDED },
  change_requests_cancel: { summary: 'Withdraws a change request.', body: 'Reason?', answers: DECIDED },
  approval_policies_list: {
    summary: 'The approval policies of the project, newest first.',
    query: ['limit', 'offset', 'action_key', 'enabled'],
    answers: 'ApprovalPolicyPage',
  },
  approval_policies_create: {
    summary: 'Creates an approval policy.',
    body: 'ApprovalPolicyWrite',
    answers: { 201: 'ApprovalPolicy' },
  },
  approval_policies_get: { summary: 'One approval policy.', answers: 'ApprovalPolicy' },
  approval_policies_update: {
    summary: 'Changes an approval policy.',
    body: 'ApprovalPolicyChange?',
    answers: 'ApprovalPolicy',
  },
  approval_policies_replace: {
    summary: 'Changes an approval policy; the required fields are required.',
    body: 'ApprovalPolicyWrite',
    answers: 'ApprovalPolicy',
  },
  approval_policies_delete: { summary: 'Deletes an approval policy.', answers: { 204: null } },
  early_access_features_list: {
    summary: 'The early access features of the project, oldest first.',
    query: ['limit', 'offset'],
    answers: 'EarlyAccessFeaturePage',
  },
  early_access_features_get: { summary: 'One early access feature.', answers: 'EarlyAccessFeature' },
  early_access_features_create: {
    summary: 'Creates an early access feature, of an existing flag or with one of its own.',
    body: 'EarlyAccessFeatureCreate',
    answers: { 201: 'EarlyAccessFeature', ...GATED },
  },
  early_access_features_update: {
    summary: 'Changes an early access feature; its stage decides whether its flag enrolls people.',
    body: 'EarlyAccessFeatureWrite?',
    answers: { 200: 'EarlyAccessFeature', ...GATED },
  },
  early_access_features_replace: {
    summary: 'Changes an early access feature; name and stage are required.',
    body: 'EarlyAccessFeatureReplace',
    answers: { 200: 'EarlyAccessFeature', ...GATED },
  },
  early_access_features_delete: {
    summary: 'Deletes an early access feature for good; its flag stays, but no longer enrolls anybody.',
    answers: { 204: null },
  },
  actions_list: { summary: 'The actions that are not deleted, without pages.', answers: 'EventActionList' },
  actions_create: { summary: 'Creates an action.', body: 'EventActionWrite?', answers: { 201: 'EventAction' } },
  actions_update: { summary: 'Changes an action.', body: 'EventActionWrite?', answers: 'EventAction' },
  actions_get: { summary: 'One action, including deleted ones.', answers: 'EventAction' },
  actions_delete: { summary: 'Refused: actions are deleted by a PATCH.', answers: { 405: null } },
  project_settings_get: { summary: 'One project with its settings.', answers: 'ProjectSettings' },
  project_settings_update: {
    summary: 'Changes settings of a project.',
    body: 'ProjectSettingsWrite?',
    answers: 'ProjectSettings',
  },
  proxy_records_list: { summary: 'The proxy records of the organization.', answers: 'ProxyRecordList' },
  proxy_records_create: {
    summary: 'Creates a proxy record, which waits for its DNS.',
    body: 'ProxyRecordWrite',
    answers: { 200: 'ProxyRecord', 400: 'ProxyRecordRefusal' },
  },
  proxy_records_get: { summary: 'One proxy record.', answers: 'ProxyRecord' },
  proxy_records_delete: { summary: 'Deletes a proxy record.', answers: 'Success' },
};

const ALERT_STATE: JsonObject = { enum: ['Firing', 'Not firing', 'Errored', 'Snoozed'] satisfies AlertState[] };
const NUMBER: JsonObject = { type: 'number' };
const NOTHING: JsonObject = { type: 'null' };
const ALERT_BODY: Schemas = Object.fromEntries(ALERT_FIELDS.map((name) => [name, ANYTHING]));
const GATED_ACTION: JsonObject = { enum: [...GATED_ACTIONS] };
const USER = nullable(ref('User'));
const APPROVERS: JsonObject = {
  type: 'object',
  required: ['quorum'],
  properties: { quorum: { type: 'number', minimum: 1 }, users: listOf(INTEGER), roles: listOf(TEXT) },
};

const POLICY_FIELDS: Schemas = {
  action_key: GATED_ACTION,
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
const STAGE: JsonObject = { enum: [...STAGES] };
const ADDRESS: JsonObject = { ...TEXT, maxLength: 800, pattern: '^$|^(https?|ftps?)://[^\\s/?#]+(/[^\\s]*)?$' };

const FEATURE_FIELDS: Schemas = {
  name: { ...SENT_TEXT, minLength: 1, maxLength: 200 },
  'description?': SENT_TEXT,
  stage: STAGE,
  'documentation_url?': ADDRESS,
  'payload?': ANYTHING,
};

export const OBJECT_SCHEMAS: Schemas = {
  Alert: objectOf({
    id: UUID,
    created_by: nullable(ref('User')),
    created_at: DATE_TIME,
    insight: openObjectOf({ id: INTEGER, short_id: TEXT, name: TEXT }),
    name: TEXT,
    subscribed_users: listOf(ref('User')),
    threshold: nullable(objectOf({ id: UUID, created_at: DATE_TIME, name: TEXT, configuration: OBJECT })),
    condition: nullable(OBJECT),
    state: ALERT_STATE,
    enabled: BOOLEAN,
    last_notified_at: nullable(DATE_TIME),
    last_checked_at: nullable(DATE_TIME),
    next_check_at: nullable(DATE_TIME),
    'checks?': listOf(ref('AlertCheck')),
    'checks_total?': INTEGER,
    config: nullable(OBJECT),
    detector_config: nullable(OBJECT),
    calculation_interval: TEXT,
    snoozed_until: nullable(DATE_TIME),
    skip_weekend: nullable(BOOLEAN),
    schedule_restriction: nullable(OBJECT),
    last_value: nullable(NUMBER),
    investigation_agent_enabled: BOOLEAN,
    investigation_gates_notifications: BOOLEAN,
    investigation_inconclusive_action: TEXT,
  }),
  AlertPage: pageOf('Alert'),
  AlertCheck: objectOf({
    id: UUID,
    created_at: DATE_TIME,
    calculated_value: nullable(NUMBER),
    state: ALERT_STATE,
    targets_notified: BOOLEAN,
    anomaly_scores: NOTHING,
    triggered_points: NOTHING,
    triggered_dates: NOTHING,
    interval: NOTHING,
    triggered_metadata: NOTHING,
    investigation_status: NOTHING,
    investigation_verdict: NOTHING,
    investigation_summary: NOTHING,
    investigation_notebook_short_id: NOTHING,
    notification_sent_at: NOTHING,
    notification_suppressed_by_agent: BOOLEAN,
  }),
  AlertCreate: { type: 'object', required: [...REQUIRED_ALERT_FIELDS], properties: ALERT_BODY },
  AlertWrite: { type: 'object', properties: ALERT_BODY },
  ChangeRequest: objectOf({
    id: UUID,
    action_key: GATED_ACTION,
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
  Decision: objectOf({
    status: { enum: ['approved', 'applied', 'failed', 'rejected', 'canceled'] },
    message: TEXT,
    change_request: ref('ChangeRequest'),
    'result?': OBJECT,
  }),
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
    conflicting_policies: listOf(objectOf({ id: UUID, name: TEXT, 'action_key?': GATED_ACTION })),
    guidance: TEXT,
  }),
  WriteConflict: { anyOf: [ref('Error'), ref('ApprovalAsked')] },
  WriteRefusal: { anyOf: [ref('Error'), ref('PolicyConflict')] },
  ApprovalPolicy: objectOf({
    id: UUID,
    action_key: GATED_ACTION,
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
  ApprovalPolicyChange: { type: 'object', properties: POLICY_FIELDS },
  ApprovalPolicyWrite: { type: 'object', required: ['action_key', 'approver_config'], properties: POLICY_FIELDS },
  EarlyAccessFeature: objectOf({
    id: UUID,
    feature_flag: nullable(ref('MinimalFlag')),
    name: TEXT,
    description: TEXT,
    stage: STAGE,
    documentation_url: TEXT,
    payload: ANYTHING,
    created_at: DATE_TIME,
    created_by: nullable(ref('User')),
    assignee: nullable(OBJECT),
    user_access_level: TEXT,
  }),
  EarlyAccessFeaturePage: pageOf('EarlyAccessFeature'),
  EarlyAccessFeatureCreate: openObjectOf({ ...FEATURE_FIELDS, 'feature_flag_id?': SENT_INTEGER }),
  EarlyAccessFeatureReplace: openObjectOf(FEATURE_FIELDS),
  EarlyAccessFeatureWrite: openObjectOf(optional(FEATURE_FIELDS)),
  EventAction: objectOf({
    id: INTEGER,
    name: nullable(TEXT),
    description: TEXT,
    tags: listOf(TEXT),
    post_to_slack: BOOLEAN,
    slack_message_format: TEXT,
    steps: listOf(OBJECT),
    created_at: DATE_TIME,
    created_by: nullable(ref('User')),
    deleted: BOOLEAN,
    is_calculating: BOOLEAN,
    last_calculated_at: nullable(DATE_TIME),
    team_id: INTEGER,
    is_action: BOOLEAN,
    bytecode_error: nullable(TEXT),
    pinned_at: nullable(DATE_TIME),
    creation_context: nullable(TEXT),
    user_access_level: TEXT,
  }),
  EventActionList: objectOf({ results: listOf(ref('EventAction')) }),
  EventActionWrite: bodyOf(ACTION_FIELDS),
  ProjectSettings: objectOf({
    id: { type: ['integer', 'string'] },
    organization: UUID,
    api_token: TEXT,
    name: TEXT,
    ...Object.fromEntries(SETTING_FIELDS.map(({ name }) => [name, { type: ['boolean', 'integer', 'array', 'null'] }])),
  }),
  ProjectSettingsWrite: bodyOf(SETTING_FIELDS),
  ProxyRecord: objectOf({
    id: UUID,
    domain: TEXT,
    target_cname: TEXT,
    status: { const: 'waiting' },
    message: nullable(TEXT),
    created_at: DATE_TIME,
    updated_at: DATE_TIME,
    created_by: nullable(INTEGER),
  }),
  ProxyRecordList: objectOf({ results: listOf(ref('ProxyRecord')), max_proxy_records: INTEGER }),
  ProxyRecordWrite: bodyOf([{ name: 'domain' }], ['domain']),
  ProxyRecordRefusal: { anyOf: [ref('Error'), objectOf({ detail: TEXT })] },
};

function bodyOf(fields: readonly Pick<BodyField, 'name'>[], required: readonly string[] = []): JsonObject {
  return { type: 'object', required, properties: Object.fromEntries(fields.map(({ name }) => [name, ANYTHING])) };
}

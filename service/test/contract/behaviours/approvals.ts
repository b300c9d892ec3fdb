/** Approval policies, and the change requests that writes open under them, as today's service has them. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { type Behaviour, type Expectation, ok, refusal, type Step, today } from '../behaviour.ts';

const to = (percent: number): JsonObject => ({ groups: [{ properties: [], rollout_percentage: percent }] });

/** The only user approves what the user asked for. */
const policy = (action: string, more: JsonObject = {}): JsonObject => ({
  action_key: `feature_flag.${action}`,
  approver_config: { quorum: 1, users: [1] },
  allow_self_approve: true,
  ...more,
});

const POLICY_MEMBERS = [
  'id',
  'action_key',
  'conditions',
  'approver_config',
  'allow_self_approve',
  'bypass_org_membership_levels',
  'bypass_roles',
  'expires_after',
  'enabled',
  'created_by',
  'created_at',
  'updated_at',
];

const REQUEST_MEMBERS = [
  'id',
  'action_key',
  'action_version',
  'resource_type',
  'resource_id',
  'intent',
  'intent_display',
  'policy_snapshot',
  'validation_status',
  'validation_errors',
  'validated_at',
  'state',
  'created_by',
  'applied_by',
  'created_at',
  'updated_at',
  'expires_at',
  'applied_at',
  'apply_error',
  'result_data',
  'approvals',
  'can_approve',
  'can_cancel',
  'is_requester',
  'user_decision',
];

const govern = (action: string, name: string, more?: JsonObject): Step => ({
  ask: 'POST /approval_policies/',
  body: policy(action, more),
  expect: { status: 201, body: { action_key: `feature_flag.${action}`, enabled: true, expires_after: '14 00:00:00' } },
  keep: { [name]: '/id' },
});
const release = (name: string): Step => ({
  ask: `DELETE /approval_policies/{${name}}/`,
  expect: { status: 204, text: '' },
});
const flag = (key: string, fields: JsonObject = {}): Step => ({
  ask: 'POST /feature_flags/',
  body: { key, active: false, filters: to(25), ...fields },
  expect: { status: 201 },
  keep: { flag: '/id' },
});
const asked = (code: string, action: string): Expectation => ({
  status: 409,
  body: {
    code,
    status: 'approval_required',
    resource_type: 'feature_flag',
    change_request: { action_key: `feature_flag.${action}`, state: 'pending', can_approve: false, is_requester: false },
  },
});
const enable = (expect: Expectation): Step => ({
  ask: 'PATCH /feature_flags/{flag}/',
  body: { active: true },
  expect,
  keep: { request: '/change_request_id' },
});
const decide = (decision: string, reason: string | undefined, expect: Expectation): Step => ({
  ask: `POST /change_requests/{request}/${decision}/`,
  ...(reason === undefined ? {} : { body: { reason } }),
  expect,
});

export const APPROVALS: readonly Behaviour[] = [
  today('approval policies are written, one for each action', [
    govern('update', 'policy'),
    { ask: 'POST /approval_policies/', body: policy('update'), expect: refusal(400, 'invalid_input', null) },
    {
      ask: 'POST /approval_policies/',
      body: { action_key: 'x' },
      expect: refusal(400, 'invalid_choice', 'action_key'),
    },
    {
      ask: 'GET /approval_policies/{policy}/',
      expect: { ...ok({ conditions: {}, bypass_roles: [] }), members: { '': POLICY_MEMBERS } },
    },
    { ask: 'GET /approval_policies/?enabled=true&action_key=feature_flag.update', expect: ok({ count: 1 }) },
    { ask: 'GET /approval_policies/?enabled=false', expect: ok({ count: 0, results: [] }) },
    { ask: 'PATCH /approval_policies/{policy}/', body: { enabled: false }, expect: ok({ enabled: false }) },
    {
      ask: 'PUT /approval_policies/{policy}/',
      body: policy('update', { expires_after: 90_061 }),
      expect: ok({ enabled: false, expires_after: '1 01:01:01' }),
    },
    ...[{ quorum: 0 }, {}, 'ann'].map((config): Step => ({
      ask: 'PATCH /approval_policies/{policy}/',
      body: { approver_config: config },
      expect: { status: 400 },
    })),
    { ask: 'PATCH /approval_policies/{policy}/', body: { expires_after: 'soon' }, expect: { status: 400 } },
    release('policy'),
    { ask: 'GET /approval_policies/{policy}/', expect: refusal(404, 'not_found') },
  ]),
  today('a gated write opens one change request, and its approval makes the change', [
    flag('{prefix}-gated'),
    govern('enable', 'policy'),
    enable(asked('approval_required', 'enable')),
    { ask: 'GET /feature_flags/{flag}/', expect: ok({ active: false, version: 1 }) },
    enable(asked('change_request_pending', 'enable')),
    { ask: 'GET /change_requests/?state=pending,approved&resource_id={flag}', expect: ok({ count: 1 }) },
    { ask: 'GET /change_requests/?state=applied&resource_id={flag}', expect: ok({ count: 0 }) },
    { ask: 'GET /change_requests/?requester=2&resource_id={flag}', expect: ok({ count: 0 }) },
    { ask: 'GET /change_requests/?requester=ann', expect: refusal(400, 'invalid', 'requester') },
    {
      ask: 'GET /change_requests/{request}/',
      expect: {
        ...ok({ can_approve: true, can_cancel: true, is_requester: true, user_decision: null, state: 'pending' }),
        members: { '': REQUEST_MEMBERS },
      },
    },
    decide(
      'approve',
      'Fine',
      ok({ status: 'applied', change_request: { state: 'applied', user_decision: 'approved' } }),
    ),
    { ask: 'GET /feature_flags/{flag}/', expect: ok({ active: true, version: 2 }) },
    decide('approve', undefined, refusal(403, 'permission_denied')),
    release('policy'),
  ]),
  today('a change request is rejected with a reason, or withdrawn', [
    flag('{prefix}-rejected'),
    govern('enable', 'policy'),
    enable(asked('approval_required', 'enable')),
    decide('reject', undefined, { status: 400, body: { error: 'A rejection needs a reason.' } }),
    decide('reject', 'Not now', ok({ status: 'rejected', change_request: { state: 'rejected' } })),
    enable(asked('approval_required', 'enable')),
    decide('cancel', undefined, ok({ status: 'canceled', change_request: { state: 'rejected', can_cancel: false } })),
    decide('cancel', undefined, refusal(403, 'permission_denied')),
    { ask: 'GET /change_requests/?state=rejected&resource_id={flag}', expect: ok({ count: 2 }) },
    release('policy'),
  ]),
  today('a write of two gated actions is refused', [
    flag('{prefix}-parted'),
    govern('enable', 'first'),
    govern('update', 'second'),
    {
      ask: 'PATCH /feature_flags/{flag}/',
      body: { active: true, filters: to(60) },
      expect: {
        status: 400,
        body: {
          code: 'policy_conflict',
          conflicting_policies: [{ action_key: 'feature_flag.enable' }, { action_key: 'feature_flag.update' }],
        },
      },
    },
    { ask: 'GET /feature_flags/{flag}/', expect: ok({ active: false, version: 1 }) },
    release('first'),
    release('second'),
  ]),
  {
    name: 'the service of 2023 has no approvals',
    only: 'documented',
    steps: ['GET /change_requests/', 'GET /approval_policies/'].map((ask) => ({
      ask,
      expect: refusal(404, 'not_found'),
    })),
  },
];

/** The changes that the service is to make later. The interface document lacks them; today's service has them. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal, type Behaviour, type Step } from '../behaviour.ts';

const PENDING = {
  id: 10,
  record_id: '3',
  model_name: 'FeatureFlag',
  payload: { operation: 'update_status', value: true },
  scheduled_at: '2026-12-01T09:00:00Z',
  executed_at: null,
  failure_reason: null,
  is_recurring: false,
};
const EXECUTED = { id: 9, record_id: '2', executed_at: '2026-03-01T09:01:00Z' };
const NONE = { count: 0, next: null, previous: null, results: [] };

const MEMBERS = [
  'id',
  'team_id',
  'record_id',
  'model_name',
  'payload',
  'scheduled_at',
  'executed_at',
  'failure_reason',
  'created_at',
  'created_by',
  'updated_at',
  'is_recurring',
  'recurrence_interval',
  'cron_expression',
  'last_executed_at',
  'end_date',
  'timezone',
  'change_request',
];

const ON = { operation: 'update_status', value: true };
const LATER = { record_id: '3', model_name: 'FeatureFlag', payload: ON, scheduled_at: '2026-05-01T09:00:00+02:00' };
const schedule = (more: JsonObject, attr: string): Step => ({
  ask: 'POST /scheduled_changes/',
  body: { ...LATER, ...more },
  expect: refusal(400, 'invalid_input', attr),
});
const CRON = { is_recurring: true, cron_expression: '0 9 * * 1-5' };

export const SCHEDULED_CHANGES: readonly Behaviour[] = [
  {
    name: 'scheduled changes are listed, executed ones too',
    only: 'posthog',
    steps: [
      {
        ask: 'GET /scheduled_changes/',
        expect: {
          ...ok({ count: 2, next: null, previous: null, results: [EXECUTED, PENDING] }),
          members: { '/results/0': MEMBERS },
        },
      },
      { ask: 'GET /scheduled_changes/?limit=1&offset=1', expect: ok({ count: 2, results: [PENDING] }) },
    ],
  },
  {
    name: 'scheduled changes of one flag, or of another kind of record',
    only: 'posthog',
    steps: [
      { ask: 'GET /scheduled_changes/?model_name=FeatureFlag&record_id=3', expect: ok({ results: [PENDING] }) },
      { ask: 'GET /scheduled_changes/?record_id=1', expect: ok(NONE) },
      { ask: 'GET /scheduled_changes/?model_name=Survey', expect: ok(NONE) },
    ],
  },
  {
    name: 'one scheduled change is read by its id, and the filters of the list apply to it',
    only: 'posthog',
    steps: [
      { ask: 'GET /scheduled_changes/10/', expect: ok(PENDING) },
      { ask: 'GET /scheduled_changes/10/?record_id=2', expect: refusal(404, 'not_found') },
      { ask: 'GET /scheduled_changes/99/', expect: refusal(404, 'not_found') },
      { ask: 'GET /scheduled_changes/x/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'a change is scheduled, moved and cancelled',
    only: 'posthog',
    steps: [
      {
        ask: 'POST /scheduled_changes/',
        body: LATER,
        keep: { id: '/id' },
        expect: {
          status: 201,
          body: { ...LATER, scheduled_at: '2026-05-01T07:00:00Z', executed_at: null, change_request: null },
        },
      },
      {
        ask: 'PATCH /scheduled_changes/{id}/',
        body: { scheduled_at: '2026-06-01' },
        expect: refusal(400, 'invalid_input', 'scheduled_at'),
      },
      {
        ask: 'PATCH /scheduled_changes/{id}/',
        body: { record_id: '2' },
        expect: refusal(400, 'invalid_input', 'record_id'),
      },
      { ask: 'PATCH /scheduled_changes/{id}/', body: CRON, expect: ok({ ...CRON, record_id: '3' }) },
      {
        ask: 'PATCH /scheduled_changes/{id}/',
        body: { is_recurring: false },
        expect: ok({ is_recurring: false, cron_expression: '0 9 * * 1-5' }),
      },
      { ask: 'DELETE /scheduled_changes/{id}/', expect: { status: 204, text: '' } },
      { ask: 'GET /scheduled_changes/{id}/', expect: refusal(404, 'not_found') },
    ],
  },
  {
    name: 'a scheduled change that cannot be meant is refused',
    only: 'posthog',
    steps: [
      { ask: 'POST /scheduled_changes/', body: {}, expect: refusal(400, 'required', 'record_id') },
      {
        ask: 'POST /scheduled_changes/',
        body: { ...LATER, record_id: '99' },
        expect: refusal(400, 'invalid_input', null),
      },
      {
        ask: 'POST /scheduled_changes/',
        body: { ...LATER, model_name: 'Survey' },
        expect: refusal(400, 'invalid_choice', 'model_name'),
      },
      schedule({ is_recurring: true }, 'recurrence_interval'),
      schedule({ recurrence_interval: 'daily' }, 'recurrence_interval'),
      schedule({ ...CRON, recurrence_interval: 'daily' }, 'cron_expression'),
      schedule({ ...CRON, cron_expression: '0 0 30 2 *' }, 'cron_expression'),
      schedule({ ...CRON, cron_expression: 'soon' }, 'cron_expression'),
      schedule({ ...CRON, payload: { operation: 'add_release_condition', value: { groups: [] } } }, 'payload'),
      schedule({ end_date: '2026-05-01T07:00:00Z' }, 'end_date'),
      { ask: 'PATCH /scheduled_changes/9/', body: { payload: ON }, expect: refusal(400, 'invalid_input', null) },
    ],
  },
  {
    name: 'the service of 2023 has no scheduled changes',
    only: 'documented',
    steps: [{ ask: 'GET /scheduled_changes/', expect: refusal(404, 'not_found') }],
  },
];

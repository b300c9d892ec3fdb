/** The changes that the service is to make later. The interface document lacks them; today's service has them. */

import { ok, refusal, type Behaviour } from '../behaviour.ts';

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
];

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
    name: 'the service of 2023 has no scheduled changes',
    only: 'documented',
    steps: [{ ask: 'GET /scheduled_changes/', expect: refusal(404, 'not_found') }],
  },
];
